import { ApiError } from '../contract/errors.js'
import { exactValue, frozenCopy, setKey } from '../lib/json.js'
import { lifetimeMs, mockServerMs } from '../store/columns.js'
import { isSeated, modeKey, type RunningLobby, type SeatedPlayer } from '../store/lobby-rules.js'
import { type LobbyRow, type PlayerRow, withoutSeat } from '../store/matchmaker-rows.js'
import type { Tables } from '../store/model.js'
import { devPlayerExpiry, lobbyIdIn } from '../store/tokens.js'
import { findLobbyById } from './lobbies.js'
import type { CallerOf, Resolver, WriteCall } from './resolver.js'

/** Marks the lobby as ready for players (PROTOCOL.md C). */
export const readyLobby: Resolver<'lobbies.ready'> = ({ caller, tables, now }) => {
  if (caller.kind === 'development') return {}
  const lobby = takeOverLobby(caller, tables, now, { isStart: true })
  if (lobby.status !== 'starting') return {}
  const { ready_by: _, ...others } = lobby
  tables.lobbies.put(Object.freeze({ ...others, status: 'ready' }))
  return {}
}

/** Closes the lobby, or opens it again (PROTOCOL.md C). */
export const setLobbyClosed: Resolver<'lobbies.setClosed'> = ({ caller, input, tables, now }) => {
  if (caller.kind === 'development') return {}
  closeLobby(takeOverLobby(caller, tables, now), input.is_closed, tables)
  return {}
}

/** Sets the state of the lobby (PROTOCOL.md C). */
export const setLobbyState: Resolver<'lobbies.setState'> = ({ caller, input, tables, now }) => {
  if (caller.kind === 'development') return {}
  const { state: _, ...lobby } = takeOverLobby(caller, tables, now)
  if (input.jsonBody !== undefined) setKey(lobby, 'state', frozenCopy(exactValue(input, 'jsonBody')))
  tables.lobbies.put(Object.freeze(lobby))
  return {}
}

/** Returns the state of a lobby (PROTOCOL.md C). */
export const getLobbyState: Resolver<'lobbies.getState'> = ({ caller, input, tables, now }) => {
  if (caller.kind === 'development') return {}
  const lobby = findLobbyById(caller.namespaceId, input.lobby_id, tables)
  takeOverLobby(caller, tables, now)
  return exactValue(lobby, 'state') ?? null
}

/** Connects a player who has a seat (PROTOCOL.md C). */
export const playerConnected: Resolver<'players.connected'> = call => {
  const { caller, input, tables, now } = call
  if (caller.kind === 'development') return checkDevPlayer(input.player_token, call)
  const player = findOwnPlayer(caller, call)
  if (player instanceof ApiError) return player
  connectPlayer(checkReserved(player, now), tables, now)
  return {}
}

/** Removes a player, connected or with a reserved seat (PROTOCOL.md C). */
export const playerDisconnected: Resolver<'players.disconnected'> = call => {
  const { caller, input, tables, now } = call
  if (caller.kind === 'development') return checkDevPlayer(input.player_token, call)
  const player = findOwnPlayer(caller, call)
  if (player instanceof ApiError) return player
  if (isSeated(player)) removePlayer(player, tables, now)
  return {}
}

type LobbyCaller = Extract<CallerOf<'lobby'>, { kind: 'lobby' }>

function findRunningLobby({ lobbyId }: LobbyCaller, { lobbies }: Tables): RunningLobby {
  const lobby = lobbies.get(lobbyId)
  if (lobby && lobby.status !== 'stopped') return lobby
  throw new ApiError(
    'MATCHMAKER_LOBBY_STOPPED',
    `lobby ${lobbyId} has stopped: get a seat in another one with find or create`,
  )
}

/**
 * Finds the lobby whose server calls, and hands the lobby over to it: the mock no longer simulates that server. One without a
 * server goes to a server that starts: another one may be the rest of an earlier run. Throws `ApiError` if the lobby has stopped,
 * or has no server. `now` in ms since the epoch.
 */
function takeOverLobby(
  caller: LobbyCaller,
  tables: Tables,
  now: number,
  { isStart } = { isStart: false },
): RunningLobby {
  const lobby = findRunningLobby(caller, tables)
  if (lobby.run_by === 'server' || lobby.run_by === 'command') return lobby
  if (lobby.run_by === 'none' && !isStart)
    throw new ApiError(
      'MATCHMAKER_LOBBY_STOPPED',
      `lobby ${lobby.lobby_id} has no game server: call POST /matchmaker/lobbies/ready first`,
    )
  tables.lobbies.put(Object.freeze({ ...lobby, run_by: 'server' }))
  handOver(lobby, tables, now)
  // Read again: its seats have changed.
  return findRunningLobby(caller, tables)
}

