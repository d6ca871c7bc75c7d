import { describe, expect, it, onTestFinished } from 'vitest'
import type { Join } from '../../../src/core/contract/lobbies.js'
import { runAtOnce } from '../../../src/core/lib/steps.js'
import { formatInstant } from '../../../src/core/lib/time.js'
import type { Mock } from '../../../src/core/mock/mock.js'
import { readScenario } from '../../../src/core/scenario/read.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import type { GameServerLog } from '../../../src/core/simulation/servers.js'
import { WorldStorage } from '../../../src/core/storage/world-storage.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { memoryStorage } from '../../core/storage/memory-storage.js'
import { ok, request, sendTo } from '../../support/http.js'
import { sharedModel, startReplica } from '../../support/served-replicas.js'
import { command, commanded, manage, mockWith, settled } from './fake-game-servers.js'

// Lobbies whose game servers ran elsewhere, in each way in which a world gets them.

const minute = 60_000
const now = Date.parse('2026-11-20T20:00:00Z')
const game_modes = [{ game_mode_id: 'duel', max_players: 8 }]
const scenario: ScenarioInput = { ...commanded, game_modes }
const otherPorts = { firstPort: 50_001 }
const bearer = (id: string) => ({ authorization: `Bearer ${lobbyTokenOf(id)}` })

type Managed = ReturnType<typeof manage>

/** A world that has got a lobby, and the processes of its mock. */
interface Place extends Pick<Managed, 'mock' | 'processes' | 'started'> {
  readonly world: string
  /** The number of processes that the mock had started before. */
  readonly before: number
  post(path: string, body: object, headers?: Record<string, string>): Promise<{ status: number; json: Answer }>
}

type Answer = Join & { readonly code?: string; readonly message?: string }

/** Creates a lobby, and lets its server get ready. Two clients have seats, one of them connected, and a simulated player plays. */
async function play({ post, started, mock, processes }: Pick<Place, 'post' | 'started' | 'mock' | 'processes'>) {
  const body = { game_mode: 'duel', publicity: 'public', lobby_config: { rounds: 3 } }
  const created = post('/matchmaker/lobbies/create', body)
  const { env } = await started(1)
  const id = env.RIVET_LOBBY_ID ?? ''
  await post('/matchmaker/lobbies/ready', {}, bearer(id))
  const { player } = (await created).json
  await post('/matchmaker/players/connected', { player_token: player.token }, bearer(id))
  const { json: second } = await post('/matchmaker/lobbies/join', { lobby_id: id })
  const { world } = (await mock.worlds.get('default')) as Mock['default']
  await world.lobbies.update(q => q.where({ lobby_id: id }), {
    data(lobby) {
      lobby.state = { map: 'Docks' }
    },
  })
  await world.players.create({ lobby_id: id, session_ms: minute, leaves_at: now + 10 * minute })
  return { id, plays: player.token, onTheWay: second.player.token, running: processes[0] }
}

const placeOf = (managed: Managed, world: string, before: number): Place => ({
  ...managed,
  world,
  before,
  post: (path, body, headers) => managed.post(world === 'default' ? path : `/w/${world}${path}`, body, headers),
})

/** Starts the mock in which the game is played. */
async function source() {
  const managed = manage(scenario)
  return { managed, game: await play(managed) }
}

const snapshotOf = ({ mock }: Managed) => runAtOnce(mock.default.snapshot())
const capsuleOf = ({ mock }: Managed) => JSON.parse(runAtOnce(mock.default.capsule())) as ScenarioInput

/** Loads a snapshot of the game into a new mock, or a capsule. */
async function elsewhere(load: (mock: Mock, snapshot: ScenarioInput) => unknown, take = snapshotOf) {
  const { managed, game } = await source()
  const there = manage(scenario, undefined, otherPorts)
  await load(there.mock, take(managed))
  return { game, place: placeOf(there, 'default', 0) }
}

