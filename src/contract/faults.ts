import * as z from 'zod'
import { nearest } from '../lib/did-you-mean.js'
import { Json } from '../lib/json.js'
import { Duration, durationMs, Instant } from '../lib/time.js'
import { type ErrorCode, errorStatus } from './errors.js'
import { operationIds, operations } from './operations.js'
import { matchingOperations, OperationPattern, RequestMatch } from './request-match.js'

const Spread = z
  .strictObject({
    min: Duration.describe('The shortest delay.'),
    max: Duration.describe('The longest delay.'),
  })
  .refine(({ min, max }) => durationMs(min) <= durationMs(max), {
    path: ['max'],
    error: 'expected no less than min',
  })
const LongTail = z
  .strictObject({
    median: Duration.describe('The delay that half of the requests stay below.'),
    p95: Duration.describe('The delay that 95 of 100 requests stay below.'),
  })
  .refine(({ median }) => durationMs(median) > 0, { path: ['median'], error: 'expected more than 0ms' })
  .refine(({ median, p95 }) => durationMs(median) <= durationMs(p95), {
    path: ['p95'],
    error: 'expected no less than median',
  })
const FaultDelay = z.union([Duration, Spread, LongTail], {
  error: 'expected a duration such as 300ms, {min, max}, or {median, p95}',
})
/** For how long a fault delays. */
export type FaultDelay = z.output<typeof FaultDelay>

/** Whether the contract lists the code, and so knows its status. */
function isKnown(code: string): code is ErrorCode {
  return Object.hasOwn(errorStatus, code)
}

/** The HTTP status of a failure that a fault answers: its own, else that of its code. */
export function statusOf({ status, code = 'ERROR' }: FaultError): number {
  return status ?? errorStatus[isKnown(code) ? code : 'ERROR']
}

const codeFormat = /^[A-Z][A-Z0-9_]*$/

const FaultError = z
  .strictObject({
    status: z
      .int()
      .min(400)
      .max(599)
      .optional()
      .meta({
        description: "The HTTP status. Default: the code's. A code of your own needs one.",
        examples: [429],
      }),
    code: z
      .string()
      .regex(codeFormat, 'expected a code in upper case, such as API_RATE_LIMIT')
      .optional()
      .meta({ description: 'The error code. Default: ERROR.', examples: ['API_RATE_LIMIT'] }),
    message: z
      .string()
      .optional()
      .meta({
        description: 'A sentence for people. Default: that the fault made it up.',
        examples: ['try again later'],
      }),
    metadata: Json.optional().meta({
      description: 'Any JSON; clients find it as metadata beside the code.',
      examples: [{ hcaptcha: { site_id: 'site', site_key: 'key' } }],
    }),
  })
  .refine(({ status, code }) => status !== undefined || code !== undefined, 'expected a status, a code, or both')
  .refine(({ status, code = 'ERROR' }) => status !== undefined || isKnown(code) || !codeFormat.test(code), {
    path: ['code'],
    // What is refined has the shape already, and has a code.
    error: issue => unknownCode((issue.input as { readonly code: string }).code),
  })
function unknownCode(code: string): string {
  const near = nearest(code, Object.keys(errorStatus))
  const hint = near === undefined ? '' : ` Did you mean ${near}?`
  return `expected an error code of the service, as in openapi.json, or a status beside a code of your own.${hint}`
}

/** What a fault answers. */
export type FaultError = z.output<typeof FaultError>

const effects = {
  delay: FaultDelay.optional().describe(
    'Answered so much later: 300ms; {min, max}, all between them alike; {median, p95}, with a long tail (log-normal).',
  ),
  error: FaultError.optional().describe('Answered with a failure, and nothing has happened.'),
  reset: z.literal(true).optional().describe('The connection is torn down (TCP RST).'),
  empty: z.literal(true).optional().describe('The connection is closed without an answer.'),
  hold: z.literal(true).optional().describe('Not answered until the fault is told to let go.'),
  spurious: Duration.optional().describe('A blocked watch wakes so much later with nothing new.'),
}
const effectNames = Object.keys(effects)

const FaultEffect = z
  .strictObject(effects)
  .refine(
    effect => Object.values(effect).filter(value => value !== undefined).length === 1,
    `expected just one of ${effectNames.join(', ')}`,
  )
  .meta({ minProperties: 1, maxProperties: 1 })

const faultKeys = {
  operation: OperationPattern.optional().describe(
    'An operation, or a pattern such as devices.*. Default: all requests, also for paths that lead nowhere.',
  ),
  match: RequestMatch.optional().describe('Of these, those for which all of this holds.'),
  effect: FaultEffect.describe('What happens to them: one of the keys.'),
  times: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'How often it strikes. Default: always.', examples: [1] }),
  after: z
    .union([z.int().min(0), Duration], { error: 'expected a whole number from 0, or a duration such as 5s' })
    .optional()
    .describe('So many matching requests pass first, or so much time from when the fault was added.'),
  for: Duration.optional().describe('It ends so much later than it began.'),
  chance: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .meta({
      description: 'How many of the requests it strikes, from 0 to 1. Default: 1.',
      default: 1,
      examples: [0.25],
    }),
}

/** The most faults of a world: each exchange looks at all of them. */
export const mostFaults = 1_000

const Count = z
  .int()
  .min(0)
  .meta({ examples: [0] })
const counters = {
  id: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'expected a whole number from 1 to 999999999, as text')
    .meta({ description: 'What it is called. Default: the next number.', examples: ['1'] }),
  matched: Count.describe('How many exchanges it has matched.'),
  struck: Count.describe('How many of them it has struck.'),
  holding: Count.describe('How many requests it holds, or delays, now.'),
  added_at: Instant.describe("When it was added, on the world's clock."),
}
const beganAt = { began_at: Instant.optional().describe('When it began; absent until then.') }

/** Made-up trouble: which exchanges meet it, and what it does to them. What comes out of it can go in again. */
export const Fault = z.strictObject(faultKeys).refine(mayBlock, onlyWatches())
export type Fault = z.output<z.ZodObject<typeof faultKeys>>

/** A fault of a world, and what has become of it. It can be given back, and goes on where it was. */
export const FaultState = z.strictObject({ ...faultKeys, ...counters, ...beganAt }).refine(mayBlock, onlyWatches())
export type FaultState = z.output<typeof FaultState>

/** A fault that a world begins with: a new one, or one that goes on where it was. */
export const FaultEntry = z
  .strictObject({ ...faultKeys, ...z.object(counters).partial().shape, ...beganAt })
  .refine(mayBlock, onlyWatches())
export type FaultEntry = z.output<typeof FaultEntry>

/** Whether what it wakes may block. That an operation is matchingOperations at all is the concern of the pattern. */
function mayBlock({ operation, effect }: Pick<Fault, 'operation' | 'effect'>): boolean {
  if (operation === undefined || effect.spurious === undefined) return true
  const ids = matchingOperations(operation)
  return ids.length === 0 || ids.some(id => operations[id].kind === 'watch')
}

function onlyWatches() {
  const watches = operationIds.filter(id => operations[id].kind === 'watch')
  return { path: ['effect', 'spurious'], error: `expected a watch as operation: ${watches.join(', ')}` }
}
