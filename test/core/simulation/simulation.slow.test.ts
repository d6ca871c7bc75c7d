import { isIPv6 } from 'node:net'
import { describe, expect, inject, it, vi } from 'vitest'
import type { Join } from '../../../src/core/contract/lobbies.js'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import { isSeated, seatsTaken } from '../../../src/core/store/lobby-rules.js'
import { lobbyTokenOf } from '../../../src/core/store/tokens.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { ask, json, post } from '../../support/http.js'
import { closedAfterTest } from '../../support/worlds.js'

const lively: ScenarioInput = {
  now: '2026-11-20T00:00:00Z',
  clock: 'frozen',
  regions: ['lnd-fra', 'lnd-sfo', 'lnd-tok'],
  matchmaker: { lobby_count_max: 200 },
  game_modes: [
    { game_mode_id: 'duel', max_players: 2 },
    { game_mode_id: 'ffa', max_players: 8 },
  ],
  players: { concurrent: 30, session: '12m', modes: { duel: 1, ffa: 2 } },
}

const opened = (scenario: ScenarioInput = {}): Mockmaker => createMockmaker({ scenario: { ...lively, ...scenario } })

const connected = ({ world }: Mockmaker) => world.players.all().filter(player => player.status === 'connected')

describe('simulated players', () => {
  it('reach the number in the scenario, on average over a day', async () => {
    const mock = opened({ players: { concurrent: 15, session: '12m' } })
    await mock.world.clock.advance('2h')
    let sum = 0
    for (let hour = 0; hour < 24; hour++) {
      await mock.world.clock.advance('1h')
      sum += connected(mock).length
    }

    expect(sum / 24).toBeGreaterThan(12)
    expect(sum / 24).toBeLessThan(18)
  })

  it('choose modes by their weight', async () => {
    const mock = opened({ players: { concurrent: 100, modes: { duel: 3, ffa: 1 } } })
    await mock.world.clock.advance('3h')
    const modeOf = new Map(mock.world.lobbies.all().map(lobby => [lobby.lobby_id, lobby.game_mode_id]))

    const duels = connected(mock).filter(({ lobby_id }) => modeOf.get(lobby_id) === 'duel').length

    expect(duels / connected(mock).length).toBeGreaterThan(0.6)
    expect(duels / connected(mock).length).toBeLessThan(0.9)
  })

  it('are many in the evening, and few in the early morning', async () => {
    // When it is 21:00 in Frankfurt, it is 5:00 in Tokyo.
    const mock = opened({ now: '2026-11-20T18:30:00Z', players: { concurrent: 200 } })
    await mock.world.clock.advance('2h')
    const playing = (region_id: string) =>
      mock.world.lobbies
        .findMany(q => q.where({ region_id }))
        .reduce((sum, { total_player_count }) => sum + total_player_count, 0)

    expect(playing('lnd-fra')).toBeGreaterThan(3 * playing('lnd-tok'))
  })

  it('have an address each', async () => {
    const mock = opened()
    const addresses: string[] = []
    mock.world.subscribe(({ changes }) => {
      for (const change of changes)
        if (change.table === 'players' && !change.before && change.after) addresses.push(change.after.row.address)
    })

    await mock.world.clock.advance('6h')

    expect(addresses.length).toBeGreaterThan(200)
    expect(new Set(addresses).size).toBe(addresses.length)
    expect(addresses.filter(address => !isIPv6(address))).toEqual([])
  })

  it('find a seat like anybody: if no lobby can be created, they leave', async () => {
    const mock = opened({ matchmaker: { lobby_count_max: 3 } })

    await mock.world.clock.advance('3h')

    const running = mock.world.lobbies.all().filter(({ status }) => status !== 'stopped')
    expect(running.length).toBeLessThanOrEqual(3)
    expect(connected(mock).length).toBeGreaterThan(0)
    expect(connected(mock).length).toBeLessThanOrEqual(3 * 8)
  })

  it('skip modes that disable find, and modes with weight 0', async () => {
    const mock = opened({
      game_modes: [{ game_mode_id: 'walled', disabled: ['find'] }, 'unwanted', 'ffa'],
      players: { modes: { ffa: 1, walled: 1 } },
    })

    await mock.world.clock.advance('1h')

    expect(new Set(mock.world.lobbies.all().map(({ game_mode_id }) => game_mode_id))).toEqual(new Set(['ffa']))
    const none = opened({ game_modes: ['unwanted', 'ffa'], players: { modes: { ffa: 1 } } })
    await none.world.clock.advance('1h')
    expect(mock.world.players.all().map(({ address }) => address)).toEqual(
      none.world.players.all().map(({ address }) => address),
    )
  })

  it('do not come if there is no mode, or none are wanted', async () => {
    const nobody = [opened({ game_modes: [], players: {} }), opened({ players: { concurrent: 0 } })]

    for (const mock of nobody) {
      await mock.world.clock.advance('6h')
      expect(mock.world.players.count()).toBe(0)
    }
  })

  it('include the players that the scenario only counts, who leave in time', async () => {
    const mock = opened({
      lobbies: [{ lobby_id: 'listed', game_mode_id: 'ffa', total_player_count: 6 }],
      players: { concurrent: 0 },
    })
    const count = () => mock.world.lobbies.get('listed')?.total_player_count

    await mock.world.clock.advance('5s')
    const first = [count(), mock.world.players.count()]
    await mock.world.clock.advance('1d')

    expect(first).toEqual([6, 6])
    expect([count(), mock.world.players.count(), mock.world.lobbies.get('listed')?.status]).toEqual([0, 0, 'ready'])
  })

  it('reach their number again after a reset that keeps the clock, and in a simulation that began long ago', async () => {
    const lobbies = [{ lobby_id: 'listed', game_mode_id: 'ffa', total_player_count: 6 }]
    const reset = opened({ lobbies, players: { concurrent: 0 } })
    await reset.world.clock.advance('1h')
    await reset.reset({ keep: ['clock'] })
    const old = opened({ lobbies, players: { concurrent: 0, began_at: '2026-11-19T23:00:00Z' } })

    for (const { world } of [reset, old]) {
      await world.clock.advance('1d')
      expect(world.lobbies.get('listed')?.total_player_count).toBe(0)
    }
  })
})