const ways: Readonly<Record<string, () => Promise<{ game: Awaited<ReturnType<typeof play>>; place: Place }>>> = {
  async 'a fork'() {
    const { managed, game } = await source()
    await managed.mock.worlds.put('fork', { fork: 'default' })
    return { game, place: placeOf(managed, 'fork', 1) }
  },
  async 'a fork that was reset'() {
    const { managed, game } = await source()
    const fork = await managed.mock.worlds.put('fork', { fork: 'default' })
    await fork.reset()
    return { game, place: placeOf(managed, 'fork', 1) }
  },
  async 'a fork that replaces a world'() {
    const { managed, game } = await source()
    await managed.mock.worlds.put('fork')
    await managed.mock.worlds.put('fork', { fork: 'default' })
    return { game, place: placeOf(managed, 'fork', 1) }
  },
  async 'a fork from the past'() {
    const { managed, game } = await source()
    const { revision } = managed.mock.default.world
    await managed.mock.default.world.lobbies.delete(q => q.where({ lobby_id: game.id }))
    await managed.mock.worlds.put('fork', { fork: 'default', revision })
    return { game, place: placeOf(managed, 'fork', 1) }
  },
  'a snapshot that is loaded': () => elsewhere((mock, snapshot) => mock.default.load(snapshot)),
  'a snapshot that is restored': () => elsewhere((mock, snapshot) => mock.default.restore(snapshot)),
  'a snapshot that is reset after its load': () =>
    elsewhere(async (mock, snapshot) => {
      await mock.default.load(snapshot)
      await mock.default.reset()
    }),
  'a snapshot that the scenario becomes': () =>
    elsewhere((mock, snapshot) => mock.reload({ ...snapshot, servers: { command } })),
  async 'a snapshot that is restored after the server has ended'() {
    const { managed, game } = await source()
    const snapshot = runAtOnce(managed.mock.default.snapshot())
    managed.processes[0]?.exit({ code: 0 })
    await settled()
    await managed.mock.default.restore(snapshot)
    return { game, place: placeOf(managed, 'default', 1) }
  },
  async 'a snapshot as a scenario'() {
    const { managed, game } = await source()
    const snapshot = runAtOnce(managed.mock.default.snapshot())
    const there = manage({ ...snapshot, servers: { command } }, undefined, otherPorts)
    return { game, place: placeOf(there, 'default', 0) }
  },
  'a capsule that is loaded': () => elsewhere((mock, capsule) => mock.default.load(capsule), capsuleOf),
  'a capsule that is reset after its load': () =>
    elsewhere(async (mock, capsule) => {
      await mock.default.load(capsule)
      await mock.default.reset()
    }, capsuleOf),
  async 'a capsule that is served with a command'() {
    const { managed, game } = await source()
    const { servers } = readScenario(scenario, { commands: 'allowed' }).content
    const there = manage(readScenario(capsuleOf(managed)).with({ servers }), undefined, otherPorts)
    return { game, place: placeOf(there, 'default', 0) }
  },
  async 'a kept world that starts'() {
    const storage = memoryStorage()
    const start = () => {
      const mock = mockWith(scenario)
      mock.keepIn({ storage: new WorldStorage(storage), dataTtlMs: Number.POSITIVE_INFINITY })
      return mock
    }
    const first = manage(scenario, undefined, { mock: start() })
    const game = await play(first)
    await first.close()
    return { game, place: placeOf(manage(scenario, undefined, { mock: start(), ...otherPorts }), 'default', 0) }
  },
  async "a replica's takeover"() {
    const model = sharedModel()
    const start = async (options: { firstPort?: number } = {}) => {
      const replica = await startReplica(model, { scenario })
      onTestFinished(() => replica.close())
      const managed = manage(scenario, undefined, { mock: replica.mock, ...options })
      ok(await sendTo(replica.url, request('GET', '/matchmaker/lobbies/list')))
      return { replica, place: placeOf(managed, 'default', 0) }
    }
    const first = await start()
    const game = await play(first.place)
    await first.replica.close()
    const { place } = await start(otherPorts)
    return { game, place }
  },
}

const worldOf = ({ mock, world }: Place) => mock.worlds.get(world)?.world as Mock['default']['world']

