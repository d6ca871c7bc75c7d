import * as z from 'zod'
import { didYouMean, suggestedValues } from '../lib/did-you-mean.js'
import { matchesGlob } from '../lib/glob.js'
import { isJsonObject, Json, record } from '../lib/json.js'
import { type OperationId, operationIds } from './operations.js'

/** The operations that an id, or a pattern of ids, reaches. */
export function matchingOperations(pattern: string): OperationId[] {
  return operationIds.filter(id => matchesGlob(id, pattern))
}

/** A text, or a pattern with `*`. Long enough for every token, and short enough to be looked for a thousand times. */
export const Pattern = z.string().max(2_000)

/** An operation's id, or a pattern with `*` that reaches one. */
export const OperationPattern = Pattern.meta(suggestedValues(operationIds)).refine(
  pattern => matchingOperations(pattern).length > 0,
  {
    // What is refined is a text.
    error: ({ input }) =>
      `expected the id of an operation, or a pattern that reaches one, such as devices.*.${didYouMean(input as string, operationIds)}`,
  },
)

const Texts = record(Pattern)

const PartialBody = Json.refine(isJsonObject, 'expected an object').meta({ type: 'object' })

/** Which requests are meant: those for which all of this holds. */
export const RequestMatch = z.strictObject({
  query: Texts.optional().meta({
    description: 'Query parameters by name: the value, or a pattern with *.',
    examples: [{ include_state: 'true' }],
  }),
  headers: Texts.optional().meta({
    description: 'Headers by name, in any case: the value, or a pattern with *.',
    examples: [{ authorization: 'Bearer pub_*' }],
  }),
  body: PartialBody.optional().meta({
    description: 'What the JSON body has, among other keys; lists have just these elements.',
    examples: [{ game_modes: ['duel'] }],
  }),
  game: z
    .string()
    .optional()
    .meta({ description: 'The game of the path, or of who asks: its id or its name_id.', examples: ['tanks'] }),
  namespace: z
    .string()
    .optional()
    .meta({
      description:
        'The namespace of the path, or of who asks: its id, its name_id, or <game name_id>/<namespace name_id>.',
      examples: ['tanks/prod'],
    }),
})
export type RequestMatch = z.output<typeof RequestMatch>