describe('a lobby with simulated players', () => {
  it('closes when it is full, opens when one leaves, and stops when the last has left', async () => {
    const mock = opened({ players: { concurrent: 60, modes: { duel: 1 } } })
    const seen = new Map<string, string[]>()
    const wrong: string[] = []
    mock.world.subscribe(({ changes }) => {
      for (const { table, after } of changes) {
        if (table !== 'lobbies' || !after) continue
        const { lobby_id, status, is_closed } = after.row
        const state = status === 'stopped' ? 'stopped' : is_closed ? 'closed' : 'open'
        const states = seen.get(lobby_id) ?? []
        if (states.at(-1) !== state) seen.set(lobby_id, [...states, state])
        if (state !== 'stopped' && (seatsTaken(after.row) === 2) !== (state === 'closed'))
          wrong.push(`${state}: ${seatsTaken(after.row)}`)
      }
    })

    await mock.world.clock.advance('2h')

    expect(wrong).toEqual([])
    const lives = [...seen.values()].map(states => states.join(' '))
    expect(lives).toContain('open closed open stopped')
    expect(lives.some(life => life.startsWith('open closed open closed'))).toBe(true)
  })
})

describe('a lobby that players have created', () => {
  it('stays when its players have left, even if simulated players come', async () => {
    const mock = opened({ players: { concurrent: 0 }, tokens: { public: 'pub.mock' } })
    const create = { game_mode: 'ffa', publicity: 'private' }
    const made = json(await ask(mock, post('/matchmaker/lobbies/create', create, 'pub.mock'))) as Join

    await mock.world.clock.advance('31m')

    expect(mock.world.lobbies.get(made.lobby.lobby_id)).toMatchObject({ status: 'ready', total_player_count: 0 })
  })
})

