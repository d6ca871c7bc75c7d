import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, inject, vi } from 'vitest'
import { runAtOnce } from '../../../src/core/lib/steps.js'
import { mockOf } from '../../../src/core/mock/facade.js'
import { WorldStorage } from '../../../src/core/storage/world-storage.js'
import { playerName } from '../../../src/core/store/player-names.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import {
  createMockmaker,
  type GameServerState,
  type Mockmaker,
  type RecordedChangeSet,
  type StoryJson,
  UsageError,
} from '../../../src/index.js'
import { step } from '../../../src/testing/arbitraries/step.js'
import { ask, json, post } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { bearer, ids, tanks, tokens } from '../../support/tanks.js'
import { closedAfterTest } from '../../support/worlds.js'
import { memoryStorage } from '../storage/memory-storage.js'

const find = post('/matchmaker/lobbies/find', { game_modes: ['duel'] }, tokens.public)
const manual = { ...tanks, servers: 'manual' } as const

/** Takes a seat. Returns the token of the player, and the id of its lobby. */
async function seat(mock: Pick<Mockmaker, 'answer'>, request: ReturnType<typeof post> = find) {
  const answer = await ask(mock, request)
  const { player, lobby } = json(answer) as { player: { token: string }; lobby: { lobby_id: string } }
  return { token: player.token, lobby: lobby.lobby_id }
}

/** Calls as the server of a lobby. */
const serverCall = (path: string, lobby: string, player_token: string) =>
  post(`/matchmaker/players/${path}`, { player_token }, lobbyTokenOf(lobby))

function storyOf(mock: Mockmaker, player: string): StoryJson {
  const story = mock.stories.get(player)
  if (!story) throw new Error(`no story of ${player}`)
  return story
}

const kindsOf = ({ steps }: StoryJson) => steps.map(({ kind }) => kind)

