import * as z from 'zod'
import { sameJson } from '../lib/json.js'
import { suggestedValues } from '../lib/text.js'
import { catalogue, RegionRow, regionDefaults } from '../store/matchmaker-rows.js'
import { entryKeys, givenKeys, type SeededIds } from './entry.js'

/** Metadata of a region id: editors suggest those of the catalogue. */
export const suggestedRegions = suggestedValues(catalogue.map(region => region.region_id))

const { region_id } = RegionRow.shape

/** A region: the id of one in the catalogue, or a whole one. */
export const RegionEntry = z
  .union([
    region_id.meta({ description: 'A region of the catalogue.', ...suggestedRegions }),
    z.strictObject({ region_id, ...entryKeys(RegionRow.shape, { omit: ['region_id'], defaults: regionDefaults }) }),
  ])
  .describe('The id of a region of the catalogue, or a whole region.')
export type RegionEntry = z.output<typeof RegionEntry>

export function regionIdOf(entry: RegionEntry): string {
  return typeof entry === 'string' ? entry : entry.region_id
}

/** The row of an entry. `undefined` for an id that the catalogue does not have. */
export function regionRow(entry: RegionEntry, ids: SeededIds): RegionRow | undefined {
  const known = catalogue.find(region => region.region_id === regionIdOf(entry))
  if (typeof entry === 'string') return known
  return {
    ...regionDefaults,
    region_display_name: entry.region_id,
    region_uuid: known?.region_uuid ?? ids.uuid(`region:${entry.region_id}`),
    ...givenKeys(entry),
  }
}

/** The entry of a row. Only the id if the region is as in the catalogue. */
export function regionEntry(region: RegionRow): RegionEntry {
  return catalogue.some(known => sameJson(known, region)) ? region.region_id : region
}
