import type { GameModeRow, LobbyRow, PlayerRow, RegionRow } from '../store/matchmaker-rows.js'
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

/** Returns the game mode of a lobby. `undefined` if the scenario has deleted it. */
function modeOf({ namespace_id, game_mode_id }: LobbyRow, { gameModes }: Tables): GameModeRow | undefined {
  return gameModes.get(`${namespace_id}/${game_mode_id}`)
}

/** A lobby, and why lists leave it out. */
export interface ShownLobby {
  readonly lobby: LobbyRow
  /** A few words. `undefined` if lists have it. */
  readonly hidden: string | undefined
}

/** Lists the lobbies, the newest first. */
export function listLobbies(tables: Tables): ShownLobby[] {
  const onlyOfMode = tables.settings.get('settings')?.hide_empty_lobbies ? countOpen(tables) : undefined
  const shown = [...tables.lobbies.values()].map((lobby): ShownLobby => {
    const isHiddenEmpty =
      onlyOfMode !== undefined && lobby.total_player_count === 0 && (onlyOfMode.get(modeKey(lobby)) ?? 0) > 1
    return { lobby, hidden: reasonAgainst(lobby, tables) ?? (isHiddenEmpty ? 'empty' : undefined) }
  })
  return shown.reverse()
}

function reasonAgainst(lobby: LobbyRow, tables: Tables): string | undefined {
  if (lobby.status === 'stopped') return 'stopped'
  if (lobby.is_closed) return 'closed'
  if (lobby.publicity !== 'public') return lobby.publicity
  return modeOf(lobby, tables)?.listable ? undefined : 'mode not listed'
}

function modeKey({ namespace_id, game_mode_id }: LobbyRow): string {
  return `${namespace_id}/${game_mode_id}`
}

/** Counts the open lobbies of each mode. Lists keep the only one of a mode even if it is empty. */
function countOpen(tables: Tables): Map<string, number> {
  const counts = new Map<string, number>()
  for (const lobby of tables.lobbies.values()) {
    if (reasonAgainst(lobby, tables) === undefined) counts.set(modeKey(lobby), (counts.get(modeKey(lobby)) ?? 0) + 1)
  }
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
