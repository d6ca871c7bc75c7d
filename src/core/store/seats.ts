import { UsageError } from '../lib/messages.js'
import { lifetimeMs } from './columns.js'
import { isSeated, mostPlayers, type SeatedPlayer, seatsTaken } from './lobby-rules.js'
import { type LobbyRow, type PlayerRow, tooManyPlayers, withoutSeat } from './matchmaker-rows.js'
import type { RowChange, Tables } from './model.js'
import type { NamespaceRow } from './rows.js'

// Triggers of lobbies and players. They keep the counts of a lobby equal to its players.

/** Finds a change that makes the counts of a lobby contradict its players, or a lobby that runs where all is down. Returns the problem. */
export function checkLobbyChange(
  { before, after }: RowChange<LobbyRow>,
  { tables: { players }, outageOf }: { readonly tables: Tables; outageOf(region_id: string): string | undefined },
): string | undefined {
  if (!after) return undefined
  const outage = outageOf(after.region_id)
  if (outage !== undefined && after.status !== 'stopped')
    return `region_id is ${after.region_id}, which is down: end fault ${outage}, or choose another region`
  if (before && before.namespace_id !== after.namespace_id)
    return `namespace_id cannot change to ${after.namespace_id}: create another lobby there`
  if (after.run_by === 'command' && before?.run_by !== 'command')
    return 'run_by is command, which only the mock sets: write server'
  if (after.status === 'stopped' && after.total_player_count > (before?.total_player_count ?? 0))
    return `total_player_count is ${after.total_player_count}, but a stopped lobby has no players`
  const reserved = before?.reserved_player_count ?? 0
  if (after.reserved_player_count !== reserved)
    return `reserved_player_count is ${after.reserved_player_count}, but its players have ${reserved} reserved seats: create or delete players instead`
  if (!before || after.total_player_count >= before.total_player_count || after.status === 'stopped') return undefined
  const connected = players.sum('connected', after.lobby_id)
  if (after.total_player_count >= connected) return undefined
  return `total_player_count is ${after.total_player_count}, but ${connected} of its players are connected: delete players instead`
}

/** Keeps the seat counts of a lobby equal to its players. Throws `UsageError` if the lobby has no free seat. */
export function countSeats({ before, after }: RowChange<PlayerRow>, tables: Tables): void {
  const left = before && isSeated(before) ? before : undefined
  const taken = after && isSeated(after) ? after : undefined
  if (left?.lobby_id !== taken?.lobby_id) {
    if (left) changeSeats(left.lobby_id, { left }, tables)
    if (taken) changeSeats(taken.lobby_id, { taken }, tables)
  } else if (left && taken && left.status !== taken.status) changeSeats(taken.lobby_id, { left, taken }, tables)
}

function changeSeats(
  lobby_id: string,
  { left, taken }: { readonly left?: SeatedPlayer; readonly taken?: SeatedPlayer },
  { lobbies }: Tables,
): void {
  const lobby = lobbies.get(lobby_id)
  // The check of references reports a player without a lobby.
  if (!lobby) return
  const counted = { ...lobby }
  if (left) addSeat(counted, left, -1)
  if (taken) addSeat(counted, taken, 1)
  const [before, after] = [seatsTaken(lobby), seatsTaken(counted)]
  if (after > before && after > mostPlayers(counted))
    throw new UsageError(`lobby ${lobby_id}: ${tooManyPlayers(counted)}`)
  lobbies.put(Object.freeze(counted))
}

function addSeat(lobby: LobbyRow, { status }: SeatedPlayer, amount: 1 | -1): void {
  if (status === 'reserved') lobby.reserved_player_count += amount
  else lobby.total_player_count += amount
}

/** Updates the players of a lobby that becomes ready or stops. */
export function updatePlayers({ before, after }: RowChange<LobbyRow>, tables: Tables, now: number): void {
  if (!before && after) countEarlierSeats(after, tables)
  if (before?.status === 'starting' && after?.status === 'ready') startSeatExpiry(after, tables, now)
  if (before && after?.status === 'stopped' && before.status !== 'stopped') removePlayers(after, tables, now)
}

/** Counts the players that the transaction created before their lobby. */
function countEarlierSeats({ lobby_id }: LobbyRow, tables: Tables): void {
  for (const player of tables.players.inIndex('lobby_id', { lobby_id }))
    if (isSeated(player)) changeSeats(lobby_id, { taken: player }, tables)
}

/** Starts the expiry of seats that were reserved while the lobby was starting (PROTOCOL.md C, Waiting). */
function startSeatExpiry({ lobby_id }: LobbyRow, { players }: Tables, now: number): void {
  for (const player of players.inIndex('lobby_id', { lobby_id })) {
    // Players of a scenario have no `removes_at`. They keep the times that the scenario gives.
    if (player.status !== 'reserved' || player.expires_at !== undefined || player.removes_at === undefined) continue
    players.put(Object.freeze({ ...player, expires_at: now + lifetimeMs.seat }))
  }
}

/** Removes the players of a stopped lobby. An hour later, the mock deletes both (PROTOCOL.md C). */
function removePlayers({ lobby_id }: LobbyRow, { players, lobbies }: Tables, now: number): void {
  for (const player of players.inIndex('lobby_id', { lobby_id }))
    if (isSeated(player)) players.put(withoutSeat(player, 'removed', now))
  const lobby = lobbies.get(lobby_id)
  if (lobby?.status !== 'stopped') return
  const { forgotten_at = now + lifetimeMs.retention } = lobby
  lobbies.put(Object.freeze({ ...lobby, total_player_count: 0, forgotten_at }))
}

/** Counts the seats taken, and the reserved ones of them. Reads sums, and no lobby. Default: those of all namespaces. */
export function countPlayers(
  { namespaces, lobbies }: Pick<Tables, 'namespaces' | 'lobbies'>,
  of: readonly Pick<NamespaceRow, 'namespace_id'>[] = namespaces.all(),
): { readonly players: number; readonly reserved: number } {
  const sum = (name: 'players' | 'reserved') =>
    of.reduce((total, { namespace_id }) => total + lobbies.sum(name, namespace_id), 0)
  return { players: sum('players'), reserved: sum('reserved') }
}
