import * as z from 'zod'
import { record } from './record.js'

const Int32 = z.int32().meta({ format: 'int32' })

/** Where a port of a lobby is reached: one `port` with its `host`, or a `port_range`, inclusive. */
export const JoinPort = z
  .object({
    hostname: z.string(),
    host: z.string().meta({ description: '`hostname:port`. Absent with a range.' }).optional(),
    port: Int32.optional(),
    port_range: z.object({ min: Int32, max: Int32 }).optional(),
    is_tls: z.boolean(),
  })
  .meta({
    id: 'JoinPort',
    description: 'Where a port of a lobby is reached: one `port` with its `host`, or a `port_range`, inclusive.',
  })
export type JoinPort = z.output<typeof JoinPort>

const ports = record(JoinPort).meta({ description: 'By their labels.' })
const player = z.object({
  token: z.string().meta({ description: 'What the player hands the game server, which tells with it who has come.' }),
})

/** A seat in a lobby: where to go, and the token of the player to go with. `ports` and `player` are there twice, as old clients want them. */
export const Join = z
  .object({
    lobby: z.object({
      lobby_id: z.string(),
      region: z.object({ region_id: z.string(), display_name: z.string() }),
      ports,
      player,
    }),
    ports,
    player,
  })
  .meta({ id: 'Join', description: 'A seat in a lobby: where to go, and the token of the player to go with.' })
export type Join = z.output<typeof Join>
