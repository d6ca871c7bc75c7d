import { connect, leave } from '../behaviour/players.js'
import { expired, isSeated, type PlayerRow } from '../store/rows.js'
import { earliest } from './earliest.js'
import { serveLobby } from './lobby-server.js'
import type { Timetable } from './timetable.js'

/** Connects players where the mock plays the server, and has them leave; frees the seats of those who do not come, and forgets them (PROTOCOL.md C). */
export const playerTimetable: Timetable<PlayerRow> = {
  dueAt(player) {
    if (player.status === 'reserved') return earliest(player.connects_at, player.expires_at, player.removes_at)
    return player.status === 'connected' ? earliest(player.leaves_at, player.removes_at) : player.forgotten_at
  },
  happen(player, turn) {
    const { reads, writes, now } = turn
    if (!isSeated(player)) return writes.delete('players', player.player_token)
    const lobby = reads.lobbies.get(player.lobby_id)
    // Else it would be due for ever.
    if (!lobby) return writes.delete('players', player.player_token)
    if (player.status === 'reserved' && player.connects_at !== undefined && player.connects_at <= now)
      return connect(player, { lobby, writes, now })
    const isTooLate = player.status === 'reserved' && player.expires_at !== undefined && player.expires_at <= now
    if (!isTooLate) leave(player, turn)
    else writes.put('players', expired(player, now))
    // Whom the simulation has sent may be there when it is not, and the lobby that was closed for them opens again.
    if (player.session_ms !== undefined || reads.simulations.get(lobby.namespace_id))
      serveLobby(lobby, { ...turn, player })
  },
}