describe.each(Object.entries(ways))('a lobby of %s', (_, go) => {
  it('keeps its state and its seats, and the first player starts a game server for it', async () => {
    const { game, place } = await go()
    const { id, plays, onTheWay } = game
    const { tables } = worldOf(place)
    const arrived = tables.lobbies.get(id)

    const finds = [1, 2].map(() => place.post('/matchmaker/lobbies/find', { game_modes: ['duel'] }))
    const { env } = await place.started(place.before + 1)
    const waiting = [plays, onTheWay].map(token => tables.players.get(token))
    await place.post('/matchmaker/lobbies/ready', {}, bearer(id))
    const seats = await Promise.all(finds)

    expect(arrived).toMatchObject({ status: 'ready', run_by: 'none', total_player_count: 2, reserved_player_count: 1 })
    expect(arrived).not.toHaveProperty('ports')
    expect(place.processes).toHaveLength(place.before + 1)
    expect(env).toMatchObject({ RIVET_LOBBY_ID: id, RIVET_LOBBY_CONFIG: '{"rounds":3}' })
    expect(env.MOCKMAKER_URL).toBe(`http://127.0.0.1:4100${place.world === 'default' ? '' : `/w/${place.world}`}`)
    for (const player of waiting) {
      expect(player?.status).toBe('reserved')
      expect(player).not.toHaveProperty('expires_at')
    }
    expect(seats.map(({ json }) => [json.lobby.lobby_id, `${json.ports.default?.port}`])).toEqual([
      [id, env.PORT_default],
      [id, env.PORT_default],
    ])
    expect(env.PORT_default).not.toBe(game.running?.env.PORT_default)
    expect(tables.lobbies.get(id)).toMatchObject({
      status: 'ready',
      run_by: 'command',
      state: { map: 'Docks' },
      total_player_count: 1,
      reserved_player_count: 4,
    })
    for (const token of [plays, onTheWay])
      expect(tables.players.get(token)).toMatchObject({ status: 'reserved', expires_at: now + 2 * minute })
    expect(tables.players.all().find(({ session_ms }) => session_ms !== undefined)).toMatchObject({
      status: 'connected',
    })
  })

  it('is passed by where nothing starts a game server, until somebody runs one', async () => {
    const { game, place } = await go()
    const { id } = game
    const running = place.mock.worlds.get(place.world) as Mock['default']
    await running.world.gameModes.update(q => q.where({ game_mode_id: 'duel' }), {
      data(mode) {
        mode.servers = 'manual'
      },
    })
    const find = () => place.post('/matchmaker/lobbies/find', { game_modes: ['duel'], prevent_auto_create_lobby: true })

    const refused = [await find(), await place.post('/matchmaker/lobbies/join', { lobby_id: id })]
    const [why, reasons] = [running.explain({ lobby_id: id }), running.explain({ find: 'duel' })]
    await running.world.lobbies.update(q => q.where({ lobby_id: id }), {
      data(lobby) {
        lobby.run_by = 'server'
      },
    })
    const taken = await find()

    expect(refused.map(({ json }) => json.code)).toEqual([
      'MATCHMAKER_NO_AVAILABLE_LOBBIES',
      'MATCHMAKER_LOBBY_STOPPED',
    ])
    expect(why).toMatchObject({ starts_server: false })
    expect(why.because.join()).toContain('no command starts one')
    expect(reasons.candidates).toEqual([expect.objectContaining({ lobby_id: id, lost_by: 'no_server' })])
    expect([taken.json.lobby.lobby_id, taken.json.ports.default?.port]).toEqual([id, 7777])
    expect(place.processes).toHaveLength(place.before)
  })
})

