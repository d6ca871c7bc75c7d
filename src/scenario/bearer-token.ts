import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { Instant } from '../contract/instant.js'
import type { TokenRow } from '../store/rows.js'
import { ServerPortsEntry } from './server-ports.js'
import { Token } from './token.js'

/** A bearer token of the world, and whose it is. */
export const BearerTokenEntry = exact({
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