/** Hands players over to a real server: their seats are reserved until it connects them. `lobby` is as before. */
function handOver({ lobby_id, run_by }: RunningLobby, { lobbies, players }: Tables, now: number): void {
  const isStarting = lobbies.get(lobby_id)?.status === 'starting'
  // Only seats that end by age begin to expire when a lobby is ready. Those of a scenario may have no end.
  const ends = isStarting ? { removes_at: now + lifetimeMs.player } : { expires_at: now + lifetimeMs.seat }
  for (const player of players.inIndex('lobby_id', { lobby_id })) {
    // A simulated player stays simulated: no real server has its token.
    if (player.session_ms !== undefined) continue
    if (player.status === 'reserved' && (isStarting || player.connects_at !== undefined)) {
      const { connects_at: _, ...seat } = player
      if (isStarting) delete seat.expires_at
      players.put(Object.freeze(isStarting ? { ...ends, ...seat } : seat))
    } else if (player.status === 'connected' && (player.leaves_at !== undefined || run_by === 'none')) {
      const { leaves_at: _, ...seat } = player
      players.put(Object.freeze({ ...ends, ...seat, status: 'reserved' }))
    }
  }
}

type PlayerCall = WriteCall<'players.connected'> | WriteCall<'players.disconnected'>

/** Checks the token of a player of a development server. Throws `ApiError` for any other token. */
function checkDevPlayer(token: string, call: PlayerCall): Record<string, never> {
  const expiresAt = devPlayerExpiry(token, call.seed)
  if (expiresAt !== undefined && !call.hasPassed(expiresAt)) return {}
  throw notAPlayer(token, 'dev_player', call)
}

/** Finds the player that a lobby's server names. Removes a player of another lobby, and returns an `ApiError` then. */
function findOwnPlayer(caller: LobbyCaller, call: PlayerCall): ApiError | PlayerRow {
  const { input, tables, now } = call
  const token = input.player_token
  const player = tables.players.get(token)
  if (!player) throw notAPlayer(token, 'player', call)
  const { lobby_id } = findRunningLobby(caller, tables)
  if (player.lobby_id !== lobby_id) {
    if (isSeated(player)) removePlayer(player, tables, now)
    return new ApiError(
      'MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY',
      `player_token is of a player of lobby ${player.lobby_id}, but the call comes from lobby ${lobby_id}. The mock has removed the player: ${newToken}`,
    )
  }
  takeOverLobby(caller, tables, now)
  // Read again: taking the lobby over has changed its players.
  return tables.players.get(token) ?? player
}

function notAPlayer(token: string, kind: 'player' | 'dev_player', call: PlayerCall): ApiError {
  const source =
    kind === 'player'
      ? 'find, join and create return one as player.token'
      : 'with a development token, find, join and create return one as player.token'
  const other = kindOfToken(token, call)
  if (other === undefined) return new ApiError('TOKEN_ERROR', `player_token is not a token of this world: ${source}`)
  return new ApiError(
    'CLAIMS_MISSING_ENTITLEMENT',
    `player_token is a ${other} token, but it has to be a ${kind} token: ${source}`,
  )
}

/** Finds the kind of a token of the world. Returns `undefined` if the token is unknown or has expired. */
function kindOfToken(token: string, { tables, seed, hasPassed }: PlayerCall): string | undefined {
  const row = tables.tokens.get(token)
  const link = tables.deviceLinks.get(token)
  const devExpiry = devPlayerExpiry(token, seed)
  const expiresAt = row || link ? (row ?? link)?.expires_at : devExpiry
  if (expiresAt !== undefined && hasPassed(expiresAt)) return undefined
  if (row) return row.kind
  if (link) return 'device'
  if (devExpiry !== undefined) return 'dev_player'
  if (tables.players.get(token)) return 'player'
  const lobbyId = lobbyIdIn(token)
  return lobbyId !== undefined && tables.lobbies.get(lobbyId) ? 'lobby' : undefined
}

const newToken = 'get a new token with find, join or create'

type ReservedPlayer = Extract<PlayerRow, { status: 'reserved' }>

