import { ApiError } from '../contract/errors.js'
import { frozenCopy } from '../store/json-copy.js'
import { isSeated, type LobbyRow, type PlayerRow, type RunningLobby } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'
import { lifetimeMs } from '../store/time.js'
import type { Writes } from '../store/writes.js'
import type { Behaviour } from './behaviour.js'
import type { CallerOf } from './caller.js'
import { lobbyIn } from './lobbies-join.js'

/** The lobby is ready for players (PROTOCOL.md C). */
export const readyLobby: Behaviour<'lobbies.ready'> = call => {
  if (call.caller.kind === 'development') return {}
  ready(ownLobby(call.caller, call), call.writes)
  return {}
}

/** Closes the lobby, or opens it again (PROTOCOL.md C). */
export const setLobbyClosed: Behaviour<'lobbies.setClosed'> = call => {
  const { caller, input, writes } = call
  if (caller.kind === 'development') return {}
  setClosed(ownLobby(caller, call), { is_closed: input.is_closed, writes })
  return {}
}

/** Sets what the lobby says of itself (PROTOCOL.md C). */
export const setLobbyState: Behaviour<'lobbies.setState'> = call => {
  const { caller, input, writes } = call
  if (caller.kind === 'development') return {}
  const { state: _, ...lobby } = ownLobby(caller, call)
  const state = input.jsonBody === undefined ? {} : { state: frozenCopy(input.jsonBody) }
  writes.put('lobbies', Object.freeze({ ...lobby, ...state }))
  return {}
}

/** What a lobby says of itself (PROTOCOL.md C). */
export const getLobbyState: Behaviour<'lobbies.getState'> = call => {
  const { caller, input, reads: tables } = call
  if (caller.kind === 'development') return {}
  const { state = null } = lobbyIn(caller.namespaceId, { lobbyId: input.lobby_id, tables })
  ownLobby(caller, call)
  return state
}

/** Has a starting lobby ready. */
function ready(lobby: LobbyRow, writes: Writes): void {
  if (lobby.status !== 'starting') return
  const { ready_by: _, ...others } = lobby
  writes.put('lobbies', Object.freeze({ ...others, status: 'ready' }))
}

/** Closes a lobby, or opens it. */
export function setClosed(
  lobby: LobbyRow,
  { is_closed, writes }: { readonly is_closed: boolean; readonly writes: Writes },
): void {
  writes.put('lobbies', Object.freeze({ ...lobby, is_closed }))
}

interface Owned {
  readonly reads: ReadTables
  readonly writes: Writes
  /** In ms since the epoch. */
  readonly now: number
}

type LobbyCaller = Extract<CallerOf<'lobby'>, { kind: 'lobby' }>

/** The lobby whose server calls. Throws `ApiError` where it has stopped. */
export function runningLobby(
  { lobbyId: lobby_id }: LobbyCaller,
  { lobbies }: Pick<ReadTables, 'lobbies'>,
): RunningLobby {
  const lobby = lobbies.get(lobby_id)
  if (lobby && lobby.status !== 'stopped') return lobby
  throw new ApiError('MATCHMAKER_LOBBY_STOPPED', `lobby ${lobby_id} has stopped: find and create lead to others`)
}

/** The lobby whose server calls: from now on that server's calls count, and no others. Throws `ApiError` where it has stopped. */
export function ownLobby(caller: LobbyCaller, { reads, writes, now }: Owned): LobbyRow {
  const lobby = runningLobby(caller, reads)
  const { lobby_id } = lobby
  if (lobby.run_by === 'server') return lobby
  const own: LobbyRow = Object.freeze({ ...lobby, run_by: 'server' })
  writes.put('lobbies', own)
  for (const player of reads.players.findMany(q => q.where({ lobby_id }))) {
    // Whom the simulation has sent leaves by itself: no server has its token.
    if (player.session_ms === undefined) awaitServer(player, { writes, now })
  }
  // Its seats are other ones now.
  return reads.lobbies.get(lobby_id) ?? own
}

/** A player whom the mock would have connected, or has, waits for its server to say so. */
function awaitServer(player: PlayerRow, { writes, now }: Pick<Owned, 'writes' | 'now'>): void {
  if (!isSeated(player)) return
  const { player_token, lobby_id, namespace_id, address, removes_at } = player
  const seat = { player_token, lobby_id, namespace_id, address, ...(removes_at === undefined ? {} : { removes_at }) }
  const reserve = (expires_at: number | undefined) =>
    writes.put(
      'players',
      Object.freeze({ ...seat, status: 'reserved', ...(expires_at === undefined ? {} : { expires_at }) }),
    )
  if (player.status === 'reserved' && player.connects_at !== undefined) reserve(player.expires_at)
  if (player.status === 'connected' && player.leaves_at !== undefined) reserve(now + lifetimeMs.seat)
}
