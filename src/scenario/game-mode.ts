import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { maxPlayersDefaults } from '../store/default-columns.js'
import { GameModeRow } from '../store/rows.js'
import { anyRegionId } from './catalogue.js'
import { MaxPlayersKey, maxPlayersOf } from './max-players.js'
import { ServerPortsEntry, serverPortsOf } from './server-ports.js'

const { game_mode_id, disabled, dynamic_max_players, taggable } = GameModeRow.shape

/** A game mode: only its id, or an object. */
export const GameModeEntry = z.union([
  game_mode_id.meta({ description: 'Only the id of the game mode.', examples: ['duel'] }),
  exact({
    game_mode_id: game_mode_id.meta({ description: 'What lobbies and clients call it.', examples: ['duel'] }),
    max_players: MaxPlayersKey.optional(),
    regions: z
      .array(z.string().meta(anyRegionId))
      .optional()
      .describe('Ids of the regions that it enables. Default: all of the scenario.'),
    listable: z
      .boolean()
      .optional()
      .meta({ description: 'Whether its lobbies are listed. Default: true.', default: true }),
    disabled: disabled.meta({
      description: 'The calls that are refused for its lobbies. Default: none.',
      default: [],
      examples: [['create']],
    }),
    dynamic_max_players: dynamic_max_players.meta({
      description: 'Whether find and create may say how many players a lobby takes. Default: true.',
      default: true,
    }),
    taggable: taggable.meta({ description: 'Whether find and create may name tags. Default: true.', default: true }),
    ports: ServerPortsEntry.optional().describe("Where its game servers run. Default: as the namespace's development."),
  }),
])
export type GameModeEntry = z.output<typeof GameModeEntry>

/** A game mode with all its columns but the namespace's. */
export type Mode = Omit<GameModeRow, 'namespace_id'>

/** A game mode with its defaults. `regionIds` are those of the scenario. */
export function modeOf(entry: GameModeEntry, regionIds: readonly string[]): Mode {
  const given: Exclude<GameModeEntry, string> = typeof entry === 'string' ? { game_mode_id: entry } : entry
  const { game_mode_id, max_players, regions, listable, disabled, dynamic_max_players, taggable, ports } = given
  return {
    game_mode_id,
    ...maxPlayersOf(max_players, maxPlayersDefaults),
    regions: [...(regions ?? regionIds)],
    listable: listable ?? true,
    ...(disabled === undefined ? {} : { disabled }),
    ...(dynamic_max_players === undefined ? {} : { dynamic_max_players }),
    ...(taggable === undefined ? {} : { taggable }),
    ...(ports === undefined ? {} : { ports: serverPortsOf(ports) }),
  }
}
