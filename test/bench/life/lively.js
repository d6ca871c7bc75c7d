// @ts-check
import { tokens } from '../scenario.js'

/**
 * A scenario in which so many play at once, over a day: sessions of 12 minutes, two modes, all regions of the catalogue.
 *
 * @param {number} concurrent
 * @returns {import('../../../src/core/scenario/schema.js').ScenarioInput}
 */
export function livelyOf(concurrent) {
  return {
    now: '2026-11-20T00:00:00Z',
    tokens: { public: tokens.public },
    matchmaker: { lobby_count_max: 10 * concurrent },
    game_modes: [
      { game_mode_id: 'duel', max_players: 2 },
      { game_mode_id: 'ffa', max_players: 40 },
    ],
    players: { concurrent, session: '12m', modes: { duel: 3, ffa: 1 } },
  }
}
