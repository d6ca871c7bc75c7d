import * as z from 'zod'
import { didYouMean, suggestedValues } from '../lib/did-you-mean.js'
import { matchesGlob } from '../lib/glob.js'
import { isJsonObject, Json, record } from '../lib/json.js'
import { type OperationId, operationIds } from './operations.js'

/** Lists the operations whose ids match a pattern: `devices.*`. */
export function matchingOperations(pattern: string): OperationId[] {
  return operationIds.filter(id => matchesGlob(id, pattern))
}

/** A text, or a pattern with `*`. Tokens are shorter, and longer patterns would make a thousand faults slow. */
export const Pattern = z.string().max(2_000)

/** The id of an operation, or a pattern with `*` that matches one. */
export const OperationPattern = Pattern.meta(suggestedValues(operationIds)).refine(
  pattern => matchingOperations(pattern).length > 0,
  {
    error: ({ input }) =>
      // The input of a refinement of z.string() is a string.
      `expected the id of an operation, or a pattern that matches one, such as devices.*.${didYouMean(input as string, operationIds)}`,
  },
)

const Texts = record(Pattern)

const PartialBody = Json.refine(isJsonObject, 'expected an object').meta({ type: 'object' })

/** A condition on requests. All given keys must match. */
export const RequestMatch = z.strictObject({
  query: Texts.optional().meta({
    description: 'Query parameters by name: a value, or a pattern with *.',
    examples: [{ include_state: 'true' }],
  }),
  headers: Texts.optional().meta({
    description: 'Headers by name, in any case: a value, or a pattern with *.',
    examples: [{ authorization: 'Bearer pub_*' }],
  }),
  body: PartialBody.optional().meta({
    description: 'A part of the JSON body. The body may have more keys, but no more list elements.',
    examples: [{ game_modes: ['duel'] }],
  }),
  game: z
    .string()
    .optional()
    .meta({ description: 'The game in the path, or of the token: its id or its name_id.', examples: ['tanks'] }),
  namespace: z
    .string()
    .optional()
    .meta({
      description:
        'The namespace in the path, or of the token: its id, its name_id, or <game name_id>/<namespace name_id>.',
      examples: ['tanks/prod'],
    }),
})
export type RequestMatch = z.output<typeof RequestMatch>
