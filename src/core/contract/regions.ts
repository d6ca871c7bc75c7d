import * as z from 'zod'
import type * as types from '../generated/operations.js'
import { lazy } from '../lib/lazy.js'
import { component, typeTexts } from '../lib/schemas.js'
import { Uuid } from './formats.js'
import { operation } from './operation.js'

/** A place on earth, in degrees: latitude -90 to 90, longitude -180 to 180. */
export const Coordinates = lazy(() =>
  z.object({
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
  }),
)
export type Coordinates = types.Coordinates

/** JavaScript writes a small number with an exponent: `1e-7`. A longer exponent would make it infinite. */
const decimal = String.raw`[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE](?:-\d{1,3}|\+?\d{1,2}))?`
const pair = new RegExp(`^ *(${decimal}) *, *(${decimal}) *$`)

/** The header `x-coords: lat,long` in degrees. Spaces and values out of range are allowed (PROTOCOL.md B4, C). */
export const CoordinatesHeader = lazy(() =>
  z
    .string()
    .transform((text, context): Coordinates => {
      const [, latitude, longitude] = pair.exec(text) ?? []
      const place = { latitude: Number(latitude), longitude: Number(longitude) }
      if (Number.isFinite(place.latitude) && Number.isFinite(place.longitude)) return place
      context.addIssue({ code: 'custom', message: 'expected "latitude,longitude" in degrees, as in 52.52,13.40' })
      return z.NEVER
    })
    .register(typeTexts, { type: 'Coordinates' })
    .meta({
      description:
        'The position of the client: latitude and longitude in degrees, as in `52.52,13.40`. Values out of range wrap around the globe.',
      pattern: pair.source,
    }),
)

/** A region as the matchmaker shows it: its data centre, and the distance from there to the client. */
export const Region = component(
  'Region',
  'A region: the coordinates of its data centre, in degrees, and the distance to the client.',
  () => ({
    region_id: z.string(),
    provider_display_name: z.string(),
    region_display_name: z.string(),
    datacenter_coord: Coordinates(),
    datacenter_distance_from_client: z.object({ kilometers: z.number(), miles: z.number() }),
  }),
)
export type Region = types.Region

/** The places that the clients know, for the regions of all providers. */
export const UniversalRegion = lazy(() =>
  z.enum([
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
  ]),
)
export type UniversalRegion = types.UniversalRegion

/** A region as the cloud shows it. Its id is a UUID there (PROTOCOL.md D). */
export const RegionSummary = component('RegionSummary', 'A region in which lobbies of a game may run.', () => ({
  region_id: Uuid,
  region_name_id: z.string().meta({ description: 'The matchmaker calls it `region_id`.' }),
  provider: z.string(),
  universal_region: UniversalRegion(),
  provider_display_name: z.string(),
  region_display_name: z.string(),
}))
export type RegionSummary = types.RegionSummary

export const regionOperations = {
  'regions.list': operation(
    'GET /matchmaker/regions',
    {
      summary: 'Lists the regions that the game modes of a namespace enable.',
      auth: 'namespace',
      kind: 'read',
      errors: ['CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_HEADERS'],
      source: 'client',
      fidelity: ['It lists the regions of `lobbies.list`.'],
    },
    () => ({
      headers: z.object({ 'x-coords': CoordinatesHeader().optional() }),
      output: z.object({ regions: z.array(Region()) }),
    }),
  ),
}
