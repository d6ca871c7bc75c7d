import { ApiError } from '../contract/errors.js'
import { fullNameOf } from '../store/full-name.js'
import type { LobbyRow } from '../store/lobby-row.js'
import { lobbyIdIn, lobbyTokenOf } from '../store/lobby-token.js'
import type { ReadTables } from '../store/table.js'

/** The token of a lobby, as it is shown. It is no record: it is there as long as its lobby is. */
export interface LobbyTokenInfo {
  readonly token: string
  readonly kind: 'lobby'
  readonly lobby_id: string
  /** As `<game>/<namespace>`, by their name ids. */
  readonly namespace: string
}

/** The tokens of the lobbies of a world that have not stopped. */
export function lobbyTokensOf(tables: ReadTables): LobbyTokenInfo[] {
  return tables.lobbies
    .all()
    .filter(({ status }) => status !== 'stopped')
    .map(lobby => shown(lobby, tables))
}

/** What a token is shown as that is that of a lobby, and of no record; `undefined` for any other. */
export function lobbyTokenCalled(token: string, tables: ReadTables): LobbyTokenInfo | undefined {
  const lobbyId = lobbyIdIn(token)
  const lobby = lobbyId === undefined || tables.tokens.get(token) ? undefined : tables.lobbies.get(lobbyId)
  return lobby && lobby.status !== 'stopped' ? shown(lobby, tables) : undefined
}

/** Says to whoever writes to the token of a lobby what to write to. */
export function noRecordOfLobby({ lobby_id }: LobbyTokenInfo): ApiError {
  const path = `/__mock/lobbies/${encodeURIComponent(lobby_id)}`
  return new ApiError(
    'API_BAD_BODY',
    `this is the token of lobby ${lobby_id}, and no record: it is there as long as the lobby has not stopped. Change the lobby instead (PATCH ${path}), or take it away (DELETE ${path})`,
  )
}

/** Says to whoever makes a token of a lobby where such a one comes from. */
export function noNewLobbyToken(): ApiError {
  return new ApiError(
    'API_BAD_BODY',
    'kind is "lobby": the token of a lobby comes with the lobby. POST /__mock/lobbies makes one, and GET /__mock/tokens?kind=lobby&lobby_id={lobby_id} shows its token',
  )
}

function shown({ lobby_id, namespace_id }: LobbyRow, tables: ReadTables): LobbyTokenInfo {
  return { token: lobbyTokenOf(lobby_id), kind: 'lobby', lobby_id, namespace: fullNameOf(namespace_id, tables) }
}
