import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { rules } from '../../../../src/core/control/warnings/rules.js'
import { scenarios } from '../../../../src/core/scenario/index.js'
import { lobbyTokenOf } from '../../../../src/core/store/tokens.js'
import { createMockmaker, type MockRequest, type ScenarioInput, type WarningRule } from '../../../../src/index.js'
import { fakeRealTimers } from '../../../support/fake-real-timers.js'
import { closedAfterTest } from '../../../support/worlds.js'

const tokens = { public: 'pub_prod.mock.reef', development: 'dev_prod.mock.reef' } as const
const link = 'device.mock.sofa'

const reef: ScenarioInput = {
  regions: ['lnd-fra'],
  tokens,
  game_modes: [
    { game_mode_id: 'reef', max_players: 4 },
    { game_mode_id: 'wreck', ports: { lobby_ports: [] } },
  ],
  device_links: [{ token: link }],
}
const manual: ScenarioInput = { ...reef, servers: 'manual' }

interface Sent extends Omit<Partial<MockRequest>, 'headers' | 'body'> {
  readonly body?: unknown
  readonly token?: string
}

/** A mock with clients whose time passes as fast as the test wants. */
function play(scenario: ScenarioInput) {
  const mock = closedAfterTest(createMockmaker({ scenario }))
  const send = async (method: string, path: string, { body, token, ...rest }: Sent = {}) => {
    const bytes = body === undefined ? {} : { body: new TextEncoder().encode(JSON.stringify(body)) }
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const answer = await mock.answer({ method, path, headers, ...bytes, ...rest })
    return { ...answer, json: JSON.parse(new TextDecoder().decode(answer.body) || '{}') }
  }
  const game = {
    mock,
    send,
    pass: (ms: number) => vi.advanceTimersByTimeAsync(ms),
    /** Runs a function that often, with a pause after each time, in ms. */
    async every(pauseMs: number, times: number, run: (i: number) => unknown) {
      for (let i = 0; i < times; i++) {
        await run(i)
        await game.pass(pauseMs)
      }
    },
    list: (port = 51_884) => send('GET', '/matchmaker/lobbies/list', { port }),
    poll: (index?: string) =>
      send('GET', '/cloud/devices/links', {
        query: `device_link_token=${link}${index === undefined ? '' : `&watch_index=${index}`}`,
      }),
    /** Takes a seat in a lobby that is ready. */
    async seat(mode = 'reef', sent: Sent = {}) {
      const asked = send('POST', '/matchmaker/lobbies/find', { body: { game_modes: [mode] }, ...sent })
      for (const { lobby_id } of mock.world.lobbies.findMany(q => q.where({ status: 'starting' })))
        await game.serve(lobby_id, 'lobbies/ready')
      const { json } = await asked
      return { token: json.player.token as string, lobby: json.lobby.lobby_id as string, ports: json.ports }
    },
    serve: (lobby: string, path: string, body: object = {}) =>
      send('POST', `/matchmaker/${path}`, { token: lobbyTokenOf(lobby), body }),
    connect: ({ token, lobby }: { token: string; lobby: string }) =>
      game.serve(lobby, 'players/connected', { player_token: token }),
  }
  return game
}

type Game = ReturnType<typeof play>

interface Case {
  readonly rule: WarningRule
  readonly scenario?: ScenarioInput
  /** Deserves the warning. */
  readonly wrong: (game: Game) => Promise<unknown>
  readonly warning: object
  /** Come close, and deserve no warning at all. */
  readonly close: Readonly<Record<string, (game: Game) => Promise<unknown>>>
}

const full = { body: { lobby_id: '00000000-0000-4000-8000-000000000000' }, port: 1 }
const refused = (game: Game, sent: Sent = full) => game.send('POST', '/matchmaker/lobbies/join', sent)
const limited = { operation: 'lobbies.list', effect: { error: { code: 'API_RATE_LIMIT', retry_after: 2 } } } as const