describe('a lobby that a real server takes over', () => {
  it('keeps its simulated players until they leave, and stays open or closed after that', async () => {
    const mock = opened({ game_modes: [{ game_mode_id: 'duel', max_players: 2 }], players: { concurrent: 60 } })
    await mock.world.clock.advance('1h')
    const full = mock.world.lobbies.all().find(lobby => lobby.status === 'ready' && seatsTaken(lobby) === 2)
    const lobby_id = full?.lobby_id ?? ''
    const lobby = () => mock.world.lobbies.get(lobby_id)

    const { status } = await ask(mock, post('/matchmaker/lobbies/ready', {}, lobbyTokenOf(lobby_id)))
    const taken = lobby()
    await mock.world.clock.advance('3h')

    expect([status, full?.is_closed]).toEqual([200, true])
    expect(taken).toMatchObject({ run_by: 'server', total_player_count: 2, reserved_player_count: 0 })
    expect(lobby()).toMatchObject({ status: 'ready', is_closed: true, total_player_count: 0, reserved_player_count: 0 })
  })
})

describe('many simulated days', () => {
  it('never loses a seat, and never gives one twice', async () => {
    const mock = opened({ players: { concurrent: 12, modes: { duel: 1, ffa: 2 } } })
    const { world } = mock
    let looks = 0
    const wrong: string[] = []
    world.subscribe(({ changes }) => {
      for (const { table, after } of changes) {
        if (table !== 'lobbies' || !after) continue
        const { lobby_id, reserved_player_count, total_player_count, max_players_direct } = after.row
        const players = world.players.findMany(q => q.where({ lobby_id })).filter(isSeated)
        const of = (status: string) => players.filter(player => player.status === status).length
        if (of('reserved') !== reserved_player_count || of('connected') !== total_player_count)
          wrong.push(`lobby ${lobby_id} counts ${reserved_player_count} and ${total_player_count}`)
        if (seatsTaken(after.row) > max_players_direct) wrong.push(`lobby ${lobby_id} is too full`)
        looks += 1
      }
    })

    await world.clock.advance(inject('runs') < 1_000 ? '1d' : '7d')

    expect(wrong).toEqual([])
    expect(looks).toBeGreaterThan(1_000)
    const lobbies = world.lobbies.all().filter(({ status }) => status !== 'stopped')
    const taken = lobbies.reduce((sum, lobby) => sum + seatsTaken(lobby), 0)
    expect(taken).toBe(world.players.all().filter(isSeated).length)
  })
})

describe('a simulated day', () => {
  it('is the same in one advance and in many, with any reads between', async () => {
    const [one, many] = [opened(), opened()]
    await one.world.clock.advance('3h')

    for (let i = 0; i < 180; i++) {
      await many.world.clock.advance('1m')
      many.world.lobbies.all()
      if (i % 60 === 0) await many.answer({ method: 'GET', path: '/matchmaker/lobbies/list', headers: {} })
    }

    expect(one.snapshot()).toEqual({ ...many.snapshot(), revision: one.world.revision })
    expect(connected(one).length).toBeGreaterThan(5)
  })

  it('continues from a snapshot as the original world does', async () => {
    const world = opened()
    await world.world.clock.advance('95m')
    const put = createMockmaker({ scenario: structuredClone(world.snapshot()) })

    await world.world.clock.advance('2h')
    await put.world.clock.advance('2h')

    expect({ ...put.snapshot(), revision: 0 }).toEqual({ ...world.snapshot(), revision: 0 })
  })

  it('continues from a snapshot that is taken during a backlog', async () => {
    const now = Date.parse('2026-11-20T00:00:00Z')
    vi.useFakeTimers({ now })
    const players = { concurrent: 500 }
    const [late, advanced] = [opened({ clock: 'running', players }), opened({ players })]

    vi.setSystemTime(now + 62_000)
    const put = createMockmaker({ scenario: { ...late.snapshot(), clock: 'frozen' } })
    await put.world.clock.set({ now: '2026-11-20T00:02:00Z' })
    await advanced.world.clock.advance('2m')

    expect({ ...put.snapshot(), revision: 0 }).toEqual({ ...advanced.snapshot(), revision: 0 })
    expect(put.world.players.count()).toBeGreaterThan(30)
    await late.close()
  })

  it('follows the snapshot alone if that is restored during a backlog', async () => {
    const mock = opened({ players: { concurrent: 500 } })
    await mock.world.clock.advance('20s')
    const early = mock.snapshot()
    await mock.world.clock.advance('10m')
    const later = mock.snapshot()
    await mock.restore(early)

    const advanced = mock.world.clock.advance('2h')
    await mock.restore(later)
    await advanced

    expect({ ...mock.snapshot(), revision: 0 }).toEqual({ ...later, revision: 0 })
  })

  it('starts again after a reset', async () => {
    const mock = opened()
    await mock.world.clock.advance('3h')
    const first = { ...mock.snapshot(), revision: 0 }
    await mock.world.clock.advance('17m')

    await mock.reset()
    await mock.world.clock.advance('3h')

    expect({ ...mock.snapshot(), revision: 0 }).toEqual(first)
  })
})