function checkReserved(player: PlayerRow, now: number): ReservedPlayer {
  const { status } = player
  if (status === 'connected')
    throw new ApiError(
      'MATCHMAKER_PLAYER_ALREADY_CONNECTED',
      `the player is already connected: report each player once, or ${newToken}`,
    )
  if (status === 'removed')
    throw new ApiError('MATCHMAKER_PLAYER_REMOVED', `the player has left the lobby: ${newToken}`)
  if (status === 'reserved' && now < (player.expires_at ?? Number.POSITIVE_INFINITY)) return player
  throw new ApiError(
    'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED',
    `the player did not connect within 2 minutes, so the seat is free again: ${newToken}`,
  )
}

/** Connects a player with a seat. If the mock simulates the server, the player leaves later. `now` in ms since the epoch. */
export function connectPlayer(
  { expires_at: _, connects_at: __, ...seat }: ReservedPlayer,
  { lobbies, players }: Tables,
  now: number,
): void {
  const { lobby_id, session_ms } = seat
  const isSimulated = session_ms !== undefined || lobbies.get(lobby_id)?.run_by === 'mock'
  const leaves_at = now + (session_ms ?? mockServerMs.leaves)
  players.put(Object.freeze({ ...seat, status: 'connected', ...(isSimulated ? { leaves_at } : {}) }))
}

/** Frees the seat of a player. The row stays for an hour, unless the player is simulated: then no client has its token. */
export function removePlayer(player: SeatedPlayer, { players }: Tables, now: number): void {
  if (player.session_ms === undefined) players.put(withoutSeat(player, 'removed', now))
  else players.delete(player.player_token)
}

/** Closes a lobby, or opens it. */
export function closeLobby(lobby: LobbyRow, is_closed: boolean, { lobbies }: Tables): void {
  lobbies.put(Object.freeze({ ...lobby, is_closed }))
}

/**
 * Makes a lobby wait for its server again, because that starts anew: without its players, its state, and open. A lobby that
 * waits already keeps all of them, and its time to become ready begins again. `now` in ms since the epoch.
 */
export function restartLobby(lobby: RunningLobby, tables: Tables, now: number): void {
  if (lobby.status === 'starting') {
    startServer(lobby, tables, now)
    return
  }
  const { lobbies, players } = tables
  const { lobby_id } = lobby
  for (const player of players.inIndex('lobby_id', { lobby_id }))
    if (isSeated(player)) removePlayer(player, tables, now)
  // Read again: its seats have changed.
  const { state: _, ...columns } = lobbies.get(lobby_id) as RunningLobby
  startServer({ ...columns, is_closed: false }, tables, now)
}

/** Starts the server of a lobby that has none. The lobby keeps its state and its seats. Returns the lobby. `now` in ms since the epoch. */
export function startMissingServer(lobby: LobbyRow, tables: Tables, now: number): LobbyRow {
  if (lobby.run_by !== 'none' || lobby.status === 'stopped') return lobby
  startServer(lobby, tables, now)
  handOver(lobby, tables, now)
  // Read again: its seats have changed.
  return tables.lobbies.get(lobby.lobby_id) ?? lobby
}

/** Makes a lobby wait for its server. Its time to become ready begins. `now` in ms since the epoch. */
function startServer(lobby: RunningLobby, tables: Tables, now: number): void {
  const run_by = lobby.run_by === 'command' ? 'command' : 'server'
  const ready_by = now + readyWithinMs(lobby, tables)
  tables.lobbies.put(Object.freeze({ ...lobby, run_by, status: 'starting', ready_by }))
}

/** Returns the time in which the server of a lobby has to call ready, in ms. */
export function readyWithinMs(lobby: Pick<LobbyRow, 'namespace_id' | 'game_mode_id'>, tables: Tables): number {
  const own = tables.gameModes.get(modeKey(lobby))?.ready_within_ms
  return own ?? tables.settings.get('settings')?.ready_within_ms ?? lifetimeMs.starting
}

/** Stops a lobby. A trigger then removes its players. The rows stay for an hour (PROTOCOL.md C). */
export function stopLobby(lobby: RunningLobby, { lobbies }: Tables, now: number): void {
  const { status: _, stops_at: _stops_at, ...columns } = lobby
  // Only a starting lobby has it.
  Reflect.deleteProperty(columns, 'ready_by')
  lobbies.put(Object.freeze({ ...columns, status: 'stopped', forgotten_at: now + lifetimeMs.retention }))
}
