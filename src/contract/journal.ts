import * as z from 'zod'
import { Json, record } from '../lib/json.js'
import { Instant } from '../lib/time.js'
import { OperationPattern, Pattern, RequestMatch } from './request-match.js'

/** One text, or all where there are several. */
const Texts = record(z.union([z.string(), z.array(z.string())]))

/** An exchange as the journal shows it: its tokens are cut to their labels. */
export const JournalEntry = z.strictObject({
  id: z.int().min(1).describe('Which exchange of its world it was; one number for each exchange and each change set.'),
  time: Instant.describe("When it was answered, on the world's clock."),
  world: z.string().describe('The id of the world.'),
  operation: z.string().optional().describe('Absent where the path is none of an operation.'),
  caller: z
    .strictObject({
      kind: z.string().describe('What the token is for.'),
      namespace_id: z.string().optional().describe('The namespace of the token.'),
      game_id: z.string().optional().describe('The game of the token.'),
    })
    .optional()
    .describe('Who asked. Absent where the request was refused before that was known.'),
  method: z.string().meta({ description: 'The method of the request.', examples: ['GET'] }),
  path: z.string().meta({ description: 'The path of the request.', examples: ['/matchmaker/lobbies/list'] }),
  query: Texts.describe('The query parameters, by name.'),
  headers: Texts.describe('The headers of the request, by name.'),
  body: Json.optional().describe('JSON, or a text. Absent where there was none, and where it was too long to be kept.'),
  status: z.int().min(0).max(999).describe('0 where the connection was broken off.'),
  answer: Json.optional().describe('As `body`.'),
  ms: z.number().min(0).describe('From the request to its answer, in real ms.'),
  blocked_ms: z.number().min(0).describe('How much of that it was blocked on a watch index.'),
  fault: z.string().optional().describe('The id of the fault that struck.'),
})
export type JournalEntry = z.output<typeof JournalEntry>

/** Which exchanges are wanted; of what is absent, any. */
export interface JournalFilter {
  /** An operation's id, or a pattern of several: `devices.*`. */
  readonly operation?: string | undefined
  /** 0 where the connection was broken off. */
  readonly status?: number | undefined
  /** The id of an exchange: those after it. */
  readonly since?: number | undefined
}

export const JournalFilterSchema = z.strictObject({
  operation: OperationPattern.optional(),
  status: z.int().optional(),
  since: z.int().optional(),
}) satisfies z.ZodType<JournalFilter>

const pattern = {
  operation: OperationPattern.optional().describe(
    'An operation, or a pattern such as devices.*. Default: any exchange.',
  ),
  match: z
    .strictObject({
      ...RequestMatch.shape,
      method: z.string().optional().describe('In upper case.'),
      path: Pattern.optional().describe('The path, or a pattern with *.'),
      status: z.int().optional().describe('0 where the connection was broken off.'),
    })
    .optional(),
}

/** Which exchanges are meant. */
export const ExchangePattern = z.strictObject(pattern)
export type ExchangePattern = z.output<typeof ExchangePattern>

/** What is expected of the journal. */
export const Expectation = z.strictObject({
  ...pattern,
  count: z
    .strictObject({ min: z.int().min(0).optional(), max: z.int().min(0).optional() })
    .refine(({ min = 0, max = min }) => min <= max, { path: ['max'], error: 'expected no less than min' })
    .optional()
    .describe('How many such exchanges. Default: at least one; any number where only an order is expected.'),
  order: z
    .array(ExchangePattern)
    .max(1_000)
    .optional()
    .describe('Exchanges that happened one after the other, perhaps with others in between.'),
})
export type Expectation = z.output<typeof Expectation>
