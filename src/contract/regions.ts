import * as z from 'zod'
import { Uuid } from './formats.js'
import type { OperationSpec } from './operation.js'

/** A place on earth, in degrees: latitude -90 to 90, longitude -180 to 180. */
export const Coordinates = z.object({
  latitude: z.number().min(-90).max(90),
  longitude: z.number().min(-180).max(180),
})
export type Coordinates = z.output<typeof Coordinates>

const decimal = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)`
const pair = new RegExp(`^ *(${decimal}) *, *(${decimal}) *$`)

/** The header `x-coords: lat,long` in degrees, spaces allowed; out of range they are taken as they are (PROTOCOL.md B4, C). */
export const CoordinatesHeader = z
  .string()
  .transform((text, context): Coordinates => {
    const [, latitude, longitude] = pair.exec(text) ?? []
    const place = { latitude: Number(latitude), longitude: Number(longitude) }
    if (Number.isFinite(place.latitude) && Number.isFinite(place.longitude)) return place
    context.addIssue({ code: 'custom', message: 'expected "latitude,longitude" in degrees, as in 52.52,13.40' })
    return z.NEVER
  })
  .meta({
    description:
      'Where the client is: latitude and longitude in degrees, as in `52.52,13.40`. Out of range, they go on around the globe.',
    pattern: pair.source,
  })

/** A region as `lobbies.list` shows it: where its data centre is, and how far that is from the client. */
export const Region = z
  .object({
    region_id: z.string(),
    provider_display_name: z.string(),
    region_display_name: z.string(),
    datacenter_coord: Coordinates,
    datacenter_distance_from_client: z.object({ kilometers: z.number(), miles: z.number() }),
  })
  .meta({ id: 'Region', description: 'Where a data centre is, in degrees, and how far that is from the client.' })
export type Region = z.output<typeof Region>

/** The places by which the service knows regions of all providers, as its clients list them. */
export const UniversalRegion = z.enum([
  'unknown',
  'local',
  'amsterdam',
  'atlanta',
  'bangalore',
  'dallas',
  'frankfurt',
  'london',
  'mumbai',
  'newark',
  'new_york_city',
  'san_francisco',
  'singapore',
  'sydney',
  'tokyo',
  'toronto',
  'washington_dc',
  'chicago',
  'paris',
  'seattle',
  'sao_paulo',
  'stockholm',
  'chennai',
  'osaka',
  'milan',
  'miami',
  'jakarta',
  'los_angeles',
])
export type UniversalRegion = z.output<typeof UniversalRegion>

/** A region in which lobbies of a game may run. On the cloud side its id is a UUID (PROTOCOL.md D). */
export const RegionSummary = z
  .object({
    region_id: Uuid,
    region_name_id: z.string().meta({ description: 'The name that the matchmaker calls `region_id`.' }),
    provider: z.string(),
    universal_region: UniversalRegion,
    provider_display_name: z.string(),
    region_display_name: z.string(),
  })
  .meta({ id: 'RegionSummary', description: 'A region in which lobbies of a game may run.' })
export type RegionSummary = z.output<typeof RegionSummary>

/** What a client asks of the matchmaker about regions. */
export const regionOperations = {
  'regions.list': {
    method: 'GET',
    path: '/matchmaker/regions',
    summary: 'Lists the regions that the game modes of a namespace enable.',
    auth: 'namespace',
    kind: 'read',
    headers: z.object({ 'x-coords': CoordinatesHeader.optional() }),
    output: z.object({ regions: z.array(Region) }),
    errors: ['CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_HEADERS'],
    source: 'client',
    fidelity: ['The same regions, in the same order and as far away, as in `lobbies.list`.'],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