describe('the story of a player', () => {
  it('counts seats up to the limit of find, and further for players who join', async () => {
    const max_players = { normal: 2, direct: 3, party: 4 }
    const game_modes = [{ game_mode_id: 'duel', max_players }]
    const mock = closedAfterTest(createMockmaker({ scenario: { clock: 'frozen', game_modes } }))
    const first = await seat(mock, post('/matchmaker/lobbies/find', { game_modes: ['duel'] }))
    const join = post('/matchmaker/lobbies/join', { lobby_id: first.lobby })
    const seats = [first, await seat(mock, join), await seat(mock, join)]

    const textOf = ({ token }: { token: string }) =>
      storyOf(mock, token).steps.find(one => one.kind === 'reserved')?.text
    expect(seats.map(textOf)).toEqual([
      expect.stringContaining('Seat 1 of 2.'),
      expect.stringContaining('Seat 2 of 2.'),
      expect.stringContaining('Seat 3 of 4.'),
    ])
    expect(storyOf(mock, first.token).lobby).toMatchObject({ seats: 3, max_players: 4 })
  })

  it('goes from the find to the end, with reasons, requests and lobby, in-process and over HTTP', async ({ serve }) => {
    const { mock, client } = await serve()
    const { token, lobby } = await seat(mock)
    await mock.clock.advance('1600ms')
    await ask(mock, serverCall('connected', lobby, token))
    await mock.clock.advance('18400ms')
    await ask(mock, serverCall('disconnected', lobby, token))

    const story = storyOf(mock, token)

    expect(story.sentence).toBe('Played 18.4 s of duel in Frankfurt, and left because its server said so.')
    expect(story).toMatchObject({ outcome: 'left', token, name: playerName(token), is_simulated: false })
    expect(kindsOf(story)).toEqual(['found', 'reserved', 'connected', 'left'])
    expect(story.steps.map(({ after_ms }) => after_ms)).toEqual([undefined, 0, 1_600, 18_400])
    expect(story.steps[0]?.reasons).toEqual(mock.explain({ exchange: story.requests[0]?.id ?? 0 }))
    expect(story.steps[0]?.reasons?.candidates?.map(({ because }) => because)).toEqual([
      undefined,
      'closed (is_closed)',
      'private (publicity)',
    ])
    expect(story.requests.map(({ operation }) => operation)).toEqual([
      'lobbies.find',
      'players.connected',
      'players.disconnected',
    ])
    expect(story.requests.map(({ id }) => id)).toEqual(mock.journal.find().map(({ id }) => id))
    expect(story.lobby).toMatchObject({ lobby_id: ids.lobby, region: 'Frankfurt', status: 'ready', run_by: 'server' })
    expect(story.notes).toEqual([])
    expect(await client.stories.get(token)).toEqual(story)
    expect(await client.stories.list()).toEqual(mock.stories.list())
  })

  it('has for each step the world right after it', async ({ serve }) => {
    const { mock, client, steer } = await serve()
    const { token } = await seat(mock)
    await mock.clock.advance('1h')

    const statuses = []
    for (const { revision } of storyOf(mock, token).steps) {
      const { rows } = json(await steer('GET', `/__mock/rows?revision=${revision}&tables=players`)) as {
        rows: { id: string; row: { status: string } }[]
      }
      statuses.push(rows.find(({ id }) => id === token)?.row.status)
    }

    expect(statuses).toEqual(['reserved', 'reserved', 'connected', 'removed'])
    expect((await client.stories.get(token))?.steps.map(({ kind }) => kind)).toEqual([
      'found',
      'reserved',
      'connected',
      'session_ended',
    ])
  })

  it('names the server that the mock has started', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const { token, lobby } = await seat(mock)
    const server: GameServerState = {
      lobby_id: lobby,
      game_mode_id: 'duel',
      region_id: 'lnd-fra',
      command: 'x',
      ports: {},
      started_at: '2026-06-01T12:00:00.000Z',
      status: 'ready',
      restarts: 0,
      lines: 0,
      last_lines: [],
    }
    const get = () => undefined
    mockOf(mock, 'test').default.servers.runBy({ list: () => [server], logs: () => [], get, restart: get, kill: get })

    expect(storyOf(mock, token).server).toEqual(server)
  })

  it.for<
    readonly [outcome: string, sentence: string, scenario: typeof tanks, act: (mock: Mockmaker) => Promise<string>]
  >([
    [
      'on_the_way',
      'Has a seat in duel in Frankfurt, and has not connected yet.',
      tanks,
      async mock => (await seat(mock)).token,
    ],
    [
      'playing',
      'Plays duel in Frankfurt, for 10 s so far.',
      tanks,
      async mock => {
        const { token } = await seat(mock)
        await mock.clock.advance('12s')
        return token
      },
    ],
    [
      'never_connected',
      'Lost the seat in duel in Frankfurt after 2 min: its server called players.connected 3 s too late.',
      tanks,
      async mock => {
        const { token, lobby } = await seat(mock)
        await ask(mock, post('/matchmaker/lobbies/ready', {}, lobbyTokenOf(lobby)))
        await mock.clock.advance('123s')
        await ask(mock, serverCall('connected', lobby, token))
        return token
      },
    ],
    [
      'left',
      'Gave the seat in duel in Frankfurt back without connecting, because its server said so.',
      tanks,
      async mock => {
        const { token, lobby } = await seat(mock)
        await ask(mock, serverCall('disconnected', lobby, token))
        return token
      },
    ],
    [
      'connection_lost',
      'Played 8 h of duel in Frankfurt, until it lost the connection at the age limit.',
      tanks,
      async mock => {
        const { token, lobby } = await seat(mock)
        await mock.clock.advance('30s')
        await ask(mock, serverCall('connected', lobby, token))
        await mock.clock.advance('30s')
        await ask(mock, serverCall('connected', lobby, token))
        await mock.clock.advance('8h')
        return token
      },
    ],
    [
      'lobby_stopped',
      'Played 8 s of duel in Frankfurt, until the lobby stopped.',
      tanks,
      async mock => {
        const { token, lobby } = await seat(mock)
        await mock.clock.advance('10s')
        await mock.world.lobbies.delete(q => q.where({ lobby_id: lobby }))
        return token
      },
    ],
    [
      'lobby_stopped',
      'Never connected: the game server of duel in Frankfurt did not call POST /matchmaker/lobbies/ready in time.',
      manual as typeof tanks,
      async mock => {
        await mock.world.lobbies.deleteMany(q => q.where({ game_mode_id: 'duel' }))
        const answer = ask(mock, find)
        await mock.blocked(1, 'lobbies.find')
        await mock.clock.advance('6m')
        await answer
        return String(mock.stories.list().stories[0]?.id)
      },
    ],
    [
      'gave_up',
      'Gave up after 4 s: the client closed the connection before duel in Frankfurt was ready.',
      manual as typeof tanks,
      async mock => {
        await mock.world.lobbies.deleteMany(q => q.where({ game_mode_id: 'duel' }))
        const client = new AbortController()
        const answer = ask(mock, find, client.signal)
        await mock.blocked(1, 'lobbies.find')
        await mock.clock.advance('4s')
        client.abort()
        await answer
        return String(mock.stories.list().stories[0]?.id)
      },
    ],
    [
      'wrong_lobby',
      'Lost its seat, because the server of another lobby reported the player.',
      tanks,
      async mock => {
        const { token } = await seat(mock)
        await ask(mock, serverCall('disconnected', 'empty', token))
        return token
      },
    ],
    [
      'removed',
      'Never connected: your code removed the player first.',
      tanks,
      async mock => {
        const { token } = await seat(mock)
        await mock.world.players.delete(q => q.where({ player_token: token }))
        return token
      },
    ],
    [
      'refused',
      'Refused: this world knows no such token. A reset makes all earlier tokens unknown.',
      tanks,
      async mock => {
        const { token } = await seat(mock)
        await mock.reset()
        await ask(mock, serverCall('connected', ids.lobby, token))
        return token
      },
    ],
    [
      'canned',
      'Got a canned seat: it is in no lobby of this world.',
      tanks,
      async mock => (await seat(mock, { ...find, headers: bearer(tokens.development) })).token,
    ],
    [
      'playing',
      'Plays solo in Frankfurt, for at least 1 min so far.',
      tanks,
      async mock => {
        await mock.clock.advance('1m')
        return tokens.connected
      },
    ],
    [
      'never_connected',
      'Had no seat in solo in Frankfurt any more when the story began.',
      tanks,
      async () => tokens.late,
    ],
  ])('%s: %s', async ([outcome, sentence, scenario, act]) => {
    const mock = createMockmaker({ scenario })

    const player = await act(mock)

    expect(storyOf(mock, player)).toMatchObject({ outcome, sentence })
  })

  it('tells of a find that waited for its server', async () => {
    const mock = createMockmaker({ scenario: manual })
    await mock.world.lobbies.deleteMany(q => q.where({ game_mode_id: 'duel' }))
    const answer = ask(mock, find)
    await mock.blocked(1, 'lobbies.find')
    await mock.clock.advance('812ms')
    const [lobby] = mock.world.lobbies.findMany(q => q.where({ status: 'starting' }))
    const token = lobbyTokenOf(lobby?.lobby_id ?? '')
    await ask(mock, post('/matchmaker/lobbies/ready', {}, token))
    await answer

    const story = storyOf(mock, String(mock.stories.list().stories[0]?.id))

    expect(kindsOf(story)).toEqual(['found', 'reserved', 'lobby_ready', 'answered'])
    expect(story.steps[0]?.text).toMatch(/ The answer came after 812 ms\.$/)
    expect(story.requests.map(({ operation }) => operation)).toEqual(['lobbies.find', 'lobbies.ready'])
  })

  it('has no step for the answer to a find that did not wait, although time passes', async () => {
    let time = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => (time += 5))
    const mock = closedAfterTest(createMockmaker({ scenario: { ...tanks, clock: 'running' } }))
    const { token } = await seat(mock)

    const story = storyOf(mock, token)

    expect(kindsOf(story)).toEqual(['found', 'reserved'])
    expect(Date.parse(story.requests[0]?.time ?? '')).toBeGreaterThan(Date.parse(story.steps[1]?.at ?? ''))
  })

  it.for([
    ['waits for its server', false],
    ['a fault holds first', true],
  ] as const)('tells what happened in its order, also of a find that %s while time passes', async ([, isHeld]) => {
    let time = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => (time += 5))
    const mock = closedAfterTest(createMockmaker({ scenario: { ...manual, clock: 'running' } }))
    await mock.world.lobbies.deleteMany(q => q.where({ game_mode_id: 'duel' }))
    const fault = isHeld ? mock.hold('lobbies.find') : undefined
    const answer = ask(mock, find)
    await mock.blocked(1, 'lobbies.find')
    fault?.release()
    const [lobby] = mock.world.lobbies.findMany(q => q.where({ status: 'starting' }))
    await ask(mock, post('/matchmaker/lobbies/ready', {}, lobbyTokenOf(lobby?.lobby_id ?? '')))
    await answer

    const { steps } = storyOf(mock, String(mock.stories.list().stories[0]?.id))

    const times = steps.map(({ at }) => at)
    expect(steps.map(({ kind }) => kind)).toEqual(['found', 'reserved', 'lobby_ready', 'answered'])
    expect(times).toEqual(times.toSorted())
  })

  it('has a call that a fault failed, and one that was refused', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const { token, lobby } = await seat(mock)
    const fault = mock.fail('players.connected', 503)
    await ask(mock, serverCall('connected', lobby, token))
    fault.remove()
    await ask(mock, serverCall('connected', lobby, token))
    await ask(mock, serverCall('connected', lobby, token))

    const { steps } = storyOf(mock, token)

    expect(steps.slice(2).map(({ kind, status, code }) => [kind, status, code])).toEqual([
      ['refused', 503, 'ERROR'],
      // The first accepted call of a real server takes the lobby over.
      ['connected', undefined, undefined],
      ['refused', 400, 'MATCHMAKER_PLAYER_ALREADY_CONNECTED'],
    ])
  })

  it('has the token of an answer that an override gives', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const given = json(await ask(createMockmaker({ scenario: tanks }), find)) as { player: { token: string } }
    mock.on('lobbies.find', () => given as never)
    await ask(mock, find)
    await ask(mock, serverCall('connected', ids.lobby, given.player.token))

    const { steps } = storyOf(mock, String(mock.stories.list().stories[0]?.id))

    expect(steps.map(({ kind, operation }) => [kind, operation])).toEqual([
      ['canned', 'lobbies.find'],
      ['refused', 'players.connected'],
    ])
  })

  it('names the lobby of a player from the beginning, also if one change set deletes both', async () => {
    const mock = createMockmaker({ scenario: tanks })
    await mock.clock.advance('5s')
    await mock.world.lobbies.delete(q => q.where({ lobby_id: 'arena' }))

    const story = storyOf(mock, tokens.connected)

    expect(story.sentence).toBe('Played at least 5 s of solo in Frankfurt, until the lobby stopped.')
    expect(story.steps.map(({ kind, lobby_id }) => [kind, lobby_id])).toEqual([
      ['present', 'arena'],
      ['lobby_stopped', 'arena'],
    ])
  })

  it('is in the lobby of its row, whatever other servers call, and says where it began', async () => {
    const first = createMockmaker({ scenario: tanks })
    const { token, lobby } = await seat(first)
    await first.clock.advance('5s')
    const mock = (await first.worlds.put('fork', { fork: 'default' })) as Mockmaker
    const move = (lobby_id: string) => mock.world.players.update(token, { lobby_id })
    await move('closed')
    const moved = storyOf(mock, token)
    await move(lobby)
    mock.fail('players.connected', 503)
    await ask(mock, serverCall('connected', 'private', token))

    const story = storyOf(mock, token)

    expect([moved.lobby_id, story.lobby_id, story.lobby?.lobby_id]).toEqual(['closed', lobby, lobby])
    expect(story.sentence).toBe('Plays duel in Frankfurt, for at least 0 ms so far.')
    expect(story.steps.at(-1)).toMatchObject({ kind: 'refused', lobby_id: 'private' })
    expect(moved.notes).toEqual([expect.stringContaining('The player was in duel in Frankfurt then.')])
  })

  it('names a lobby anew that has the id of one that was deleted', async () => {
    const mock = createMockmaker({ scenario: tanks })
    for (const region_id of ['lnd-fra', 'lnd-syd']) {
      await mock.lobby({ lobby_id: 'again', game_mode_id: 'ffa', region_id })
      await mock.player({ token: `player.${region_id}`, lobby_id: 'again', status: 'removed' })
      await mock.world.lobbies.delete('again')
    }

    const regions = mock.stories.list({ lobby: 'again' }).stories.map(({ region_id }) => region_id)

    expect(regions).toEqual(['lnd-syd', 'lnd-fra'])
  })

  it('has no refusal for a client that left before the answer', async () => {
    const mock = createMockmaker({ scenario: manual })
    await mock.world.lobbies.deleteMany(q => q.where({ game_mode_id: 'duel' }))
    const client = new AbortController()
    const answer = ask(mock, find, client.signal)
    await mock.blocked(1, 'lobbies.find')
    client.abort()
    await answer

    const story = storyOf(mock, String(mock.stories.list().stories[0]?.id))

    expect(kindsOf(story)).toEqual(['found', 'reserved', 'gave_up'])
  })

  it('begins with no text that is too long for a token', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const texts = ['', 'x'.repeat(512), 'x'.repeat(513)]

    for (const text of texts) await ask(mock, serverCall('connected', ids.lobby, text))

    expect(mock.stories.list({ outcome: 'refused' }).total).toBe(1)
  })

  it('keeps 24 facts: those about calls go first, and it says since when it is whole', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const { token, lobby } = await seat(mock)
    await ask(mock, serverCall('connected', lobby, token))
    for (let i = 0; i < 40; i += 1) {
      await mock.clock.advance('1s')
      await ask(mock, serverCall('connected', lobby, token))
    }

    const story = storyOf(mock, token)

    expect(kindsOf(story)).toEqual(['found', 'reserved', 'connected', ...Array(22).fill('refused')])
    expect(story.whole_since).toBe(story.steps.at(2)?.at.replace(':00.000', ':18.000'))
    expect(story.notes).toEqual([expect.stringContaining('18 earlier facts are no longer kept')])
    expect(story.sentence).toBe('Plays duel in Frankfurt, for 40 s so far.')
  })

  it('does without the requests that the journal no longer has', async () => {
    const mock = createMockmaker({ scenario: tanks, journalSize: 1 })
    const { token } = await seat(mock)
    await seat(mock, post('/matchmaker/lobbies/create', { game_mode: 'ffa' }, tokens.public))

    const story = storyOf(mock, token)

    expect(story.steps[0]).toMatchObject({ kind: 'found', operation: 'lobbies.find' })
    expect(story.steps[0]).not.toHaveProperty('request')
    expect(story.requests).toEqual([])
    expect(story.notes).toEqual([expect.stringContaining('The journal does not have all of its requests')])
  })
})

