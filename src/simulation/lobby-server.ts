import { setClosed } from '../behaviour/game-server.js'
import { type LobbyRow, type PlayerRow, seatsTaken } from '../store/rows.js'
import { stopLobby } from './stop-lobby.js'
import type { DueTurn } from './timetable.js'

interface Serving extends DueTurn {
  readonly player: PlayerRow
}

/**
 * What the server of a lobby does for players who come and go by themselves: it closes when it is full, opens again when
 * it is no longer, and ends when one of them has left and nobody is there any more, unless the scenario lists it. `before`
 * is the lobby as it was before `player` came or left.
 */
export function serveLobby(before: LobbyRow, { player, reads, writes, now }: Serving): void {
  const lobby = reads.lobbies.get(before.lobby_id)
  if (!lobby || lobby.status === 'stopped' || lobby.run_by === 'server') return
  const isSimulated = player.session_ms !== undefined
  if (seatsTaken(lobby) === 0 && lobby.stops_at !== undefined && isSimulated) stopLobby(lobby, { writes, now })
  else if (isFull(lobby) && !lobby.is_closed) setClosed(lobby, { is_closed: true, writes })
  else if (!isFull(lobby) && isFull(before) && lobby.is_closed) setClosed(lobby, { is_closed: false, writes })
}

function isFull(lobby: LobbyRow): boolean {
  return seatsTaken(lobby) >= lobby.max_players_normal
}
