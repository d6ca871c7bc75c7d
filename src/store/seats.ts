import { UsageError } from '../lib/usage-error.js'
import { isSeated, type LobbyRow, mostPlayers, type PlayerRow, removed, seatsTaken, tooManyPlayers } from './rows.js'
import type { ReadTables } from './table.js'
import { lifetimeMs } from './time.js'
import type { Following, RowChange } from './writes.js'

/** The seats of a lobby are counted with its players, so that the two never disagree. Throws `UsageError` where it has none left. */
export function countSeats({ before, after }: RowChange<PlayerRow>, turn: Following): void {
  if (before?.lobby_id === after?.lobby_id && before?.status === after?.status) return
  if (before && isSeated(before)) addTo(before, -1, turn)
  if (after && isSeated(after)) addTo(after, 1, turn)
}

/** The seats of players who can be told apart are counted with them, and not by hand. */
export function miscounted({ before, after }: RowChange<LobbyRow>, { players }: ReadTables): string | undefined {
  if (!after) return undefined
  if (before && before.namespace_id !== after.namespace_id)
    return `namespace_id cannot become ${after.namespace_id}: make another lobby there`
  if (after.status === 'stopped' && after.total_player_count > (before?.total_player_count ?? 0))
    return `total_player_count is ${after.total_player_count}, and nobody is in a lobby that has stopped`
  const reserved = before?.reserved_player_count ?? 0
  if (after.reserved_player_count !== reserved)
    return `reserved_player_count is ${after.reserved_player_count}, and its players have ${reserved}: make or delete players instead`
  if (!before || after.total_player_count >= before.total_player_count || after.status === 'stopped') return undefined
  const { lobby_id } = after
  const connected = players.findMany(q => q.where({ lobby_id })).filter(({ status }) => status === 'connected').length
  if (after.total_player_count >= connected) return undefined
  return `total_player_count is ${after.total_player_count}, and ${connected} of its players are connected: delete some instead`
}

function addTo({ lobby_id, status }: PlayerRow, amount: 1 | -1, turn: Following): void {
  const lobby = turn.reads.lobbies.get(lobby_id)
  // Whoever sits in no lobby is found out when the turn ends.
  if (!lobby) return
  const counted = { ...lobby }
  if (status === 'reserved') counted.reserved_player_count += amount
  else counted.total_player_count += amount
  if (amount > 0 && seatsTaken(counted) > mostPlayers(counted))
    throw new UsageError(`lobby ${lobby_id}: ${tooManyPlayers(counted)}`)
  turn.put('lobbies', Object.freeze(counted))
}

/** What follows for the players of a lobby from what becomes of it. */
export function followLobby(change: RowChange<LobbyRow>, turn: Following): void {
  if (change.before?.status === 'starting' && change.after?.status === 'ready') startSeats(change.after, turn)
  endPlayers(change, turn)
}

/** Seats that were taken by a call while the lobby was starting last from now on (PROTOCOL.md C, Waiting). */
function startSeats({ lobby_id }: LobbyRow, turn: Following): void {
  for (const player of turn.reads.players.findMany(q => q.where({ lobby_id }))) {
    // One whom the scenario lists has no age, and keeps the time that the scenario gives it.
    if (player.status !== 'reserved' || player.expires_at !== undefined || player.removes_at === undefined) continue
    turn.put('players', Object.freeze({ ...player, expires_at: turn.now + lifetimeMs.seat }))
  }
}

/** The players of a lobby that stops are removed, and like it they are forgotten after a while; those of one that is gone are gone. */
function endPlayers({ before, after }: RowChange<LobbyRow>, turn: Following): void {
  if (!before || before.status === after?.status || (after && after.status !== 'stopped')) return
  const { lobby_id } = before
  for (const player of turn.reads.players.findMany(q => q.where({ lobby_id }))) {
    if (!after) turn.delete('players', player.player_token)
    else if (isSeated(player)) turn.put('players', removed(player, turn.now))
  }
  const left = turn.reads.lobbies.get(lobby_id)
  if (left?.status !== 'stopped') return
  const { forgotten_at = turn.now + lifetimeMs.gone } = left
  turn.put('lobbies', Object.freeze({ ...left, total_player_count: 0, forgotten_at }))
}
