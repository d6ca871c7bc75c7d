import * as z from 'zod'
import { Coordinates } from './coordinates.js'

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
