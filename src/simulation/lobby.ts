import { ready } from '../behaviour/game-server.js'
import type { LobbyRow } from '../store/lobby-row.js'
import type { DueTurn, Timetable } from './agenda.js'
import { stopLobby } from './stop-lobby.js'

/** Gets lobbies ready whose server the mock plays, stops those whose server has not called in time, and those that are old, and forgets them then (PROTOCOL.md C). */
export const lobbyTimetable: Timetable<LobbyRow> = {
  dueAt(lobby) {
    if (lobby.status === 'stopped') return lobby.forgotten_at
    if (lobby.status === 'ready') return lobby.stops_at
    return earliest([lobby.readies_at, lobby.ready_by, lobby.stops_at])
  },
  async happen(lobby, { tables, now }: DueTurn) {
    const { lobby_id } = lobby
    if (lobby.status === 'stopped') await tables.lobbies.delete(q => q.where({ lobby_id }))
    else if (lobby.status === 'starting' && lobby.readies_at !== undefined && lobby.readies_at <= now)
      await tables.lobbies.update(q => q.where({ lobby_id }), { data: ready })
    else await stopLobby(lobby, { tables, now })
  },
}

/** The earliest of some times. */
export function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter(at => at !== undefined)
  return known.length === 0 ? undefined : Math.min(...known)
}