const cases: readonly Case[] = [
  {
    rule: 'hot loop',
    wrong: game => game.every(40, 150, () => game.list()),
    warning: {
      sentence: 'One client called lobbies.list 25 times a second, and nothing had changed.',
      address: '127.0.0.1:51884',
      operation: 'lobbies.list',
      count: 149,
    },
    close: {
      'twenty a second': game => game.every(50, 150, () => game.list()),
      'for two seconds': game => game.every(20, 140, () => game.list()),
      'sixteen clients at one address': game => game.every(10, 500, i => game.list(50_000 + (i % 16))),
      'a list that changes': game =>
        game.every(20, 250, async () => {
          await game.mock.lobby()
          await game.list()
        }),
    },
  },
  {
    rule: 'hot loop',
    wrong: game => game.every(6, 992, () => game.poll()),
    warning: {
      sentence: 'One client asked for the same device link 167 times a second, and nothing had changed.',
      advice: expect.stringMatching(/^Send watch.index of the last answer as watch_index/),
      device_link: link,
      count: 991,
      first_at: expect.any(String),
    },
    close: {},
  },
  {
    rule: 'watch without index',
    wrong: game => game.every(1_000, 6, () => game.poll()),
    warning: {
      sentence: 'One client asked for a device link 5 times without watch_index.',
      device_link: link,
      count: 5,
      requests: [2, 3, 4, 5, 6],
    },
    close: {
      'four times': game => game.every(1_000, 5, () => game.poll()),
      'with the newest index': async game => {
        let { json } = await game.poll()
        for (let i = 0; i < 6; i++) {
          const next = game.poll(json.watch.index)
          await game.pass(40_000)
          json = (await next).json
        }
      },
    },
  },
  {
    rule: 'no pause after failure',
    wrong: game => game.every(100, 6, () => refused(game)),
    warning: {
      sentence:
        'One client asked again after each failure, and the pauses do not grow: 0.100 s, 0.100 s, 0.100 s, 0.100 s.',
      address: '127.0.0.1:1',
      operation: 'lobbies.join',
      count: 6,
      requests: [1, 2, 3, 4, 5, 6],
    },
    close: {
      'four times': game => game.every(100, 4, () => refused(game)),
      'with growing pauses': async game => {
        for (const ms of [100, 200, 400, 800, 1_600, 1_600, 1_600]) await game.every(ms, 1, () => refused(game))
      },
      'for other reasons': game =>
        game.every(100, 12, i => refused(game, { ...full, body: { lobby_id: i % 2 ? 'gone' : `${i}` } })),
      'with a body that is too long to remember': game =>
        game.every(100, 6, () => refused(game, { ...full, body: { lobby_id: 'x'.repeat(20_000) } })),
      'with a success between': game =>
        game.every(100, 12, i =>
          i % 4 === 3
            ? game.send('POST', '/matchmaker/lobbies/find', { port: 1, body: { game_modes: ['reef'] } })
            : refused(game, { ...full, body: { lobby_id: `${i - (i % 4)}` } }),
        ),
      'sixteen clients that race in this process': game => game.every(0, 16, () => refused(game, { body: full.body })),
    },
  },
  {
    rule: 'no pause after failure',
    scenario: { ...reef, faults: [{ ...limited, times: 4 }] },
    wrong: game => game.every(500, 3, () => game.list()),
    warning: {
      sentence: 'One client asked again after 0.500 s, and retry-after said 2 s.',
      operation: 'lobbies.list',
      count: 2,
      requests: [expect.any(Number), expect.any(Number), expect.any(Number)],
    },
    close: { 'waits for it': game => game.every(2_000, 5, () => game.list()) },
  },
  {
    rule: 'never connected',
    scenario: manual,
    async wrong(game) {
      const first = await game.seat()
      await game.connect(first)
      await game.seat()
      await game.pass(121_000)
    },
    warning: {
      sentence: expect.stringMatching(
        /^\w+ lost the seat in reef in Frankfurt after 2 min: its server called players\.connected for 1 other player, never for this one\.$/,
      ),
      players: [expect.stringMatching(/^player\./)],
      game_mode_id: 'reef',
      requests: [expect.any(Number)],
      count: 1,
    },
    close: {
      'connects in time': async game => {
        const seat = await game.seat()
        await game.pass(110_000)
        await game.connect(seat)
        await game.pass(60_000)
      },
      'a test moves the clock': async game => {
        await game.seat()
        await game.mock.clock.advance('3m')
      },
      'code made the player': async game => {
        const { lobby } = await game.seat()
        await game.mock.player({ lobby_id: lobby, status: 'reserved' })
        for (const player of game.mock.world.players.findMany(q => q.where({ status: 'reserved' })).slice(0, 1))
          await game.connect({ token: player.player_token, lobby })
        await game.pass(121_000)
      },
    },
  },
  {
    rule: 'seats unused',
    scenario: { ...manual, warnings: { 'never connected': 'off' } },
    async wrong(game) {
      for (let i = 0; i < 4; i++) await game.seat()
      await game.pass(121_000)
    },
    warning: {
      sentence: '127.0.0.1 took 4 seats and used none: each expired.',
      address: '127.0.0.1',
      players: expect.objectContaining({ length: 4 }),
      count: 4,
      requests: expect.objectContaining({ length: 4 }),
    },
    close: {
      'two seats': async game => {
        for (let i = 0; i < 2; i++) await game.seat()
        await game.pass(121_000)
      },
      'some are used': async game => {
        for (let i = 0; i < 6; i++) {
          const seat = await game.seat()
          if (i % 3 === 2) await game.connect(seat)
          await game.pass(121_000)
        }
      },
    },
  },
  {
    rule: 'never ready',
    scenario: manual,
    async wrong(game) {
      void game.send('POST', '/matchmaker/lobbies/find', { body: { game_modes: ['reef'] } })
      await game.pass(11_000)
    },
    warning: {
      sentence: 'The game server of reef in Frankfurt did not call POST /matchmaker/lobbies/ready within 10s.',
      lobby_id: expect.any(String),
      game_mode_id: 'reef',
    },
    close: {
      'ready after 9 s': async game => {
        void game.send('POST', '/matchmaker/lobbies/find', { body: { game_modes: ['reef'] } })
        await game.pass(9_000)
        await game.connect(await game.seat())
        for (const { player_token, lobby_id } of game.mock.world.players.all())
          await game.connect({ token: player_token, lobby: lobby_id })
        await game.pass(60_000)
      },
      'a test moves the clock': async game => {
        void game.send('POST', '/matchmaker/lobbies/find', { body: { game_modes: ['reef'] } })
        await game.mock.clock.advance('1m')
      },
    },
  },
  {
    rule: 'seats without ports',
    wrong: async game => expect((await game.seat('wreck')).ports).toEqual({}),
    warning: {
      sentence: 'Seats in wreck have no port: the answers say ports: {}, so no client can reach the game.',
      game_mode_id: 'wreck',
      requests: [expect.any(Number)],
    },
    close: { 'a game mode with the default port': game => game.seat() },
  },
  {
    rule: 'no such call',
    wrong: game => game.send('GET', '/v1/lobbies/find', { basePath: '/w/one' }),
    warning: {
      sentence: 'The service has no call GET /v1/lobbies/find.',
      advice: 'Did you mean POST /w/one/matchmaker/lobbies/find?',
      requests: [1],
    },
    close: {
      'another method': game => game.send('GET', '/matchmaker/lobbies/find'),
      'an unknown lobby': game => refused(game),
      'a browser on its own': game => game.send('GET', '/favicon.ico'),
    },
  },
  {
    rule: 'canned answers',
    async wrong(game) {
      const token = tokens.development
      const { lobby } = await game.seat('reef', { token })
      await game.send('POST', '/matchmaker/lobbies/join', { token, body: { lobby_id: lobby } })
    },
    warning: {
      sentence: 'A client got a canned seat with a development token, and lobbies.join used it as a real one.',
      operation: 'lobbies.join',
      requests: [expect.any(Number), expect.any(Number)],
    },
    close: {
      'a development server': async game => {
        const token = tokens.development
        const seat = await game.seat('reef', { token })
        await game.send('POST', '/matchmaker/players/connected', { token, body: { player_token: seat.token } })
      },
      'a real seat': async game => {
        const { lobby } = await game.seat('reef', { token: tokens.public })
        await game.send('POST', '/matchmaker/lobbies/join', { body: { lobby_id: lobby } })
      },
    },
  },
  {
    rule: 'canned answers',
    async wrong(game) {
      const { token } = await game.seat('reef', { token: tokens.development })
      const { lobby } = await game.seat()
      await game.connect({ token, lobby })
    },
    warning: { operation: 'players.connected', requests: [expect.any(Number), expect.any(Number)] },
    close: {},
  },
  {
    rule: 'crowd from one address',
    scenario: { ...reef, matchmaker: { max_players_per_client: 2 } },
    wrong: async game => {
      for (let i = 0; i < 3; i++)
        await game.send('POST', '/matchmaker/lobbies/find', { body: { game_modes: ['reef'] } })
    },
    warning: {
      sentence: '127.0.0.1 has all the players that one address may have, and one more was refused.',
      address: '127.0.0.1',
      requests: [expect.any(Number)],
    },
    close: {
      'as many as allowed': async game => {
        for (let i = 0; i < 2; i++) await game.seat()
      },
      'three addresses': async game => {
        for (let i = 0; i < 3; i++) await game.seat('reef', { address: `192.0.2.${i}` })
      },
    },
  },
]

