import type { LobbyRow } from '../store/rows.js'
import { earliest } from './earliest.js'
import { stopLobby } from './stop-lobby.js'
import type { Timetable } from './timetable.js'

/** Stops lobbies whose server has not called ready in time, and those that are old, and forgets them then (PROTOCOL.md C). */
export const lobbyTimetable: Timetable<LobbyRow> = {
  dueAt(lobby) {
    if (lobby.status === 'stopped') return lobby.forgotten_at
    if (lobby.status === 'ready') return lobby.stops_at
    return earliest(lobby.ready_by, lobby.stops_at)
  },
  happen(lobby, { writes, now }) {
    if (lobby.status === 'stopped') writes.delete('lobbies', lobby.lobby_id)
    else stopLobby(lobby, { writes, now })
  },
}
