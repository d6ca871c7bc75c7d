import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { regionDefaults } from '../store/default-columns.js'
import { RegionRow } from '../store/rows.js'
import { anyRegionId, catalogue } from './catalogue.js'
import { CoordinatesEntry } from './coordinates.js'
import type { Naming } from './naming.js'

const { region_id, region_uuid, provider_display_name, region_display_name } = RegionRow.shape

/** A region: the id of one in the catalogue, or a whole one. */
export const RegionEntry = z
  .union([
    region_id.meta({ description: 'A region of the catalogue.', ...anyRegionId }),
    exact({
      region_id: region_id.meta({ description: 'What lobbies and game modes call the region.', examples: ['moon'] }),
      region_uuid: region_uuid.optional().meta({
        description: 'Its id on the cloud side, a UUID. Default: that of the catalogue, else from the seed.',
        examples: ['55555555-5555-4555-8555-555555555555'],
      }),
      provider_display_name: provider_display_name.optional().meta({
        description: 'Who runs its data centre. Default: Own.',
        default: regionDefaults.provider_display_name,
      }),
      region_display_name: region_display_name
        .optional()
        .meta({ description: 'What players call the region. Default: the region_id.', examples: ['Moon'] }),
      datacenter_coord: CoordinatesEntry.optional().meta({
        description: 'Where its data centre is. Default: 0, 0.',
        default: regionDefaults.datacenter_coord,
      }),
    }),
  ])
  .describe('The id of a region of the catalogue, or a whole region.')
export type RegionEntry = z.output<typeof RegionEntry>

/** The id of an entry. */
export function regionIdOf(entry: RegionEntry): string {
  return typeof entry === 'string' ? entry : entry.region_id
}

/** The row of an entry; `undefined` where it names a region that the catalogue does not have. */
export function regionOf(entry: RegionEntry, naming: Naming): RegionRow | undefined {
  const known = catalogue.find(region => region.region_id === regionIdOf(entry))
  if (typeof entry === 'string') return known
  return {
    region_id: entry.region_id,
    region_uuid: entry.region_uuid ?? known?.region_uuid ?? naming.uuid(`region:${entry.region_id}`),
    provider_display_name: entry.provider_display_name ?? regionDefaults.provider_display_name,
    region_display_name: entry.region_display_name ?? entry.region_id,
    datacenter_coord: entry.datacenter_coord ?? regionDefaults.datacenter_coord,
  }
}