describe('all stories', { tags: ['slow'] }, () => {
  property.prop([fc.nat(), fc.constantFrom('tanks', 'manual')], { numRuns: Math.ceil(inject('runs') / 5) })(
    'agree with the journal and the history, whatever happens',
    async (seed, name) => {
      const mock = closedAfterTest(createMockmaker({ scenario: name === 'tanks' ? tanks : manual, history: 100_000 }))
      await mock.simulate({ concurrent: 3, session: '1m' })
      for (const one of fc.sample(step(mock), { seed, numRuns: 30 })) await one.run()

      const expected = factsOf(mock)
      for (const [token, facts] of expected) {
        const story = storyOf(mock, token)
        expect([token, toldBy(story)]).toEqual([token, facts])
        const row = mock.world.players.get(token)
        const seats: Record<string, string> = { reserved: 'on_the_way', connected: 'playing' }
        const open = Object.values(seats)
        if (row && row.status in seats) expect(story.outcome).toBe(seats[row.status])
        else expect(open).not.toContain(story.outcome)
      }
      const listed = new Set(listedBy(mock))
      expect([...expected.keys()].filter(token => !listed.has(token))).toEqual([])
    },
  )
})

describe('stories', () => {
  it('begin anew with a reset, a load and a restore, and in a fork', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const { token } = await seat(mock)
    await mock.clock.advance('5s')
    const snapshot = mock.snapshot()
    const fork = await mock.worlds.put('fork', { fork: 'default' })
    const tokensOf = (world: Pick<Mockmaker, 'stories'>) => world.stories.list().stories.map(one => one.token)

    expect(storyOf(fork as Mockmaker, token)).toMatchObject({ steps: [{ kind: 'present' }], outcome: 'playing' })
    await mock.reset()
    expect(tokensOf(mock)).toEqual([tokens.gone, tokens.late, tokens.connected])
    await mock.restore(snapshot)
    expect(kindsOf(storyOf(mock, token))).toEqual(['present'])
    expect(storyOf(mock, token).notes).toEqual([
      'The story begins with the world, or with its newest reset. The player was in duel in Frankfurt then.',
    ])
    await mock.load({ game_modes: ['duel'] })
    expect(tokensOf(mock)).toEqual([])
  })

  it('come from the kept change sets after a restart, without their requests', async () => {
    const storage = memoryStorage()
    const start = () => {
      const mock = createMockmaker({ scenario: tanks })
      const worlds = new WorldStorage(storage, { leastLogBytes: 0 })
      mockOf(mock, 'test').keepIn({ storage: worlds, dataTtlMs: Number.POSITIVE_INFINITY })
      return mock
    }
    const first = start()
    const { token, lobby } = await seat(first)
    await ask(first, serverCall('connected', lobby, token))
    const before = storyOf(first, token)
    await first.close()

    const mock = start()
    await ask(mock, serverCall('disconnected', lobby, token))
    const story = storyOf(mock, token)

    expect(kindsOf(story)).toEqual([...kindsOf(before), 'left'])
    expect(story.steps.map(({ at, revision }) => [at, revision]).slice(0, -1)).toEqual(
      before.steps.map(({ at, revision }) => [at, revision]),
    )
    expect(story.requests.map(({ operation }) => operation)).toEqual(['players.disconnected'])
    expect(story.notes).toEqual([
      'The mock was restarted. The requests before that are not kept, and neither are their reasons.',
    ])
    const capsule = JSON.parse(runAtOnce(mockOf(mock, 'test').default.capsule()))
    expect(storyOf(createMockmaker({ scenario: capsule }), token).notes).toEqual(story.notes)
    await mock.close()
  })

  it('are found by token, name, address, lobby, outcome and text, page by page', async ({ serve }) => {
    const { mock, client } = await serve()
    const { token, lobby } = await seat(mock)
    await mock.simulate({ concurrent: 20 })
    await mock.clock.advance('10m')
    const { stories: all, total, counts } = mock.stories.list({ limit: 500 })
    const address = '2001:db8::1'
    await mock.player({ token: 'player.of-anna', lobby_id: 'empty', address })
    const found = async (filter: object) => (await client.stories.list(filter)).stories.map(one => one.token)

    expect(total).toBe(all.length)
    expect(counts.players + counts.simulated).toBe(total)
    expect(await found({ token })).toEqual([token])
    expect(await found({ token: token.slice('player.mock.'.length, -8) })).toEqual([token])
    expect(await found({ name: playerName(token).toUpperCase(), simulated: false })).toEqual([token])
    expect(await found({ address })).toEqual(['player.of-anna'])
    expect(await found({ q: 'ANNA' })).toEqual(['player.of-anna'])
    expect(await found({ lobby, outcome: 'playing', simulated: false })).toEqual([token])
    expect(await found({ q: 'frankfurt', simulated: false, outcome: 'left' })).toEqual([tokens.gone])
    expect(await found({ simulated: true, limit: 500 })).toHaveLength(counts.simulated)
    const pages: string[] = []
    for (let before: number | undefined, more = true; more; ) {
      const page = await client.stories.list({ limit: 7, before })
      expect(page.total).toBe(total + 1)
      pages.push(...page.stories.map(one => one.token))
      before = page.next
      more = before !== undefined
    }
    expect(pages).toEqual(['player.of-anna', ...all.map(one => one.token)])
  })

  it('are told by the name, the id or the beginning of a token, if only one fits', async ({ serve }) => {
    const { mock, client, steer } = await serve()
    await mock.player({ token: 'player.mock.abcd1', lobby_id: 'empty' })
    await mock.player({ token: 'player.mock.abcd2', lobby_id: 'empty' })
    const id = mock.stories.list({ token: 'abcd2' }).stories[0]?.id ?? 0

    expect(mock.stories.get(id)?.token).toBe('player.mock.abcd2')
    expect(mock.stories.get('abcd1')?.token).toBe('player.mock.abcd1')
    expect((await client.stories.get(playerName('player.mock.abcd1')))?.token).toBe('player.mock.abcd1')
    expect(() => mock.stories.get('abcd')).toThrow(UsageError)
    await expect(client.stories.get('abcd')).rejects.toThrow('2 stories fit: name one by its id or its whole token')
    expect([mock.stories.get('nobody'), await client.stories.get('nobody')]).toEqual([undefined, undefined])
    const name = playerName('player.mock.abcd1')
    const missing = await steer('GET', `/__mock/stories/${name.slice(0, -1)}x`)
    expect([missing.status, (json(missing) as { message: string }).message]).toEqual([
      404,
      expect.stringContaining(`Did you mean ${name}?`),
    ])
  })

  it.for([{ limit: 0 }, { limit: 501 }, { outcome: 'lost' }, { q: '' }, { player: 'x' }])(
    'refuse the filter %j',
    async (filter, { serve }) => {
      const { mock, client } = await serve()

      expect(() => mock.stories.list(filter as never)).toThrow(UsageError)
      await expect(client.stories.list(filter as never)).rejects.toThrow(Object.keys(filter)[0])
    },
  )

  it('cut a token in the log and in the journal, also one that the world does not know', async ({ serve }) => {
    const { mock, steer } = await serve()
    const lines: unknown[] = []
    mock.log.subscribe(record => lines.push(record))
    const secret = 'player.mock.7q4m2kx0secret'
    await ask(mock, serverCall('connected', ids.lobby, secret))

    const texts = [
      await steer('GET', `/__mock/stories?token=${secret}`),
      await steer('GET', `/__mock/stories?q=${secret}`),
      await steer('GET', `/__mock/stories?limit=${secret}`),
      await steer('GET', `/__mock/stories/${secret}`),
      // The world answers and keeps this one, because no call has the path.
      await steer('GET', `/api/stories?token=${secret}&q=${secret}`),
    ]

    expect(texts.map(({ status }) => status)).toEqual([200, 200, 400, 200, 404])
    expect(JSON.stringify([lines, mock.journal.find()])).not.toContain('7q4m2kx0secret')
    expect(lines).toContainEqual(expect.objectContaining({ path: '/__mock/stories/player.…' }))
    expect(texts[0]?.body).toContain('"token":"player.…"')
  })

  it('are events: small, and only after a change', async ({ serve }) => {
    const { mock, client } = await serve()
    const stop = new AbortController()
    const events: unknown[] = []
    const stream = await client.changes({ with: ['stories'], signal: stop.signal })
    const read = async () => {
      for await (const { type, data } of stream) if (type === 'stories') events.push(data)
    }
    void read().catch(() => {})
    await expect.poll(() => events).toHaveLength(1)

    await ask(mock, { method: 'GET', path: '/matchmaker/lobbies/list', headers: bearer(tokens.public) })
    await mock.simulate({ concurrent: 5, session: '1m' })
    await mock.clock.advance('30s')
    for (let i = 0; i < 25; i += 1) await mock.world.players.create({ lobby_id: 'empty', status: 'removed' })
    const { token } = await seat(mock)

    await expect.poll(() => events.at(-1)).toHaveProperty('newest.0.token', token)
    const last = events.at(-1) as { newest: readonly { id: number; change: number }[]; counts: object; changes: number }
    stop.abort()
    expect(last.newest).toHaveLength(20)
    // Simulated players come and go all the time.
    const simulated = mock.stories.list({ simulated: true }).stories.map(one => one.id)
    expect(simulated.length).toBeGreaterThan(0)
    expect(last.newest.filter(({ id }) => simulated.includes(id))).toEqual([])
    expect(last.newest[0]?.change).toBe(last.changes)
    expect(last.counts).toEqual(mock.stories.list().counts)
    expect(events.length).toBeLessThan(5)
  })

  it('end with their world', async () => {
    const mock = createMockmaker({ scenario: tanks })
    const world = await mock.worlds.put('one')
    const { stories } = world
    await mock.worlds.delete('one')

    expect(() => stories.list()).toThrow('was deleted')
    expect(() => stories.get('x')).toThrow('was deleted')
  })
})

