import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../src/scenario/schema.js'
import { rowsOf } from '../support/worlds.js'

function told(scenario: ScenarioInput) {
  const calls: [done: number, total: number][] = []
  rowsOf(scenario, { progress: (done, total) => calls.push([done, total]) })
  return calls
}

describe('progress', () => {
  it('is told of all lobbies of a scenario, listed and generated, now and then and at the last', () => {
    const namespace = { game_modes: ['duel'], lobbies: [{}, {}], generate: { lobbies: 600 } }
    const namespaces = ['prod', 'beta'].map(name_id => ({ name_id, ...namespace }))

    const calls = told({ games: [{ name_id: 'tanks', namespaces }] })

    expect(calls).toEqual([
      [500, 1204],
      [1000, 1204],
      [1204, 1204],
    ])
  })

  it('is not told where there is no lobby', () => {
    expect(told({})).toEqual([])
  })
})
