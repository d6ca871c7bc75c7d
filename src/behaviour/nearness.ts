import type { Coordinates } from '../contract/regions.js'
import type { ReadTables } from '../store/table.js'
import { distance } from './distance.js'
import { clientPlace } from './regions.js'

/** Compares regions by how far they are from a client. Where that is unknown, all are as far. */
export interface Nearness {
  isNearer(region: string, other: string): boolean
}

/** As seen from where a client says that it is, else from where the scenario does. */
export function nearness(said: { readonly 'x-coords'?: Coordinates | undefined }, tables: ReadTables): Nearness {
  const client = clientPlace(said, tables)
  // What it costs to find out is saved until two have to be compared.
  const known = new Map<string, number>()
  const kilometers = (id: string): number => {
    const coord = tables.regions.get(id)?.datacenter_coord
    const far = known.get(id) ?? (coord ? distance(client, coord).kilometers : 0)
    known.set(id, far)
    return far
  }
  return { isNearer: (region, other) => client !== undefined && kilometers(region) < kilometers(other) }
}