describe('a rule', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    fakeRealTimers()
  })
  afterEach(() => void vi.useRealTimers())

  for (const { rule, scenario = reef, wrong, warning, close } of cases) {
    it(`warns of "${rule}": ${JSON.stringify(Object.keys(warning))}`, async () => {
      const game = play(scenario)
      await wrong(game)
      expect(game.mock.warnings.list()).toEqual([expect.objectContaining({ rule, ...warning })])
    })

    for (const [what, run] of Object.entries(close))
      it(`does not warn of "${rule}": ${what}`, async () => {
        const game = play(scenario)
        await run(game)
        expect(game.mock.warnings.list()).toEqual([])
      })
  }

  it('warns of nothing on a busy Friday night with ten bots that behave', async () => {
    const game = play(scenarios['friday-night'])
    await game.every(1_000, 62, async second => {
      for (let bot = 0; bot < 10; bot++) {
        const client = { port: 50_000 + bot, headers: {} }
        await game.send('GET', '/matchmaker/lobbies/list', client)
        if (second % 30 !== bot) continue
        const { json } = await game.send('POST', '/matchmaker/lobbies/find', {
          ...client,
          body: { game_modes: ['duel'] },
        })
        await game.send('POST', '/matchmaker/lobbies/join', { ...client, body: { lobby_id: json.lobby?.lobby_id } })
      }
    })
    expect(game.mock.warnings.list()).toEqual([])
  })

  it('counts each request of a hot loop once, also beyond 100 warnings', async () => {
    const game = play(reef)
    for (let i = 0; i < 100; i++) await game.send('GET', `/paths/${i}`)

    await game.every(40, 150, () => game.list())

    expect(game.mock.warnings.dropped()).toBe(149)
  })

  it('counts the refusals of a client that was patient for long', async () => {
    const game = play(reef)
    await game.every(10_000, 30, () => refused(game))

    await game.every(1_000, 5, () => refused(game))

    const [warning] = game.mock.warnings.list()
    expect(warning).toMatchObject({ rule: 'no pause after failure', count: 35 })
    expect(warning?.requests).toHaveLength(20)
  })

  it('has a case here for each rule about requests and seats', () => {
    // test/server/processes/server-warnings.test.ts has them.
    const ofServers = ['dead port', 'wrong port', 'server ended dirty', 'buffered output']
    expect(new Set([...cases.map(({ rule }) => rule), ...ofServers])).toEqual(new Set(Object.keys(rules)))
  })
})

describe('a rule that waits', () => {
  it('warns of the first request of a mock, too', async () => {
    // Real time passes between the change of the request and the start of the rules.
    const { mock, send } = play({ ...manual, clock: { rate: 100 } })

    void send('POST', '/matchmaker/lobbies/find', { body: { game_modes: ['reef'] } })

    const neverReady = [expect.objectContaining({ rule: 'never ready' })]
    await vi.waitFor(() => expect(mock.warnings.list()).toEqual(neverReady), 5_000)
  })
})