type Facts = readonly (readonly [revision: number, state: string, request: number | undefined])[]

/** The state of a player that each kind of step tells. `undefined`: it is about a call, or about the row alone. */
const stateOfKind: Record<string, string | undefined> = {
  reserved: 'reserved',
  handed_over: 'reserved',
  lobby_ready: 'reserved',
  connected: 'connected',
  added: 'none',
  forgotten: 'none',
  expired: 'none',
}

/** The tokens of all stories, page by page. */
function* listedBy(mock: Mockmaker): Generator<string> {
  for (let before: number | undefined, isMore = true; isMore; isMore = before !== undefined) {
    const { stories, next } = mock.stories.list({ limit: 500, before })
    yield* stories.map(({ token }) => token)
    before = next
  }
}

/** What a story tells about the row of its player, with the requests. */
function toldBy({ steps }: StoryJson): Facts {
  const told = steps.filter(({ kind }) => !['found', 'joined', 'created', 'present', 'answered'].includes(kind))
  return told.map(({ kind, revision, request }) => [
    kind === 'called' || kind === 'refused' ? 0 : revision,
    kind === 'called' || kind === 'refused' ? 'call' : (stateOfKind[kind] ?? 'none'),
    request,
  ])
}

/** All change sets with players, the oldest first. */
function changeSetsOf(mock: Mockmaker): readonly RecordedChangeSet[] {
  const all: RecordedChangeSet[] = []
  for (let since = mock.history().oldest; ; ) {
    const { change_sets } = mock.history({ since, limit: 1_000, table: 'players' })
    all.push(...change_sets)
    const last = change_sets.at(-1)
    if (!last || change_sets.length < 1_000) return all
    since = last.revision
  }
}

