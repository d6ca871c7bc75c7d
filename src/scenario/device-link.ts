import * as z from 'zod'
import { Duration } from '../contract/duration.js'
import { exact } from '../contract/exact.js'
import { Identifier } from '../contract/identifier.js'
import { Instant } from '../contract/instant.js'
import { DeviceLinkRow } from '../store/rows.js'
import { Token } from './token.js'

/** A device link that has been prepared when the world begins (PROTOCOL.md B8). */
export const DeviceLinkEntry = exact({
  token: Token.optional(),
  device_link_id: DeviceLinkRow.options[0].shape.device_link_id.optional().describe('Default: from the seed.'),
  status: z.enum(['pending', 'complete']).optional().describe('Default: pending.'),
  game: Identifier.optional().describe(
    'The name_id of the game that it is or will be completed for. Default: the only game.',
  ),
  cloud_token: Token.optional().describe('That of a complete link. Default: from the seed.'),
  completes_after: Duration.optional().describe('When the world completes it by itself, as in 5s. Default: never.'),
  completes_at: Instant.optional().describe('The same as a point in time.'),
  expires_after: Duration.optional().describe('As in 1h. Default: never.'),
  expires_at: Instant.optional().describe('The same as a point in time.'),
})
export type DeviceLinkEntry = z.output<typeof DeviceLinkEntry>
