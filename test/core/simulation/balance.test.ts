import { describe, expect, it } from 'vitest'
import { type ScenarioInput, scenarios } from '../../../src/core/scenario/index.js'
import { createMockmaker, type Mockmaker } from '../../../src/index.js'
import { worldOf } from '../../support/worlds.js'

const frozen = (scenario: ScenarioInput) => createMockmaker({ scenario: { ...scenario, clock: 'frozen' } })

/** Counts the players of all lobbies. */
function playersOf({ world }: Mockmaker): number {
  const lobbies = world.lobbies.all().filter(({ status }) => status !== 'stopped')
  return lobbies.reduce((sum, { total_player_count }) => sum + total_player_count, 0)
}

/** The shipped scenarios with simulated players. Two hours of the largest one would cost several seconds. */
const simulated = Object.entries(scenarios)
  .filter(([, scenario]) => worldOf(scenario).simulations.count() > 0)
  .map(([name, scenario]) => ({ name, scenario, minutes: name === 'friday-night' ? 10 : 120 }))

describe('a shipped scenario with simulated players', () => {
  for (const { name, scenario, minutes } of simulated)
    it(`has as many for ${minutes} minutes as at the start: ${name}`, async () => {
      const mock = frozen(scenario)
      const begin = playersOf(mock)
      const counts: number[] = []
      for (let i = 0; i < minutes; i += 10) {
        await mock.world.clock.advance('10m')
        counts.push(playersOf(mock))
      }

      // Few players come by chance: their number varies by its square root.
      const mostApart = Math.max(begin / 10, 3 * Math.sqrt(begin))
      expect(counts.filter(count => Math.abs(count - begin) > mostApart)).toEqual([])
      const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length
      expect(Math.abs(mean - begin)).toBeLessThan(Math.max(begin / 10, 1))
    })

  it('is one of three', () => {
    expect(simulated.map(({ name }) => name)).toEqual(['friday-night', 'ghost-town', 'night-shift'])
  })
})

describe('players that a scenario only counts', () => {
  it('leave as others come: after an average session, three in ten still play', async () => {
    const lobbies = Array.from({ length: 100 }, () => ({ game_mode_id: 'ffa', total_player_count: 20 }))
    const mock = frozen({ game_modes: ['ffa'], lobbies, players: { concurrent: 0, session: '12m' } })

    await mock.world.clock.advance('12m')

    // In a steady state with these sessions it is 29 %.
    expect(playersOf(mock) / 2000).toBeGreaterThan(0.26)
    expect(playersOf(mock) / 2000).toBeLessThan(0.32)
  })
})
