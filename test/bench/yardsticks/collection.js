// @ts-check
import { Collection } from '@mswjs/data'
import * as z from 'zod'

const Uint32 = z.int().min(0).max(4_294_967_295)
const Lobby = z.object({
  lobby_id: z.string(),
  namespace_id: z.string(),
  region_id: z.string(),
  game_mode_id: z.string(),
  max_players_normal: Uint32,
  max_players_direct: Uint32,
  max_players_party: Uint32,
  total_player_count: Uint32,
  publicity: z.enum(['public', 'private']),
  is_closed: z.boolean(),
  state: z.unknown().optional(),
})

/**
 * Lobbies in a Collection of the data library.
 *
 * @param {readonly import('../../../src/core/store/rows.js').LobbyRow[]} rows
 * @returns {Promise<import('../store/subject.js').Subject>}
 */
export async function inCollection(rows) {
  const lobbies = new Collection({ schema: Lobby })
  for (const row of rows) await lobbies.create(structuredClone(row))
  return {
    ids: rows.map(row => row.lobby_id),
    find: lobby_id => lobbies.findFirst(q => q.where({ lobby_id })),
    async update(lobby_id) {
      await lobbies.update(q => q.where({ lobby_id }), {
        data(lobby) {
          lobby.total_player_count = lobby.total_player_count === 0 ? 1 : 0
        },
      })
    },
  }
}
