import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { maxPlayersDefaults } from '../store/model.js'
import { GameModeRow } from '../store/rows.js'
import { MaxPlayersKey, maxPlayersOf } from './max-players.js'

const { game_mode_id } = GameModeRow.shape

/** A game mode: only its id, or an object. */
export const GameModeEntry = z.union([
  game_mode_id,
  exact({
    game_mode_id,
    max_players: MaxPlayersKey.optional(),
    regions: z
      .array(z.string())
      .optional()
      .describe('Ids of the regions that it enables. Default: all of the scenario.'),
    listable: z.boolean().optional().describe('Whether its lobbies are listed. Default: true.'),
  }),
])
export type GameModeEntry = z.output<typeof GameModeEntry>

/** A game mode with all its columns but the namespace's. */
export type Mode = Omit<GameModeRow, 'namespace_id'>

/** A game mode with its defaults. `regionIds` are those of the scenario. */
export function modeOf(entry: GameModeEntry, regionIds: readonly string[]): Mode {
  const { game_mode_id, max_players, regions, listable } = typeof entry === 'string' ? { game_mode_id: entry } : entry
  return {
    game_mode_id,
    ...maxPlayersOf(max_players, maxPlayersDefaults),
    regions: [...(regions ?? regionIds)],
    listable: listable ?? true,
  }
}
