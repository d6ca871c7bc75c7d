import * as z from 'zod'
import { record } from './record.js'
import { Uint32 } from './uint32.js'

/** The most players a lobby takes: by find, by join with its id, and as a party. */
export const MaxPlayers = z.object({
  max_players_normal: Uint32,
  max_players_direct: Uint32,
  max_players_party: Uint32,
})

/** A lobby as `lobbies.list` shows it. `total_player_count` counts connected players; `state` comes only when asked for. */
export const Lobby = z
  .object({
    region_id: z.string(),
    game_mode_id: z.string(),
    lobby_id: z.string(),
    ...MaxPlayers.shape,
    total_player_count: Uint32,
    state: record(z.unknown()).optional(),
  })
  .meta({
    id: 'Lobby',
    description:
      'An open lobby. `total_player_count` counts connected players; `state` comes only with `include_state=true`.',
  })
export type Lobby = z.output<typeof Lobby>
