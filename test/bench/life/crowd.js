// @ts-check
import { tokens } from '../scenario.js'

/** More players than the bench sends. */
const endless = 1_000_000_000

/**
 * A scenario with so many lobbies in 12 regions, which take as many players as ever come.
 *
 * @param {number} lobbies
 * @returns {import('../../../src/core/scenario/schema.js').ScenarioInput}
 */
export function crowdOf(lobbies) {
  return {
    tokens: { public: tokens.public },
    game_modes: [{ game_mode_id: 'arena', max_players: endless }],
    lobbies: Array.from({ length: lobbies }, (_, i) => ({
      lobby_id: `lobby-${i}`,
      region_id: regions[i % regions.length],
      total_player_count: i % 1000,
    })),
    regions,
  }
}

const regions = ['fra', 'lon', 'ewr', 'tor', 'dca', 'mba', 'atl', 'dfw', 'tok', 'sfo', 'sgp', 'syd'].map(
  id => `lnd-${id}`,
)

/** Where a seat is asked for, and how. */
export const seatPath = '/matchmaker/lobbies/find'
export const seatBody = { game_modes: ['arena'] }
