import { type LobbyRow, seatsTaken } from '../store/lobby-row.js'
import type { DueTurn } from './agenda.js'
import { stopLobby } from './stop-lobby.js'

/**
 * What the server of a lobby does in a namespace where players come and go: it closes when it is full, opens again when
 * it is no longer, and ends when the last player has left, unless the scenario lists it. `before` is the lobby as it was
 * when its seats were taken or freed last.
 */
export async function serveLobby(before: LobbyRow, { tables, now }: DueTurn): Promise<void> {
  const lobby = tables.lobbies.get(before.lobby_id)
  if (!lobby || lobby.status === 'stopped' || lobby.run_by === 'server') return
  if (!tables.simulations.get(lobby.namespace_id)) return
  if (seatsTaken(lobby) === 0 && lobby.stops_at !== undefined) return stopLobby(lobby, { tables, now })
  if (isFull(lobby) && !lobby.is_closed) return setClosed(lobby, 'closed', tables)
  if (!isFull(lobby) && isFull(before) && lobby.is_closed) return setClosed(lobby, 'open', tables)
}

function isFull(lobby: LobbyRow): boolean {
  return seatsTaken(lobby) >= lobby.max_players_normal
}

async function setClosed({ lobby_id }: LobbyRow, to: 'open' | 'closed', tables: DueTurn['tables']): Promise<void> {
  await tables.lobbies.update(q => q.where({ lobby_id }), {
    data: lobby => void Object.assign(lobby, { is_closed: to === 'closed' }),
  })
}
