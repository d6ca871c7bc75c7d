import { ApiError } from '../contract/errors.js'
import { quoted } from '../lib/quote.js'
import { type LobbyRow, seatsTaken } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'
import type { Behaviour } from './behaviour.js'
import { cannedJoin } from './canned-join.js'
import { checkSource, reserveSeat } from './seat.js'

/** Takes a seat in one lobby (PROTOCOL.md C). */
export const joinLobby: Behaviour<'lobbies.join'> = call => {
  const { caller, client, input, reads: tables } = call
  const { namespaceId } = caller
  if (caller.kind === 'development') return cannedJoin(caller, call)
  const lobby = lobbyIn(namespaceId, { lobbyId: input.lobby_id, tables })
  checkJoinable(lobby, tables)
  checkSource({ namespaceId, client, tables })
  return reserveSeat(lobby, call)
}

/** A lobby of the namespace. Throws `ApiError` where there is none. */
export function lobbyIn(
  namespaceId: string,
  { lobbyId, tables }: { readonly lobbyId: string; readonly tables: ReadTables },
): LobbyRow {
  const lobby = tables.lobbies.get(lobbyId)
  if (lobby?.namespace_id === namespaceId) return lobby
  throw new ApiError(
    'MATCHMAKER_LOBBY_NOT_FOUND',
    `the namespace has no lobby ${quoted(lobbyId)}: GET /matchmaker/lobbies/list shows the open ones`,
  )
}

/** Throws `ApiError` where a player with its id gets no seat. A closed lobby is joined like an open one (PROTOCOL.md C). */
function checkJoinable(lobby: LobbyRow, { gameModes }: ReadTables): void {
  const { lobby_id, namespace_id, game_mode_id, max_players_direct } = lobby
  if (lobby.status === 'stopped') {
    throw new ApiError(
      'MATCHMAKER_LOBBY_STOPPED',
      `lobby ${lobby_id} has stopped: GET /matchmaker/lobbies/list shows the open ones`,
    )
  }
  if (gameModes.get(`${namespace_id}/${game_mode_id}`)?.disabled?.includes('join')) {
    throw new ApiError(
      'MATCHMAKER_JOIN_DISABLED',
      `lobbies of game mode ${game_mode_id} are not to be joined by id: its key "disabled" in the scenario names join`,
    )
  }
  if (seatsTaken(lobby) >= max_players_direct) {
    throw new ApiError(
      'MATCHMAKER_LOBBY_FULL',
      `lobby ${lobby_id} takes ${max_players_direct} players by its id, and ${seatsTaken(lobby)} have a seat: let one leave, or find or create another`,
    )
  }
}
