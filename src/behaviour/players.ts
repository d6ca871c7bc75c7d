import { ApiError } from '../contract/error.js'
import { removed } from '../store/gone-player.js'
import { playedMs } from '../store/lifetime.js'
import type { LobbyRow } from '../store/lobby-row.js'
import { isSeated, type PlayerRow, type SeatedPlayer } from '../store/player-row.js'
import type { ReadTables } from '../store/table.js'
import type { Writes } from '../store/writes.js'
import type { Behaviour } from './behaviour.js'
import { ownLobby } from './game-server.js'

/** A player who has a seat has come (PROTOCOL.md C). */
export const playerConnected: Behaviour<'players.connected'> = call => {
  const { caller, input, reads: tables, writes, now } = call
  if (caller.kind === 'development') return {}
  const lobby = ownLobby(caller, call)
  const player = playerOf(input.player_token, { lobbyId: lobby.lobby_id, tables })
  connect(checkReserved(player, now), { lobby, writes, now })
  return {}
}

/** A player has left, or gives its seat back (PROTOCOL.md C). */
export const playerDisconnected: Behaviour<'players.disconnected'> = call => {
  const { caller, input, reads: tables, writes, now } = call
  if (caller.kind === 'development') return {}
  const { lobby_id: lobbyId } = ownLobby(caller, call)
  const player = playerOf(input.player_token, { lobbyId, tables })
  if (isSeated(player)) leave(player, { writes, now })
  return {}
}

interface Among {
  readonly lobbyId: string
  readonly tables: ReadTables
}

/** The player of a token. Throws `ApiError` where there is none, or it is one of another lobby. */
function playerOf(token: string, { lobbyId, tables }: Among): PlayerRow {
  const player = tables.players.get(token)
  if (!player)
    throw new ApiError('TOKEN_INVALID', 'player_token is unknown: find, join and create answer one as player.token')
  if (player.lobby_id === lobbyId) return player
  throw new ApiError(
    'API_FORBIDDEN',
    `player_token is of a player of lobby ${player.lobby_id}, and this is the token of lobby ${lobbyId}: send that of its own lobby`,
  )
}

function checkReserved(player: PlayerRow, now: number): SeatedPlayer {
  const { status } = player
  if (status === 'connected')
    throw new ApiError(
      'MATCHMAKER_PLAYER_ALREADY_CONNECTED',
      'the player of player_token is connected already: say so once; find, join or create gives another token',
    )
  if (status === 'removed')
    throw new ApiError(
      'MATCHMAKER_PLAYER_REMOVED',
      'the player of player_token has left the lobby: find, join or create gives another token',
    )
  if (status === 'reserved' && now < (player.expires_at ?? Number.POSITIVE_INFINITY)) return player
  throw new ApiError(
    'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED',
    'the player of player_token has not connected within 2 minutes: its seat is free again; find, join or create gives another token',
  )
}

/** When something is done to players, in ms since the epoch. */
interface Moving {
  readonly writes: Writes
  readonly now: number
}

/** Has a player with a seat connected; where the mock plays the server, it will leave by itself. */
export function connect(player: SeatedPlayer, { lobby, writes, now }: Moving & { readonly lobby: LobbyRow }): void {
  const { player_token, lobby_id, namespace_id, address, session_ms } = player
  const isPlayed = lobby.run_by === 'mock' || session_ms !== undefined
  const leaves_at = now + (session_ms ?? playedMs.leaves)
  writes.put(
    'players',
    Object.freeze({
      player_token,
      lobby_id,
      namespace_id,
      address,
      ...(session_ms === undefined ? {} : { session_ms }),
      status: 'connected',
      ...(isPlayed ? { leaves_at } : {}),
    }),
  )
}

/** Has a player leave its seat. That it was there is known for a while, but of simulated ones, whose tokens nobody has. */
export function leave(player: SeatedPlayer, { writes, now }: Moving): void {
  if (player.session_ms === undefined) writes.put('players', removed(player, now))
  else writes.delete('players', player.player_token)
}