describe('the clock of a world with simulated players', () => {
  it('adds players by itself while it runs', async () => {
    vi.useFakeTimers({ now: Date.parse('2026-11-20T00:00:00Z') })
    const [running, advanced] = [opened({ clock: 'running' }), opened()]

    await vi.advanceTimersByTimeAsync(3_600_000)
    await advanced.world.clock.advance('1h')

    expect(running.world.lobbies.all()).toEqual(advanced.world.lobbies.all())
    expect(running.world.players.all()).toEqual(advanced.world.players.all())
    expect(running.world.players.count()).toBeGreaterThan(0)
    await running.close()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('skips no player if the simulation changes during a backlog, and a reload sets the clock forward only', async () => {
    const now = Date.parse('2026-11-20T00:00:00Z')
    vi.useFakeTimers({ now })
    const scenario: ScenarioInput = { ...lively, clock: 'running', players: { concurrent: 499 } }
    const late = closedAfterTest(createMockmaker({ scenario }))
    const advanced = opened({ players: { concurrent: 500 } })

    vi.setSystemTime(now + 60_000)
    await late.world.simulations.update(q => q.where({ concurrent: 499 }), {
      data: simulation => void Object.assign(simulation, { concurrent: 500 }),
    })
    // The backlog takes longer than a slice, so the clock may be behind.
    const before = late.world.clock.now()
    await late.reload({ ...scenario, clock: { mode: 'running', rate: 0.5 } })
    const after = late.world.clock.now()
    await late.world.clock.set({ mode: 'frozen' })
    await late.world.clock.advance('5s')
    await advanced.world.clock.advance('65s')

    expect(after).toBeGreaterThanOrEqual(before)
    expect(late.world.clock.now()).toBe(now + 65_000)
    expect(late.world.players.all()).toEqual(advanced.world.players.all())
    expect(late.world.players.count()).toBeGreaterThan(30)
  })

  it('skips no player if it is late, as after the machine slept', async () => {
    const now = Date.parse('2026-11-20T00:00:00Z')
    vi.useFakeTimers({ now })
    const players = { concurrent: 500 }
    const [late, advanced] = [opened({ clock: 'running', players }), opened({ players })]

    // The first timer is still 5 s away.
    vi.setSystemTime(now + 60_000)
    await vi.advanceTimersToNextTimerAsync()
    await late.world.clock.set({ mode: 'frozen' })
    await advanced.world.clock.advance('65s')

    await vi.waitFor(() => expect(late.world.players.all()).toEqual(advanced.world.players.all()), { timeout: 30_000 })
    expect(late.world.players.count()).toBeGreaterThan(30)
    await late.close()
  })
})
