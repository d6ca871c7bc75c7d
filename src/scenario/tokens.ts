import * as z from 'zod'
import { Identifier } from '../contract/formats.js'
import { Duration, Instant } from '../lib/time.js'
import { DeviceLinkRow, type TokenRow } from '../store/rows.js'
import { Token } from './entry.js'
import { ServerPortsEntry } from './lobbies.js'

/** A device link that has been prepared when the world begins (PROTOCOL.md B8). */
export const DeviceLinkEntry = z.strictObject({
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

/** A bearer token of the world, and whose it is. */
export const BearerTokenEntry = z.strictObject({
  token: Token.describe('As it is sent.'),
  kind: z
    .enum(['development', 'public', 'cloud'] satisfies TokenRow['kind'][])
    .describe('What it is for: mock responses, the clients of a namespace, or the cloud side of a game.'),
  namespace: z
    .string()
    .optional()
    .meta({
      description: 'Whose a development or public token is: <game name_id>/<namespace name_id>.',
      examples: ['game/prod'],
    }),
  game: z
    .string()
    .optional()
    .meta({ description: 'Whose a cloud token is: the name_id of the game.', examples: ['game'] }),
  development: ServerPortsEntry.optional().describe(
    'Where the game server of a development token runs. Default: where that of its namespace does.',
  ),
  expires_at: Instant.optional().describe('When it expires. Default: never.'),
})
export type BearerTokenEntry = z.output<typeof BearerTokenEntry>
