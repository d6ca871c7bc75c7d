import { ApiError } from '../contract/error.js'
import { removed } from '../store/follow.js'
import { playedMs } from '../store/lifetime.js'
import type { LobbyRow } from '../store/lobby-row.js'
import { isSeated, type PlayerRow, type SeatedPlayer } from '../store/player-row.js'
import type { ReadTables, Tables } from '../store/table.js'
import { become } from './become.js'
import type { Behaviour } from './behaviour.js'
import { ownLobby } from './game-server.js'

/** A player who has a seat has come (PROTOCOL.md C). */
export const playerConnected: Behaviour<'players.connected'> = async ({ caller, input, tables, now }) => {
  if (caller.kind === 'development') return {}
  const player = playerOf(input.player_token, { lobbyId: caller.lobbyId, tables })
  const lobby = await ownLobby(caller, tables)
  await connect(checkReserved(player, now), { lobby, tables, now })
  return {}
}

/** A player has left, or gives its seat back (PROTOCOL.md C). */
export const playerDisconnected: Behaviour<'players.disconnected'> = async ({ caller, input, tables, now }) => {
  if (caller.kind === 'development') return {}
  const player = playerOf(input.player_token, { lobbyId: caller.lobbyId, tables })
  await ownLobby(caller, tables)
  if (isSeated(player)) await leave(player, { tables, now })
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
    `player_token is of a player of lobby ${player.lobby_id}, and this is the token of lobby ${lobbyId}`,
  )
}

function checkReserved(player: PlayerRow, now: number): SeatedPlayer {
  const { status } = player
  if (status === 'connected')
    throw new ApiError('MATCHMAKER_PLAYER_ALREADY_CONNECTED', 'the player of player_token is connected already')
  if (status === 'removed')
    throw new ApiError('MATCHMAKER_PLAYER_REMOVED', 'the player of player_token has left the lobby')
  if (status === 'reserved' && now < player.expires_at) return player
  throw new ApiError(
    'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED',
    'the player of player_token has not connected within 2 minutes: its seat is free again',
  )
}

/** When something is done to players, in ms since the epoch. */
interface Moving {
  readonly tables: Tables
  readonly now: number
}

/** Has a player with a seat connected; where the mock plays the server, it will leave by itself. */
export async function connect(
  player: SeatedPlayer,
  { lobby, tables, now }: Moving & { readonly lobby: LobbyRow },
): Promise<void> {
  const { player_token, lobby_id, namespace_id, address, session_ms } = player
  const isPlayed = lobby.run_by === 'mock' || session_ms !== undefined
  const leaves = isPlayed ? { leaves_at: now + (session_ms ?? playedMs.leaves) } : {}
  const session = session_ms === undefined ? {} : { session_ms }
  await tables.players.update(q => q.where({ player_token }), {
    data: become<PlayerRow>({
      player_token,
      lobby_id,
      namespace_id,
      address,
      ...session,
      status: 'connected',
      ...leaves,
    }),
  })
}

/** Has a player leave its seat. That it was there is known for a while, but of simulated ones, whose tokens nobody has. */
export async function leave(player: SeatedPlayer, { tables, now }: Moving): Promise<void> {
  const { player_token, session_ms } = player
  const query = { player_token }
  if (session_ms === undefined) await tables.players.update(q => q.where(query), { data: become(removed(player, now)) })
  else await tables.players.delete(q => q.where(query))
}
