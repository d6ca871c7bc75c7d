import geodesic from 'geographiclib-geodesic'
import type { Coordinates, Region } from '../contract/regions.js'
import type { GameModeRow } from '../store/matchmaker-rows.js'
import type { Tables } from '../store/model.js'
import type { Resolver } from './resolver.js'

/** Lists the regions that a namespace's game modes enable; a development token gets the canned one (PROTOCOL.md B2, C). */
export const listRegions: Resolver<'regions.list'> = ({ caller, input, tables }) => {
  if (caller.kind === 'development') return { regions: [localRegion] }
  const modes = tables.gameModes.inIndex('namespace_id', { namespace_id: caller.namespaceId })
  return { regions: enabledRegions(modes, tables, clientLocation(input, tables)) }
}

/** Returns the client's location, from the request or else from the scenario. */
export function clientLocation(
  input: { readonly 'x-coords'?: Coordinates | undefined },
  { settings }: Pick<Tables, 'settings'>,
): Coordinates | undefined {
  return input['x-coords'] ?? settings.get('settings')?.client
}

/** Returns the regions that the modes enable, in the order of the scenario, with their distances from the client. */
export function enabledRegions(
  modes: readonly GameModeRow[],
  { regions }: Pick<Tables, 'regions'>,
  client: Coordinates | undefined,
): Region[] {
  const enabled = new Set(modes.flatMap(mode => mode.regions))
  return regions
    .all()
    .filter(({ region_id }) => enabled.has(region_id))
    .map(({ region_id, provider_display_name, region_display_name, datacenter_coord }) => ({
      region_id,
      provider_display_name,
      region_display_name,
      datacenter_coord,
      datacenter_distance_from_client: distance(client, datacenter_coord),
    }))
}

/** The only region that a development token sees (PROTOCOL.md B2). */
export const localRegion: Region = {
  region_id: 'dev-lcl',
  provider_display_name: 'Development',
  region_display_name: 'Local',
  datacenter_coord: { latitude: 0, longitude: 0 },
  datacenter_distance_from_client: { kilometers: 0, miles: 0 },
}

/** Creates a function that sorts regions by their distance from the client. Without a location, all are as far. */
export function compareDistances(
  input: { readonly 'x-coords'?: Coordinates | undefined },
  tables: Pick<Tables, 'regions' | 'settings'>,
): (region: string, other: string) => number {
  const client = clientLocation(input, tables)
  if (client === undefined) return () => 0
  const known = new Map<string, number>()
  const kilometers = (id: string): number => {
    const datacenter = tables.regions.get(id)?.datacenter_coord
    const value = known.get(id) ?? (datacenter ? distance(client, datacenter).kilometers : 0)
    known.set(id, value)
    return value
  }
  return (region, other) => kilometers(region) - kilometers(other)
}

const milesInKilometer = 0.621371

/** Returns the distance along the WGS84 geodesic, or 0 if the client's location is unknown (PROTOCOL.md B4). */
export function distance(
  client: Coordinates | undefined,
  datacenter: Coordinates,
): Region['datacenter_distance_from_client'] {
  if (client === undefined) return { kilometers: 0, miles: 0 }
  const { Geodesic } = geodesic
  const { latitude, longitude } = datacenter
  const from = normalizeCoordinates(client)
  const { s12: meters = 0 } = Geodesic.WGS84.Inverse(
    from.latitude,
    from.longitude,
    latitude,
    longitude,
    Geodesic.DISTANCE,
  )
  // Rounded to the millimetre, because JavaScript engines differ in the last bits of a sine.
  const kilometers = Math.round(meters * 1000) / 1_000_000
  return { kilometers, miles: kilometers * milesInKilometer }
}

function normalizeCoordinates({ latitude, longitude }: Coordinates): Coordinates {
  const inRange = longitude % 360
  if (Math.abs(latitude) <= 90) return { latitude, longitude: inRange }
  const turned = ((latitude % 360) + 360) % 360
  if (turned > 90 && turned < 270) return { latitude: 180 - turned, longitude: inRange + 180 }
  return { latitude: turned >= 270 ? turned - 360 : turned, longitude: inRange }
}
