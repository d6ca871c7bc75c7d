import { describe, expect } from 'vitest'
import type { Mockmaker, ScenarioInput } from '../../../src/index.js'
import { controls, messageOf } from '../../support/controls.js'
import { it } from '../../support/served-mock.js'

/** A scenario whose ids and tokens come from the seed. */
const scenario: ScenarioInput = {
  seed: 3,
  now: '2026-11-20T20:00:00Z',
  clock: 'frozen',
  game_modes: ['duel'],
  lobbies: [{}, {}],
}
const other: ScenarioInput = { ...scenario, seed: 4, game_modes: ['race'] }

const contents = ({ snapshot }: Pick<Mockmaker, 'snapshot'>) => ({ ...snapshot({ with: ['faults'] }), revision: 0 })

describe.each(controls)('reset with a seed, $where', ({ of }) => {
  it('begins the world as its scenario does with that seed', async ({ serve }) => {
    const served = await serve({ scenario })
    const { mock } = served
    const fresh = await serve({ scenario, seed: 9 })

    await of(served).reset({ seed: 9 })
    await mock.lobby()
    await fresh.mock.lobby()

    expect(contents(mock)).toEqual(contents(fresh.mock))
  })

  it('lasts until the next reset', async ({ serve }) => {
    const served = await serve({ scenario })
    const { mock } = served
    const before = contents(mock)

    await of(served).reset({ seed: 9 })
    const seeded = contents(mock)
    await of(served).reset()

    expect(contents(mock)).toEqual(before)
    expect(seeded).not.toEqual(before)
  })

  it('applies to a loaded scenario, to a fork and to a snapshot', async ({ serve }) => {
    const served = await serve({ scenario })
    const { mock } = served
    const control = of(served)

    await control.load(other)
    await control.reset({ seed: 9 })
    const loaded = mock.world.gameModes.all().map(({ game_mode_id }) => game_mode_id)
    const snapshot = mock.snapshot({ with: ['faults'] })
    await control.restore(snapshot)
    const restored = contents(mock)
    await control.reset({ seed: 5 })
    await control.reset()
    const fork = await mock.worlds.put('fork', { fork: 'default' })
    await fork.reset({ seed: 5 })
    const ids = [(await fork.lobby()).lobby_id, (await mock.lobby()).lobby_id]
    await mock.reset({ seed: 5 })

    expect([loaded, contents({ snapshot: () => snapshot })]).toEqual([['race'], restored])
    expect([fork.world.seed, ids[0] === ids[1]]).toEqual([5, false])
    expect(mock.world.gameModes.count()).toBe(1)
  })

  it('keeps the parts that it names', async ({ serve }) => {
    const served = await serve({ scenario })
    const { mock } = served
    await mock.clock.advance('1h')
    mock.fail('lobbies.list', 503)

    await of(served).reset({ seed: 9, keep: ['clock', 'faults'] })

    expect([mock.world.seed, mock.faults.list().length, new Date(mock.clock.now()).toISOString()]).toEqual([
      9,
      1,
      '2026-11-20T21:00:00.000Z',
    ])
  })

  it('follows a reload of the scenario', async ({ serve }) => {
    const served = await serve({ scenario })
    const { mock } = served
    await mock.reload(other)

    await of(served).reset({ seed: 9 })
    const modes = mock.world.gameModes.all().map(({ game_mode_id }) => game_mode_id)
    await of(served).reset()

    expect([modes, mock.world.seed]).toEqual([['race'], 4])
  })

  it('refuses a seed that is no integer', async ({ serve }) => {
    const served = await serve({ scenario })

    expect(await messageOf(() => of(served).reset({ seed: 0.5 }))).toContain('seed is 0.5: expected int')
  })
})
