import { describe, expect } from 'vitest'
import type { ScenarioInput } from '../../../src/core/scenario/schema.js'
import type { ChangeSet } from '../../../src/index.js'
import { failure, json } from '../../support/http.js'
import { it } from '../../support/served-mock.js'
import { ids } from '../../support/tanks.js'
import { stateOf } from '../../support/worlds.js'

/** A full duel, and a mode for more duels. */
const duels: ScenarioInput = {
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  regions: ['lnd-fra'],
  game_modes: [{ game_mode_id: 'duel', max_players: 2 }],
  lobbies: [{ lobby_id: 'listed', total_player_count: 2 }],
}

const began_at = '2026-11-20T20:00:00.000Z'

describe('simulate', () => {
  it('brings players to the default namespace, as a scenario without more options does', async ({ serve }) => {
    const { mock, client } = await serve()

    const begun = await client.simulate()

    const players = { connected: 1, reserved: 0 }
    const state = {
      namespace: 'tanks/prod',
      namespace_id: ids.prod,
      concurrent: 100,
      session: '12m',
      began_at,
      players,
    }
    expect(begun).toEqual(state)
    expect(mock.world.simulations.all()).toEqual([
      {
        namespace_id: ids.prod,
        concurrent: 100,
        session_ms: 720_000,
        began_at: Date.parse(began_at),
        settled: false,
        next_step_at: Date.parse(began_at) + 5_000,
      },
    ])
    await mock.world.clock.advance('1h')
    const [now] = mock.simulations()
    expect(now?.players.connected).toBeGreaterThan(50)
    expect(await client.simulations()).toEqual([{ ...state, players: now?.players }])
  })

  it('starts in the named namespace, in one change set', async ({ serve }) => {
    const { mock } = await serve()
    const sets: ChangeSet[] = []
    mock.world.subscribe(changeSet => void sets.push(changeSet))

    const named = await mock.simulate({ namespace: 'boats/prod', concurrent: 5, session: '90s', modes: { race: 2 } })
    const byId = await mock.simulate({ namespace: ids.closed, concurrent: 0.5 })

    expect(named).toMatchObject({ namespace: 'boats/prod', concurrent: 5, session: '90s', modes: { race: 2 } })
    expect([byId.namespace, byId.concurrent]).toEqual(['tanks/closed', 0.5])
    expect(sets.map(({ changes }) => changes.map(({ table, before }) => [table, before]))).toEqual([
      [['simulations', undefined]],
      [['simulations', undefined]],
    ])
  })

  it('replaces a simulation, with defaults for absent options', async ({ serve }) => {
    const { mock } = await serve()
    await mock.simulate({ concurrent: 5, session: '90s', modes: { duel: 2 } })
    const sets: ChangeSet[] = []
    await mock.world.clock.advance('1s')
    mock.world.subscribe(changeSet => void sets.push(changeSet))

    const anew = await mock.simulate({ concurrent: 7 })

    expect(anew).toMatchObject({ concurrent: 7, session: '12m', began_at: '2026-11-20T20:00:01.000Z' })
    expect(anew).not.toHaveProperty('modes')
    expect(mock.simulations()).toHaveLength(1)
    expect(sets).toHaveLength(1)
  })

  it('gives each player an address, also after a restart', async ({ serve }) => {
    const { mock } = await serve({
      scenario: { ...duels, matchmaker: { lobby_count_max: 1000, max_players_per_client: 1 } },
    })
    for (let i = 0; i < 2; i++) {
      await mock.simulate({ concurrent: 100, session: '1h' })
      await mock.world.clock.advance('10m')
    }

    const addresses = mock.world.players.all().map(({ address }) => address)

    expect(addresses.length).toBeGreaterThan(40)
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  it.for([
    [{ concurrent: 100_001 }, 'concurrent is 100001: expected at most 100000'],
    [{ concurrent: -1 }, 'concurrent is -1: expected at least 0'],
    [{ session: '9999ms' }, 'session is "9999ms": expected a duration from 10s to 7d'],
    [{ session: '8d' }, 'session is "8d": expected a duration from 10s to 7d'],
    [{ session: 'long' }, 'session is "long": expected a number of ms'],
    [{ namespace: 'tanks/prd' }, 'Known: tanks/prod, tanks/closed, boats/prod. Did you mean tanks/prod?'],
    [
      { modes: { dual: 1 } },
      'modes has "dual", which is not a game mode of tanks/prod. Known: duel, ffa, secret. Did you mean duel?',
    ],
    [{ modes: { duel: -1 } }, 'modes.duel is -1'],
    [{ modes: { duel: 1e308 } }, 'modes.duel is 1e+308: expected at most 1000000'],
    [{ modes: {} }, 'modes is {}: expected a weight above 0 for at least one'],
    [{ modes: { duel: 0, ffa: 0 } }, 'expected a weight above 0 for at least one'],
    [{ concurrent: 100_000, session: '10s' }, 'at most 1000 may arrive in a second'],
    [{ concurent: 1 }, 'Did you mean concurrent?'],
    [{ began_at }, 'began_at is an unknown key'],
  ] as const)('refuses %j, and changes nothing', async ([options, message], { serve }) => {
    const { mock, steer } = await serve()
    const before = stateOf(mock.world)

    const got = await steer('PUT', '/__mock/simulation', options)

    expect(failure(got)).toBe('400 API_BAD_BODY')
    expect((json(got) as { message: string }).message).toContain(message)
    await expect(mock.simulate(options as object)).rejects.toThrow(message)
    expect(stateOf(mock.world)).toBe(before)
  })

  it('needs a namespace if the world has no default one', async ({ serve }) => {
    const { mock } = await serve({ scenario: { ...duels, default_namespace: 'none' } })

    await expect(mock.simulate()).rejects.toThrow(
      'namespace is missing, and the world has no default namespace. Known: game/prod.',
    )
  })

  it('continues in a snapshot, and ends with a reset', async ({ serve }) => {
    const { mock, client } = await serve()
    const before = await mock.simulate({ concurrent: 5 })
    const snapshot = mock.snapshot()

    await mock.reset()
    const afterReset = await client.simulations()
    await mock.restore(snapshot)

    expect([afterReset, mock.simulations()]).toEqual([[], [before]])
  })
})

describe('a game mode of a simulation', () => {
  it('is deleted only with the simulation', async ({ serve }) => {
    const { mock, steer } = await serve({ scenario: duels })
    const { namespace_id } = await mock.simulate({ modes: { duel: 1 } })
    await mock.world.lobbies.delete(q => q.where({ lobby_id: 'listed' }))

    const needed = await steer('DELETE', `/__mock/game-modes/${namespace_id}/duel`)
    await mock.endSimulation()

    expect(needed.body).toContain(`simulation ${namespace_id} still refers to it`)
    expect((await steer('DELETE', `/__mock/game-modes/${namespace_id}/duel`)).status).toBe(200)
  })
})

describe('endSimulation', () => {
  it('stops new players: the others leave, and their lobbies stop', async ({ serve }) => {
    const { mock, client } = await serve({ scenario: duels })
    await mock.simulate({ concurrent: 20, session: '2m' })
    await mock.world.clock.advance('10m')
    const running = () => mock.world.lobbies.findMany(q => q.where(({ status }) => status !== 'stopped'))
    const before = running()

    const ended = await client.endSimulation()
    const stay = mock.world.players.count()
    await mock.world.clock.advance('1h')

    expect([ended, mock.simulations()]).toEqual([true, []])
    expect([before.length > 1, before.some(({ is_closed }) => is_closed), stay > 0]).toEqual([true, true, true])
    expect(mock.world.players.count()).toBe(0)
    expect(running()).toMatchObject([{ lobby_id: 'listed', is_closed: false, total_player_count: 0 }])
  })

  it('ends only the simulation of the named namespace', async ({ serve }) => {
    const { mock, client } = await serve()
    await mock.simulate()
    await mock.simulate({ namespace: 'boats/prod' })

    const ended = [
      await client.endSimulation({ namespace: 'boats/prod' }),
      await client.endSimulation({ namespace: ids.boatsProd }),
    ]

    expect([ended, mock.simulations().map(({ namespace }) => namespace)]).toEqual([[true, false], ['tanks/prod']])
  })

  it('says if there is no simulation, or no such namespace', async ({ serve }) => {
    const { mock, steer } = await serve()

    const answers = [
      await steer('DELETE', '/__mock/simulation'),
      await steer('DELETE', '/__mock/simulation?namespace=boat/prod'),
      await steer('DELETE', '/__mock/simulation?name=boats/prod'),
    ]

    expect(answers.map(failure)).toEqual(['404 API_NOT_FOUND', '400 API_BAD_QUERY', '400 API_BAD_QUERY'])
    expect(answers[1]?.body).toContain('Did you mean boats/prod?')
    expect(await mock.endSimulation()).toBe(false)
  })
})
