import * as z from 'zod'
import { Coordinates } from '../contract/coordinates.js'
import { RegionRow } from '../store/rows.js'
import { catalogue } from './catalogue.js'
import { exact } from './exact.js'

const { region_id, provider_display_name, region_display_name } = RegionRow.shape

/** A place on earth, in degrees. */
export const Place = exact(Coordinates.shape)

/** A region: the id of one in the catalogue, or a whole one. */
export const RegionEntry = z.union([
  region_id,
  exact({
    region_id,
    provider_display_name: provider_display_name.optional().describe('Default: Own.'),
    region_display_name: region_display_name.optional().describe('Default: the region_id.'),
    datacenter_coord: Place.optional().describe('Default: 0, 0.'),
  }),
])
export type RegionEntry = z.output<typeof RegionEntry>

/** The id of an entry. */
export function regionIdOf(entry: RegionEntry): string {
  return typeof entry === 'string' ? entry : entry.region_id
}

/** The row of an entry; `undefined` where it names a region that the catalogue does not have. */
export function regionOf(entry: RegionEntry): RegionRow | undefined {
  if (typeof entry === 'string') return catalogue.find(region => region.region_id === entry)
  return {
    region_id: entry.region_id,
    provider_display_name: entry.provider_display_name ?? 'Own',
    region_display_name: entry.region_display_name ?? entry.region_id,
    datacenter_coord: entry.datacenter_coord ?? { latitude: 0, longitude: 0 },
  }
}
