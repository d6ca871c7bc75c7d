import { ApiError } from '../contract/errors.js'
import { lobbyIdIn } from '../store/lobby-token.js'
import { devPlayerExpiry } from '../store/player-token.js'
import { isSeated, type LobbyRow, type PlayerRow, removed, type SeatedPlayer } from '../store/rows.js'
import { playedMs } from '../store/time.js'
import type { Writes } from '../store/writes.js'
import type { Behaviour, WriteCall } from './behaviour.js'
import { ownLobby, runningLobby } from './game-server.js'

/** Connects a player who has a seat (PROTOCOL.md C). */
export const playerConnected: Behaviour<'players.connected'> = call => {
  const { caller, input, writes, now } = call
  if (caller.kind === 'development') return devPlayer(input.player_token, call)
  const found = ownPlayer(input.player_token, { ...call, caller })
  if (found instanceof ApiError) return found
  connect(checkReserved(found.player, now), { lobby: found.lobby, writes, now })
  return {}
}

/** Removes a player, whether it is connected or has a reserved seat (PROTOCOL.md C). */
export const playerDisconnected: Behaviour<'players.disconnected'> = call => {
  const { caller, input, writes, now } = call
  if (caller.kind === 'development') return devPlayer(input.player_token, call)
  const found = ownPlayer(input.player_token, { ...call, caller })
  if (found instanceof ApiError) return found
  if (isSeated(found.player)) leave(found.player, { writes, now })
  return {}
}

type PlayerCall = WriteCall<'players.connected'> | WriteCall<'players.disconnected'>

/** Checks the token of a player of a development server. Throws `ApiError` for any other token. */
function devPlayer(token: string, call: PlayerCall): Record<string, never> {
  const { seed, hasPassed } = call
  const expiresAt = devPlayerExpiry(token, seed)
  if (expiresAt !== undefined && !hasPassed(expiresAt)) return {}
  throw notOfPlayer(token, { kind: 'dev_player', call })
}

/** A call with the token of a lobby. */
type ServerCall = PlayerCall & { readonly caller: Extract<PlayerCall['caller'], { kind: 'lobby' }> }

/**
 * Finds the player that a lobby's server names, and hands the lobby over to that server. Where the player is in another
 * lobby, removes it from there and returns the refusal, so that the removal is committed. Throws any other `ApiError`.
 */
function ownPlayer(
  token: string,
  call: ServerCall,
): ApiError | { readonly player: PlayerRow; readonly lobby: LobbyRow } {
  const { caller, reads, writes, now } = call
  const named = reads.players.get(token)
  if (!named) throw notOfPlayer(token, { kind: 'player', call })
  const { lobby_id } = runningLobby(caller, reads)
  if (named.lobby_id !== lobby_id) {
    if (isSeated(named)) leave(named, { writes, now })
    return new ApiError(
      'MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY',
      `player_token is of a player of lobby ${named.lobby_id}, and this is the token of lobby ${lobby_id}: the player is removed; find, join or create gives another token`,
    )
  }
  const lobby = ownLobby(caller, call)
  // Read again: the hand-over changes the seats of the lobby.
  return { lobby, player: reads.players.get(token) ?? named }
}

/** The refusal of a `player_token` that is not of the expected kind (PROTOCOL.md C). */
function notOfPlayer(
  token: string,
  { kind, call }: { readonly kind: 'player' | 'dev_player'; readonly call: PlayerCall },
): ApiError {
  const whose =
    kind === 'player'
      ? 'find, join and create answer one as player.token'
      : 'find, join and create answer one to a development token'
  const other = validKindOf(token, call)
  if (other === undefined) return new ApiError('TOKEN_ERROR', `player_token is no token of this world: ${whose}`)
  return new ApiError(
    'CLAIMS_MISSING_ENTITLEMENT',
    `player_token is a ${other} token, and this call needs a ${kind} token there: ${whose}`,
  )
}

/** The kind of a valid token of the world; `undefined` for an unknown or expired one. */
function validKindOf(token: string, { reads, seed, hasPassed }: PlayerCall): string | undefined {
  const row = reads.tokens.get(token)
  const link = reads.deviceLinks.get(token)
  const devExpiry = devPlayerExpiry(token, seed)
  const expiresAt = row || link ? (row ?? link)?.expires_at : devExpiry
  if (expiresAt !== undefined && hasPassed(expiresAt)) return undefined
  if (row) return row.kind
  if (link) return 'device'
  if (devExpiry !== undefined) return 'dev_player'
  if (reads.players.get(token)) return 'player'
  const lobbyId = lobbyIdIn(token)
  return lobbyId !== undefined && reads.lobbies.get(lobbyId) ? 'lobby' : undefined
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
  const { player_token, lobby_id, namespace_id, address, session_ms, removes_at } = player
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
      ...(removes_at === undefined ? {} : { removes_at }),
    }),
  )
}

/** Has a player leave its seat. That it was there is known for a while, but of simulated ones, whose tokens nobody has. */
export function leave(player: SeatedPlayer, { writes, now }: Moving): void {
  if (player.session_ms === undefined) writes.put('players', removed(player, now))
  else writes.delete('players', player.player_token)
}
