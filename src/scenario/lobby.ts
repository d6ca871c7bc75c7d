import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { Json } from '../contract/json.js'
import { Uint32 } from '../contract/uint32.js'
import { LobbyRow } from '../store/rows.js'
import type { Mode } from './game-mode.js'
import { MaxPlayersKey, maxPlayersOf } from './max-players.js'

const { lobby_id, game_mode_id, region_id, publicity } = LobbyRow.shape

/** A lobby, of a namespace's game mode. */
export const LobbyEntry = exact({
  lobby_id: lobby_id.optional().describe('Default: from the seed.'),
  game_mode_id: game_mode_id.optional().describe("Default: the namespace's first game mode."),
  region_id: region_id.optional().describe('Default: the first region that its game mode enables.'),
  total_player_count: Uint32.optional().describe('Connected players. Default: 0.'),
  max_players: MaxPlayersKey.optional(),
  state: Json.optional().describe('Any JSON that nests at most 64 levels. Default: none.'),
  publicity: publicity.optional().describe('Default: public.'),
  is_closed: z.boolean().optional().describe('Default: false.'),
})
export type LobbyEntry = z.output<typeof LobbyEntry>

/** The game mode that an entry means; `undefined` where there is none. */
export function modeOfLobby(entry: LobbyEntry, modes: ReadonlyMap<string, Mode>): Mode | undefined {
  if (entry.game_mode_id !== undefined) return modes.get(entry.game_mode_id)
  const [first] = modes.values()
  return first
}

/** A lobby with its defaults, all columns but its own id and the namespace's. Without a region only where its mode enables none. */
export function lobbyOf(entry: LobbyEntry, mode: Mode) {
  return {
    game_mode_id: mode.game_mode_id,
    region_id: entry.region_id ?? mode.regions[0],
    ...maxPlayersOf(entry.max_players, mode),
    total_player_count: entry.total_player_count ?? 0,
    ...(entry.state === undefined ? {} : { state: entry.state }),
    publicity: entry.publicity ?? 'public',
    is_closed: entry.is_closed ?? false,
  }
}
