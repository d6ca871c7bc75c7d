import * as z from 'zod'
import { exact } from './exact.js'
import { OperationPattern, Pattern, RequestMatch } from './request-match.js'

const pattern = {
  operation: OperationPattern.optional().describe(
    'An operation, or a pattern such as devices.*. Default: any exchange.',
  ),
  match: exact({
    ...RequestMatch.shape,
    method: z.string().optional().describe('In upper case.'),
    path: Pattern.optional().describe('The path, or a pattern with *.'),
    status: z.int().optional().describe('0 where the connection was broken off.'),
  }).optional(),
}

/** Which exchanges are meant. */
export const ExchangePattern = exact(pattern)
export type ExchangePattern = z.output<typeof ExchangePattern>

/** What is expected of the journal. */
export const Expectation = exact({
  ...pattern,
  count: exact({ min: z.int().min(0).optional(), max: z.int().min(0).optional() })
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
