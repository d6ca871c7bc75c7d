import { lifetimeMs } from '../store/lifetime.js'
import type { LobbyRow } from '../store/lobby-row.js'
import type { DueTurn } from './agenda.js'

/** Stops a lobby: its players are removed, and for a while it is known that there was one (PROTOCOL.md C). */
export async function stopLobby(lobby: LobbyRow, { tables, now }: DueTurn): Promise<void> {
  const { lobby_id } = lobby
  await tables.lobbies.update(q => q.where({ lobby_id }), {
    data(draft) {
      for (const key of ['ready_by', 'readies_at', 'stops_at']) Reflect.deleteProperty(draft, key)
      Object.assign(draft, { status: 'stopped', forgotten_at: now + lifetimeMs.gone })
    },
  })
}
