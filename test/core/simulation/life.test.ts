import { describe, expect, it } from 'vitest'
import type { Join } from '../../../src/core/contract/lobbies.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { flushPromises } from '../../support/worlds.js'

const token = 'pub.mock'

function opened(scenario: ScenarioInput = {}): Mockmaker {
  return createMockmaker({
    scenario: {
      now: '2026-11-20T20:00:00Z',
      clock: 'frozen',
      tokens: { public: token },
      game_modes: [{ game_mode_id: 'ffa', max_players: 40 }],
      lobbies: [{ lobby_id: 'listed' }],
      ...scenario,
    },
  })
}

async function ask(mock: Mockmaker, path: string, body: object, bearer = token) {
  const { status, body: bytes } = await mock.answer({
    method: 'POST',
    path: `/matchmaker/${path}`,
    headers: { authorization: `Bearer ${bearer}` },
    body: new TextEncoder().encode(JSON.stringify(body)),
  })
  return { status, said: JSON.parse(new TextDecoder().decode(bytes)) }
}

async function joined(mock: Mockmaker, lobby_id = 'listed'): Promise<string> {
  return ((await ask(mock, 'lobbies/join', { lobby_id })).said as Join).player.token
}

async function created(mock: Mockmaker): Promise<string> {
  return ((await ask(mock, 'lobbies/create', { game_mode: 'ffa' })).said as Join).lobby.lobby_id
}

/** Creates a lobby with a call that waits until it is ready. */
async function starting(mock: Mockmaker): Promise<string> {
  void created(mock).catch(() => {})
  await flushPromises()
  return mock.world.lobbies.all().find(({ status }) => status === 'starting')?.lobby_id ?? ''
}

const statusOf = (mock: Mockmaker, player: string) => mock.world.players.get(player)?.status

describe('a lobby with a simulated server', () => {
  it('is ready at once', async () => {
    const mock = opened()

    const id = await created(mock)

    expect(mock.world.lobbies.get(id)).toMatchObject({ status: 'ready', run_by: 'mock' })
  })

  it('connects a player after 2 s, and disconnects the player after 30 min', async () => {
    const mock = opened()
    const player = await joined(mock)
    const seen = () => [statusOf(mock, player), mock.world.lobbies.get('listed')?.total_player_count]

    await mock.world.clock.advance(1_999)
    const before = seen()
    await mock.world.clock.advance(1)
    const there = seen()
    await mock.world.clock.advance('30m')

    expect([before, there, seen()]).toEqual([
      ['reserved', 0],
      ['connected', 1],
      ['removed', 0],
    ])
  })

  it('is controlled by its server from its first call: only that connects and disconnects players', async () => {
    const mock = opened()
    const [connected, waiting] = [await joined(mock), await joined(mock)]
    await ask(mock, 'players/connected', { player_token: connected }, lobbyTokenOf('listed'))

    await mock.world.clock.advance(8 * 3_600_000 - 1)
    const before = [statusOf(mock, connected), statusOf(mock, waiting)]
    await mock.world.clock.advance(1)

    expect(before).toEqual(['connected', undefined])
    expect(statusOf(mock, connected)).toBe('removed')
  })

  it('keeps the players that the scenario lists', async () => {
    const mock = opened()
    await mock.world.players.create({ lobby_id: 'listed', player_token: 'player.mock.listed' })

    await mock.world.clock.advance('9h')

    expect(statusOf(mock, 'player.mock.listed')).toBe('connected')
  })

  // rivet v23.2.0-rc1, svc/pkg/mm/worker/tests/lobby_cleanup.rs: lobby_cleanup
  it('stops after 8 h, with its players, and is deleted after another hour', async () => {
    const mock = opened()
    const id = await created(mock)
    await mock.world.clock.advance(8 * 3_600_000 - 1)
    const player = await joined(mock, id)

    await mock.world.clock.advance(1)
    const stopped = mock.world.lobbies.get(id)
    const left = statusOf(mock, player)
    const refused = await ask(mock, 'lobbies/join', { lobby_id: id })
    await mock.world.clock.advance('1h')

    expect(stopped).toMatchObject({ status: 'stopped', total_player_count: 0, reserved_player_count: 0 })
    expect([left, refused.said.code]).toEqual(['removed', 'MATCHMAKER_LOBBY_STOPPED'])
    expect([mock.world.lobbies.get(id), mock.world.players.count()]).toEqual([undefined, 0])
    expect((await ask(mock, 'lobbies/join', { lobby_id: id })).said.code).toBe('MATCHMAKER_LOBBY_NOT_FOUND')
  })

  it('makes players that the mock connected wait for the server once it calls', async () => {
    const mock = opened()
    const [here, gone] = [await joined(mock), await joined(mock)]
    await mock.world.clock.advance('1m')
    const callAsServer = (call: string, player_token?: string) =>
      ask(mock, call, player_token === undefined ? {} : { player_token }, lobbyTokenOf('listed'))

    const ready = await callAsServer('lobbies/ready')
    const seats = mock.world.lobbies.get('listed')
    const connected = [await callAsServer('players/connected', here), await callAsServer('players/connected', here)]
    await mock.world.clock.advance('2m')

    expect([ready.status, connected.map(({ status }) => status)]).toEqual([200, [200, 400]])
    expect(seats).toMatchObject({ reserved_player_count: 2, total_player_count: 0 })
    expect([statusOf(mock, here), statusOf(mock, gone)]).toEqual(['connected', 'expired'])
  })

  it('does not stop by its age if the scenario lists it', async () => {
    const mock = opened()

    await mock.world.clock.advance('30d')

    expect(mock.world.lobbies.get('listed')).toMatchObject({ status: 'ready' })
  })
})

