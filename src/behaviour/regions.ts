import type { Coordinates, Region } from '../contract/regions.js'
import type { GameModeRow, RegionRow } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'
import type { Behaviour } from './behaviour.js'
import { distance } from './distance.js'

/** Lists the regions that a namespace's game modes enable; a development token gets the canned one (PROTOCOL.md B2, C). */
export const listRegions: Behaviour<'regions.list'> = ({ caller, input, tables }) => {
  if (caller.kind === 'development') return { regions: [localRegion] }
  const modes = tables.gameModes.findMany(q => q.where({ namespace_id: caller.namespaceId }))
  return { regions: shownRegions(modes, { tables, client: clientPlace(input, tables) }) }
}

/** Where the client is: what it says of itself, else what the scenario does. */
export function clientPlace(
  { 'x-coords': said }: { readonly 'x-coords'?: Coordinates | undefined },
  { settings }: Pick<ReadTables, 'settings'>,
): Coordinates | undefined {
  return said ?? settings.get('settings')?.client
}

interface Shown {
  readonly tables: ReadTables
  readonly client: Coordinates | undefined
}

/** The regions that the modes enable, in the order of the scenario, and how far they are. */
export function shownRegions(modes: readonly GameModeRow[], { tables, client }: Shown): Region[] {
  const enabled = new Set(modes.flatMap(mode => mode.regions))
  return tables.regions
    .all()
    .filter(region => enabled.has(region.region_id))
    .map(region => toRegion(region, client))
}

function toRegion(region: RegionRow, client: Coordinates | undefined): Region {
  const { region_id, provider_display_name, region_display_name, datacenter_coord } = region
  return {
    region_id,
    provider_display_name,
    region_display_name,
    datacenter_coord,
    datacenter_distance_from_client: distance(client, datacenter_coord),
  }
}

/** The only region that a development token sees (PROTOCOL.md B2). */
export const localRegion: Region = {
  region_id: 'dev-lcl',
  provider_display_name: 'Development',
  region_display_name: 'Local',
  datacenter_coord: { latitude: 0, longitude: 0 },
  datacenter_distance_from_client: { kilometers: 0, miles: 0 },
}
