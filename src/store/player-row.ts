import * as z from 'zod'
import { Id, Token } from './id.js'
import { Time } from './time.js'

const playerFields = {
  player_token: Token,
  lobby_id: Id,
  namespace_id: Id,
  /** Where it comes from. */
  address: z.string(),
  /** For how long it plays once it is connected, in ms: of one whom the simulation has sent. */
  session_ms: z.int().min(1).optional(),
}

/** When a player is removed because of its age: of one who took a seat by a call. Absent: never. */
const removes_at = Time.optional()

/** When nothing is known of a player any more. Absent: never. */
const forgotten_at = Time.optional()

/** A player: with a seat that is reserved, connected, or gone, because its seat has expired or it has left (PROTOCOL.md C). */
export const PlayerRow = z.discriminatedUnion(
  'status',
  [
    z.strictObject({
      ...playerFields,
      status: z.literal('reserved'),
      /** When its seat is freed, unless it has connected. Absent: never, as where a scenario lists it. */
      expires_at: Time.optional(),
      /** When the mock connects it in its server's place. */
      connects_at: Time.optional(),
      removes_at,
    }),
    z.strictObject({
      ...playerFields,
      status: z.literal('connected'),
      /** When the mock has it leave. Absent where only its server can tell. */
      leaves_at: Time.optional(),
      removes_at,
    }),
    z.strictObject({ ...playerFields, status: z.literal('expired'), forgotten_at }),
    z.strictObject({ ...playerFields, status: z.literal('removed'), forgotten_at }),
  ],
  { error: 'expected reserved, connected, expired or removed' },
)
export type PlayerRow = z.output<typeof PlayerRow>

/** A player who has a seat. */
export type SeatedPlayer = Extract<PlayerRow, { status: 'reserved' | 'connected' }>

/** Whether a player has a seat in its lobby. */
export function isSeated(player: PlayerRow): player is SeatedPlayer {
  return player.status === 'reserved' || player.status === 'connected'
}