describe('a lobby with a real server', () => {
  it('is starting until its server calls ready', async () => {
    const mock = opened({ servers: 'manual' })
    const id = await starting(mock)
    const before = mock.world.lobbies.get(id)?.status

    await ask(mock, 'lobbies/ready', {}, lobbyTokenOf(id))
    await mock.world.clock.advance('10m')

    expect([before, mock.world.lobbies.get(id)?.status]).toEqual(['starting', 'ready'])
  })

  it('stops if its server does not call ready within 5 min', async () => {
    const mock = opened({ servers: 'manual' })
    const id = await starting(mock)

    await mock.world.clock.advance(300_000 - 1)
    const before = mock.world.lobbies.get(id)?.status
    await mock.world.clock.advance(1)

    expect([before, mock.world.lobbies.get(id)?.status]).toEqual(['starting', 'stopped'])
    expect((await ask(mock, 'lobbies/ready', {}, lobbyTokenOf(id))).said.code).toBe('MATCHMAKER_LOBBY_STOPPED')
  })

  it('frees the seat of a player who has not connected within 2 min', async () => {
    const mock = opened({ servers: 'manual' })
    const player = await joined(mock)
    const seats = () => mock.world.lobbies.get('listed')?.reserved_player_count

    await mock.world.clock.advance(120_000 - 1)
    const before = [statusOf(mock, player), seats()]
    await mock.world.clock.advance(1)

    expect([before, [statusOf(mock, player), seats()]]).toEqual([
      ['reserved', 1],
      ['expired', 0],
    ])
    expect((await ask(mock, 'players/connected', { player_token: player }, lobbyTokenOf('listed'))).said.code).toBe(
      'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED',
    )
  })
})

describe('a lobby of 40', () => {
  it.each(['find', 'join'] as const)('gives exactly 40 seats to 200 players who %s at once', async how => {
    const mock = opened()
    const body = how === 'join' ? { lobby_id: 'listed' } : { game_modes: ['ffa'], prevent_auto_create_lobby: true }

    const answers = await Promise.all(Array.from({ length: 200 }, () => ask(mock, `lobbies/${how}`, body)))

    const tokens = answers.flatMap(({ status, said }) => (status === 200 ? [said.player.token] : []))
    const refusals = new Set(answers.flatMap(({ status, said }) => (status === 200 ? [] : [said.code])))
    expect([tokens.length, new Set(tokens).size]).toEqual([40, 40])
    expect([...refusals]).toEqual([how === 'join' ? 'MATCHMAKER_LOBBY_FULL' : 'MATCHMAKER_NO_AVAILABLE_LOBBIES'])
    expect(mock.world.lobbies.get('listed')).toMatchObject({ reserved_player_count: 40, total_player_count: 0 })
  })
})

describe('simulated players', () => {
  it("leave an eighth of a namespace's lobbies free for others", async () => {
    const mock = opened({
      lobbies: [],
      matchmaker: { lobby_count_max: 16 },
      game_modes: [{ game_mode_id: 'ffa', max_players: 1 }],
      players: { concurrent: 40 },
    })
    const running = () => mock.world.lobbies.all().filter(({ status }) => status !== 'stopped').length
    const create = () => ask(mock, 'lobbies/create', { game_mode: 'ffa' })

    await mock.world.clock.advance('10m')
    const simulated = running()
    const statuses = [await create(), await create(), await create()].map(({ status }) => status)

    expect([simulated, statuses, running()]).toEqual([14, [200, 200, 400], 16])
  })
})