/** Finds the same facts in the change sets and in the requests of the journal: the oracle. */
function factsOf(mock: Mockmaker): Map<string, Facts> {
  const world = mockOf(mock, 'test').default
  const { journal } = world
  const entries = journal.find()
  const requestOf = new Map(entries.flatMap(({ id, revisions = [] }) => revisions.map(one => [one, id] as const)))
  const facts = new Map<string, { readonly order: number; readonly fact: Facts[number] }[]>()
  const add = (token: string, order: number, fact: Facts[number]) => {
    const known = facts.get(token) ?? []
    facts.set(token, known)
    known.push({ order, fact })
  }
  for (const { revision, changes } of changeSetsOf(mock)) {
    // Requests and change sets are counted together.
    const order = world.nextChangeId(revision - 1) ?? 0
    for (const change of changes) {
      if (change.table !== 'players') continue
      const { before, after, id } = change
      const state = (row: typeof before) =>
        row && ['reserved', 'connected'].includes(row.status) ? row.status : 'none'
      const isHandOver = before?.status === 'reserved' && after?.status === 'reserved'
      if (before && after && before.status === after.status && !isHandOver) continue
      add(id, order, [revision, state(after), requestOf.get(revision)])
    }
  }
  for (const { id, operation = '', status, revisions = [] } of entries) {
    if (!['lobbies.find', 'lobbies.join', 'lobbies.create'].includes(operation) || [200, 499].includes(status)) continue
    for (const [token, known] of facts)
      if (known.some(({ fact: [revision, state] }) => state === 'reserved' && revisions.includes(revision)))
        add(token, id, [0, 'call', id])
  }
  for (const entry of entries) {
    if (!entry.operation?.startsWith('players.') || entry.operation === 'players.getStatistics') continue
    const body = JSON.parse(journal.sentRequest(entry.id)?.body || 'null') as { player_token?: unknown } | null
    const token = body?.player_token
    if (typeof token !== 'string' || token === '' || !facts.has(token)) continue
    const own = (entry.revisions ?? []).some(one => facts.get(token)?.some(({ fact: [revision] }) => revision === one))
    if (!own) add(token, entry.id, [0, 'call', entry.id])
  }
  return new Map(
    [...facts].map(([token, all]) => [
      token,
      all.toSorted((one, other) => one.order - other.order).map(({ fact }) => fact),
    ]),
  )
}
