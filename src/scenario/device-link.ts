import * as z from 'zod'
import { Duration } from '../contract/duration.js'
import { exact } from '../contract/exact.js'
import { Identifier } from '../contract/identifier.js'
import { Instant } from '../contract/instant.js'
import { DeviceLinkRow } from '../store/rows.js'
import { Token } from './token.js'

/** A device link that has been prepared when the world begins (PROTOCOL.md B8). */
export const DeviceLinkEntry = exact({
  token: Token.optional().meta({
    description: 'The token that the device watches. Default: from the seed.',
    examples: ['device.mock.sofa'],
  }),
  device_link_id: DeviceLinkRow.options[0].shape.device_link_id
    .optional()
    .meta({ description: 'Its id. Default: from the seed.', examples: ['99999999-9999-4999-8999-999999999999'] }),
  status: z
    .enum(['pending', 'complete'])
    .optional()
    .meta({ description: 'Whether a person has completed it. Default: pending.', default: 'pending' }),
  game: Identifier.optional().meta({
    description: 'The name_id of the game that it is or will be completed for. Default: the only game.',
    examples: ['tanks'],
  }),
  cloud_token: Token.optional().describe(
    'The cloud token that the device of a complete link gets. Default: from the seed.',
  ),
  completes_after: Duration.optional().describe('When the world completes it by itself, as in 5s. Default: never.'),
  completes_at: Instant.optional().describe('When that is, as a point in time instead.'),
  expires_after: Duration.optional().describe(
    'How long after the beginning of the world it expires, as in 1h. Default: never.',
  ),
  expires_at: Instant.optional().describe('When that is, as a point in time instead.'),
})
export type DeviceLinkEntry = z.output<typeof DeviceLinkEntry>
