import { describe, expect, it, vi } from 'vitest'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import type { World } from '../../../src/core/store/world.js'
import { createMockmaker } from '../../../src/index.js'
import { closedAfterTest } from '../../support/worlds.js'

/** A game with three namespaces: without `players`, with `players`, and without game modes. */
const scenario: ScenarioInput = {
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  games: [
    {
      name_id: 'tanks',
      namespaces: [
        { name_id: 'prod', namespace_id: 'prod', game_modes: ['duel'] },
        { name_id: 'beta', namespace_id: 'beta', game_modes: ['duel'], players: { concurrent: 3, session: '1m' } },
        { name_id: 'empty', namespace_id: 'empty' },
      ],
    },
  ],
}

const simulations = ({ simulations }: Pick<World, 'simulations'>) =>
  simulations.all().map(({ namespace_id, concurrent, session_ms }) => [namespace_id, concurrent, session_ms])

const all = [
  ['prod', 100, 720_000],
  ['beta', 3, 60_000],
]

describe('live: true', () => {
  it('adds players to each namespace with game modes whose scenario sets none', () => {
    expect(simulations(createMockmaker({ scenario, live: true }).world)).toEqual(all)
  })

  it('applies to loaded scenarios, and to other worlds', async () => {
    const mock = closedAfterTest(createMockmaker({ live: true }))

    await mock.load(scenario)
    const put = await mock.worlds.put('put', { scenario })
    const shipped = await mock.worlds.put('shipped')

    expect([simulations(mock.world), simulations(put.world)]).toEqual([all, all])
    expect(shipped.simulations()).toMatchObject([{ namespace: 'tanks/prod', concurrent: 100 }])
  })

  it('applies to a reloaded scenario', async () => {
    const mock = createMockmaker({ scenario, live: true })

    const summary = await mock.reload(scenario)
    await mock.reload({
      ...scenario,
      games: [{ name_id: 'tanks', namespaces: [{ namespace_id: 'more', game_modes: ['x'] }] }],
    })

    expect(summary).toEqual({ created: 0, changed: 0, deleted: 0, cascaded: 0 })
    expect(simulations(mock.world)).toEqual([['more', 100, 720_000]])
  })

  it('does not apply to a restored snapshot', async () => {
    const mock = createMockmaker({ scenario, live: true })
    await mock.endSimulation({ namespace: 'tanks/prod' })
    const snapshot = mock.snapshot()
    await mock.simulate({ namespace: 'tanks/prod' })

    await mock.restore(snapshot)

    expect(simulations(mock.world)).toEqual(all.slice(1))
  })
})

describe('simulated players', () => {
  const counted = { game_modes: ['duel'], lobbies: [{ total_player_count: 9 }] }

  it('start when their world starts, even if another world of the scenario started earlier', async () => {
    vi.useFakeTimers({ now: Date.parse('2026-11-20T20:00:00Z') })
    const mock = createMockmaker({ scenario: { ...counted, clock: 'frozen', players: { concurrent: 0 } } })
    vi.setSystemTime(Date.parse('2026-11-20T21:00:00Z'))

    const later = await mock.worlds.put('later')
    await later.world.clock.advance('1m')

    expect(later.simulations()).toMatchObject([{ began_at: '2026-11-20T21:00:00.000Z' }])
    // The players that were only counted are rows now.
    expect(later.world.players.count()).toBeGreaterThan(0)
  })

  it('start when a reload adds them', async () => {
    const before = { ...counted, now: '2026-11-20T20:00:00Z', clock: 'frozen' } as const
    const mock = createMockmaker({ scenario: before })
    await mock.world.clock.advance('1h')

    await mock.reload({ ...before, players: { concurrent: 0 } })
    await mock.world.clock.advance('1m')

    expect(mock.simulations()).toMatchObject([{ began_at: '2026-11-20T21:00:00.000Z' }])
    expect(mock.world.players.count()).toBeGreaterThan(0)
  })
})
