import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { Instant } from '../contract/instant.js'
import type { TokenRow } from '../store/rows.js'
import { ServerPortsEntry } from './server-ports.js'
import { Token } from './token.js'

/** A bearer token of the world, and whose it is. */
export const BearerTokenEntry = exact({
  token: Token.describe('As it is sent.'),
  kind: z.enum(['development', 'public', 'cloud'] satisfies TokenRow['kind'][]),
  namespace: z
    .string()
    .optional()
    .describe('Whose a development or public token is: <game name_id>/<namespace name_id>.'),
  game: z.string().optional().describe('Whose a cloud token is: the name_id of the game.'),
  development: ServerPortsEntry.optional().describe(
    'Where the game server of a development token runs. Default: where that of its namespace does.',
  ),
  expires_at: Instant.optional().describe('Default: never.'),
})
export type BearerTokenEntry = z.output<typeof BearerTokenEntry>
