import { become } from '../behaviour/become.js'
import { connect, leave } from '../behaviour/players.js'
import { expired } from '../store/follow.js'
import { isSeated, type PlayerRow } from '../store/player-row.js'
import type { DueTurn, Timetable } from './agenda.js'
import { earliest } from './lobby.js'
import { serveLobby } from './lobby-server.js'

/** Connects players where the mock plays the server, and has them leave; frees the seats of those who do not come, and forgets them (PROTOCOL.md C). */
export const playerTimetable: Timetable<PlayerRow> = {
  dueAt(player) {
    if (player.status === 'reserved') return earliest([player.connects_at, player.expires_at])
    return player.status === 'connected' ? player.leaves_at : player.forgotten_at
  },
  async happen(player, turn) {
    if (!isSeated(player)) return forget(player, turn)
    const lobby = turn.tables.lobbies.get(player.lobby_id)
    if (!lobby) return
    if (player.status === 'connected') await leave(player, turn)
    else if (player.connects_at !== undefined && player.connects_at <= turn.now)
      return connect(player, { ...turn, lobby })
    else await expire(player, turn)
    await serveLobby(lobby, turn)
  },
}

async function forget({ player_token }: PlayerRow, { tables }: DueTurn): Promise<void> {
  await tables.players.delete(q => q.where({ player_token }))
}

async function expire(player: PlayerRow, { tables, now }: DueTurn): Promise<void> {
  const { player_token } = player
  await tables.players.update(q => q.where({ player_token }), { data: become(expired(player, now)) })
}
