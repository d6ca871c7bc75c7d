import { counted, grouped } from '../../core/lib/messages.js'
import { isSeated, type SeatedPlayer, seatsTaken } from '../../core/store/lobby-rules.js'
import type { LobbyRow, RegionRow } from '../../core/store/matchmaker-rows.js'
import { fullNameOf } from '../../core/store/namespaces.js'
import type { RowMaps } from './followed-world.js'

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
export function sumRegions({ regions, lobbies }: RowMaps): RegionSums[] {
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
export function regionName(regionId: string, { regions }: Pick<RowMaps, 'regions'>): string {
  return regions.get(regionId)?.region_display_name || regionId
}

const earthRadius = 6_371

/**
 * Returns the distance of a region from the player in km. `undefined`: the player has no place. The mock's own distances differ by
 * half a percent at most.
 */
export function kilometersTo(regionId: string, { settings, regions }: RowMaps): number | undefined {
  const from = settings.get('settings')?.client
  const to = regions.get(regionId)?.datacenter_coord
  if (!from || !to) return undefined
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const [one, other] = [radians(from.latitude), radians(to.latitude)]
  const halfSine = (angle: number) => Math.sin(angle / 2) ** 2
  const share =
    halfSine(other - one) + Math.cos(one) * Math.cos(other) * halfSine(radians(to.longitude - from.longitude))
  return 2 * earthRadius * Math.asin(Math.sqrt(Math.min(1, share)))
}

/** Writes a distance that is not exact: `≈ 6,490 km`. */
export function aboutText(kilometers: number | undefined): string {
  return kilometers === undefined ? '–' : `≈ ${grouped(Math.round(kilometers / 10) * 10)} km`
}

/** Names a lobby, or its server, by its game mode and its region: `duel, Frankfurt`. */
export function placeName(place: Pick<LobbyRow, 'game_mode_id' | 'region_id'>, tables: RowMaps): string {
  return `${place.game_mode_id}, ${regionName(place.region_id, tables)}`
}

/** Lists the game modes by their keys, with their names. */
export function modeOptions(tables: RowMaps): [key: string, name: string][] {
  const hasNamespaces = tables.namespaces.size > 1
  return [...tables.gameModes].map(([key, { namespace_id, game_mode_id }]) => [
    key,
    hasNamespaces ? `${fullNameOf(namespace_id, tables)}: ${game_mode_id}` : game_mode_id,
  ])
}

/** Lists the players of a lobby who have a seat. */
export function playersOf(lobbyId: string, { players }: RowMaps): SeatedPlayer[] {
  return [...players.values()].filter(isSeated).filter(({ lobby_id }) => lobby_id === lobbyId)
}

/** Says who runs the game server of a lobby. */
export function serverWords({ run_by }: LobbyRow): string {
  return serverNames[run_by]
}

const serverNames = { mock: 'mock', server: 'yours', command: 'started', none: 'none' } as const

/** Says how many play, and how many are on the way: `10 + 1 on the way, of 12 seats`. */
export function seatWords({ total_player_count, reserved_player_count, max_players_normal }: LobbyRow): string {
  const plays = grouped(total_player_count)
  const onTheWay = reserved_player_count > 0 ? ` + ${grouped(reserved_player_count)} on the way` : ' play'
  return `${plays}${onTheWay}, of ${counted(max_players_normal, 'seat', 'seats')}`
}