describe('a capsule of a world whose servers run', () => {
  it('shows them as copied until it starts others, and tells the same stories', async () => {
    const { managed, game } = await source()
    const { default: live } = managed.mock
    const { servers } = readScenario(scenario, { commands: 'allowed' }).content
    const there = manage(readScenario(capsuleOf(managed)).with({ servers }), undefined, otherPorts)
    const copied = there.mock.default
    // No server runs the lobby in the copy.
    const storiesOf = ({ stories }: typeof live) =>
      stories.list().stories.map(({ token }) => {
        const { server: _, lobby: __, ...story } = stories.get(token, { mermaid: true }) ?? {}
        return story
      })

    expect(storiesOf(copied)).toEqual(storiesOf(live))
    expect(copied.servers.list()).toEqual([
      {
        ...live.servers.list()[0],
        status: 'copied',
        ended_at: formatInstant(now),
        message: 'it was ready when the capsule was made, and does not run here',
      },
    ])

    void there.post('/matchmaker/lobbies/join', { lobby_id: game.id })
    await there.started(1)
    expect(copied.servers.list().map(({ status }) => status)).toEqual(['starting'])
  })
})

describe('a capsule of a world whose servers the mock played', () => {
  it('gets a server for each new lobby from the command of its reader', async () => {
    const played = mockWith({ game_modes, seed: 7 })
    const { servers } = readScenario(scenario, { commands: 'allowed' }).content
    const capsule = readScenario(JSON.parse(runAtOnce(played.default.capsule()))).with({ servers })
    const { post, started } = manage(capsule)

    void post('/matchmaker/lobbies/find', { game_modes: ['duel'] })

    expect((await started(1)).env.RIVET_LOBBY_ID).toBeDefined()
  })
})

describe('a lobby without a game server', () => {
  /** Makes a fork, and returns a function that calls an operation there as the server of the lobby. */
  async function forked() {
    const { game, place } = await (ways['a fork'] as NonNullable<(typeof ways)[string]>)()
    const call = (path: string, body = {}) => place.post(`/matchmaker${path}`, body, bearer(game.id))
    const row = () => worldOf(place).tables.lobbies.get(game.id)
    return { game, place, call, row }
  }

  it('goes to a server that somebody starts, and its players are reserved until that connects them', async () => {
    const { game, place, call, row } = await forked()

    await call('/lobbies/ready')
    const player = worldOf(place).tables.players.get(game.plays)
    const { status } = await call('/players/connected', { player_token: game.plays })

    expect(row()).toMatchObject({ status: 'ready', run_by: 'server' })
    expect(player).toMatchObject({ status: 'reserved', expires_at: now + 2 * minute })
    expect(status).toBe(200)
  })

  it('stays without one if a server of an earlier run still calls', async () => {
    const { game, call, row } = await forked()

    const { json } = await call('/players/disconnected', { player_token: game.plays })

    expect(json.code).toBe('MATCHMAKER_LOBBY_STOPPED')
    expect(row()).toMatchObject({ run_by: 'none', total_player_count: 2 })
  })

  it('keeps its state when its new server restarts before that is ready', async () => {
    const { place, row } = await forked()
    void place.post('/matchmaker/lobbies/find', { game_modes: ['duel'] })
    await place.started(2)

    place.mock.worlds.get('fork')?.servers.restart(row()?.lobby_id ?? '')
    await place.started(3)

    expect(row()).toMatchObject({ status: 'starting', state: { map: 'Docks' }, reserved_player_count: 3 })
  })

  it('may be one of a scenario, whose players lose their seats too if they do not connect', async () => {
    const players = [{ token: 'player.mock.ada' }, { token: 'player.mock.alan', status: 'reserved' }] as const
    const { mock, find, ready, started } = manage({
      ...scenario,
      lobbies: [{ lobby_id: 'mine', run_by: 'none', players: [...players] }],
    })
    void find()
    await started(1)
    await ready('mine')

    const { tables } = mock.default.world
    const expiries = players.map(({ token }) => tables.players.get(token))
    await mock.default.clock.advance(3 * minute)

    expect(expiries.map(player => player?.status)).toEqual(['reserved', 'reserved'])
    expect(players.map(({ token }) => tables.players.get(token)?.status)).toEqual(['expired', 'expired'])
  })

  it('does not get simulated players', async () => {
    const { place, game } = await forked()
    const { tables } = worldOf(place)
    const { namespace_id = '' } = tables.lobbies.get(game.id) ?? {}
    await worldOf(place).simulations.create({ namespace_id, concurrent: 50, session_ms: 10 * minute })

    await (place.mock.worlds.get('fork') as Mock['default']).clock.advance(minute)

    expect(tables.lobbies.count()).toBeGreaterThan(1)
    expect(tables.lobbies.get(game.id)).toMatchObject({ run_by: 'none', total_player_count: 2 })
  })
})

