import type { LobbyRow, PlayerRow, RegionRow } from '../store/matchmaker-rows.js'
import type { Tables } from './live-world.js'

/** The number of seats that connected players and players on the way take. */
export function seatsTaken({ total_player_count, reserved_player_count }: LobbyRow): number {
  return total_player_count + reserved_player_count
}

/** True if find could give a player a seat. */
export function hasFreeSeat(lobby: LobbyRow): boolean {
  return (
    lobby.status !== 'stopped' &&
    !lobby.is_closed &&
    lobby.publicity === 'public' &&
    seatsTaken(lobby) < lobby.max_players_normal
  )
}

/** Says why lists leave lobbies out, in a few words. The function returns `undefined` for a lobby that lists have. */
export function hiddenReasons(tables: Tables): (lobby: LobbyRow) => string | undefined {
  const reasonAgainst = (lobby: LobbyRow) => {
    if (lobby.status === 'stopped') return 'stopped'
    if (lobby.is_closed) return 'closed'
    if (lobby.publicity !== 'public') return lobby.publicity
    return tables.gameModes.get(modeKey(lobby))?.listable ? undefined : 'mode not listed'
  }
  if (!tables.settings.get('settings')?.hide_empty_lobbies) return reasonAgainst
  // Lists keep the only open lobby of a mode even if it is empty.
  const open = countBy(
    [...tables.lobbies.values()].filter(lobby => reasonAgainst(lobby) === undefined),
    modeKey,
  )
  return lobby => {
    const isHiddenEmpty = lobby.total_player_count === 0 && (open.get(modeKey(lobby)) ?? 0) > 1
    return reasonAgainst(lobby) ?? (isHiddenEmpty ? 'empty' : undefined)
  }
}

/** Returns the key of a lobby's game mode in the tables. The scenario may have deleted the mode. */
export function modeKey({ namespace_id, game_mode_id }: LobbyRow): string {
  return `${namespace_id}/${game_mode_id}`
}

function countBy(lobbies: readonly LobbyRow[], keyOf: (lobby: LobbyRow) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const lobby of lobbies) counts.set(keyOf(lobby), (counts.get(keyOf(lobby)) ?? 0) + 1)
  return counts
}

/** A region with what its running lobbies add up to. */
export interface RegionSums {
  readonly region: RegionRow
  lobbies: number
  /** The connected players. */
  players: number
  /** The seats of connected players and of players on the way. */
  taken: number
  seats: number
}

/** Adds up the running lobbies of each region, in the order of the scenario. */
export function sumRegions({ regions, lobbies }: Tables): RegionSums[] {
  const sums = new Map<string, RegionSums>()
  for (const region of regions.values())
    sums.set(region.region_id, { region, lobbies: 0, players: 0, taken: 0, seats: 0 })
  for (const lobby of lobbies.values()) {
    const sum = sums.get(lobby.region_id)
    if (!sum || lobby.status === 'stopped') continue
    sum.lobbies += 1
    sum.players += lobby.total_player_count
    sum.taken += seatsTaken(lobby)
    sum.seats += lobby.max_players_normal
  }
  return [...sums.values()]
}

/** Returns the name of a region for people. Some regions have an empty one. */
export function regionName(regionId: string, { regions }: Tables): string {
  return regions.get(regionId)?.region_display_name || regionId
}

/** Lists the players of a lobby who have a seat. */
export function playersOf(lobbyId: string, { players }: Tables): PlayerRow[] {
  return [...players.values()].filter(
    ({ lobby_id, status }) => lobby_id === lobbyId && (status === 'connected' || status === 'reserved'),
  )
}

/** Names a namespace as the command does: `tanks/prod`. */
export function namespaceName(namespaceId: string, { namespaces, games }: Tables): string {
  const namespace = namespaces.get(namespaceId)
  if (!namespace) return namespaceId
  return `${games.get(namespace.game_id)?.name_id ?? namespace.game_id}/${namespace.name_id}`
}

/** Says who runs the game server of a lobby. */
export function serverWords(lobby: LobbyRow): string {
  if (lobby.status === 'starting') return 'yours, starting'
  return lobby.run_by === 'mock' ? 'mock' : 'yours'
}

/** Says how many play, and how many are on the way: `10 / 12, 1 on the way`. */
export function seatWords({ total_player_count, reserved_player_count, max_players_normal }: LobbyRow): string {
  const plays = `${total_player_count} / ${max_players_normal}`
  return reserved_player_count === 0 ? plays : `${plays}, ${reserved_player_count} on the way`
}