describe('a process', () => {
  it('ends when its world goes back to a time in which another one served the lobby', async () => {
    const { managed, game } = await source()
    const { mock, started, post } = managed
    const snapshot = runAtOnce(mock.default.snapshot())
    mock.default.servers.restart(game.id)
    const second = await started(2)
    await post('/matchmaker/lobbies/ready', {}, bearer(game.id))

    await mock.default.restore(snapshot)
    await settled()
    const [row, signals] = [mock.default.world.tables.lobbies.get(game.id), [...second.signals]]
    void post('/matchmaker/lobbies/find', { game_modes: ['duel'] })
    const third = await started(3)

    expect(row).toMatchObject({ run_by: 'none' })
    expect(signals).toEqual(['SIGTERM'])
    expect([third.env.RIVET_LOBBY_ID, third.env.PORT_default]).toEqual([game.id, '40003'])
  })

  it('is in a capsule beside the later server of its lobby, each with its own output', async () => {
    const { game, place } = await (ways['a fork'] as NonNullable<(typeof ways)[string]>)()
    const fork = place.mock.worlds.get('fork') as Mock['default']
    for (const count of [2, 3]) {
      await fork.reset()
      void place.post('/matchmaker/lobbies/find', { game_modes: ['duel'] })
      const server = await place.started(count)
      server.write(`server ${count}`)
    }

    const { past } = JSON.parse(runAtOnce(fork.capsule())) as { past: { servers: GameServerLog[] } }
    const texts = past.servers.map(({ lobby_id, log }) => [lobby_id, log.map(({ text }) => text)])

    expect(texts).toEqual([2, 3].map(count => [game.id, [`server ${count}`]]))
  })

  it('is replaced when its world goes back to the time before it was ready', async () => {
    const managed = manage(scenario)
    const { mock, started, post } = managed
    void post('/matchmaker/lobbies/find', { game_modes: ['duel'] })
    const first = await started(1)
    const snapshot = runAtOnce(mock.default.snapshot())
    const id = first.env.RIVET_LOBBY_ID ?? ''
    await post('/matchmaker/lobbies/ready', {}, bearer(id))

    await mock.default.restore(snapshot)
    const second = await started(2)

    expect(first.signals).toEqual(['SIGTERM'])
    expect([second.env.RIVET_LOBBY_ID, second.env.PORT_default]).toEqual([id, '40002'])
  })

  it('starts in a fork for a lobby that still waits there, with ports of its own', async () => {
    const managed = manage(scenario)
    const { mock, started, post } = managed
    void post('/matchmaker/lobbies/find', { game_modes: ['duel'] })
    const first = await started(1)
    const id = first.env.RIVET_LOBBY_ID ?? ''

    await mock.worlds.put('fork', { fork: 'default' })
    const { env } = await started(2)

    expect([env.RIVET_LOBBY_ID, env.MOCKMAKER_URL, env.PORT_default]).toEqual([
      id,
      'http://127.0.0.1:4100/w/fork',
      '40002',
    ])
  })

  it('starts for a lobby that waits in a new world, when that of a deleted world has ended', async () => {
    const { mock, started } = manage({ ...scenario, lobbies: [{ lobby_id: 'mine', status: 'starting' }] })
    await started(1)
    await mock.worlds.put('other')
    await started(2)

    void mock.worlds.delete('other')
    await mock.worlds.put('other')
    const { env } = await started(3)

    expect([env?.RIVET_LOBBY_ID, env?.MOCKMAKER_URL]).toEqual(['mine', 'http://127.0.0.1:4100/w/other'])
  })
})

describe('run_by', () => {
  it('is command only where the mock says so', async () => {
    const { mock } = manage(scenario)
    const { world } = mock.default

    await expect(world.lobbies.create({ run_by: 'command' })).rejects.toThrow(
      'run_by is command, which only the mock sets: write server',
    )
  })
})
