import * as z from 'zod'
import { Duration, durationMs } from './duration.js'
import { exact } from './exact.js'
import { Json } from './json.js'
import { matchesGlob } from './matches-glob.js'
import { knownChoices } from './nearest.js'
import { type OperationId, operationIds, operations } from './operations.js'

/** The operations that an id, or a pattern of ids, reaches. */
function reached(pattern: string): OperationId[] {
  return operationIds.filter(id => matchesGlob(id, pattern))
}

const OperationPattern = z.string().refine(pattern => reached(pattern).length > 0, {
  // What is refined is a text.
  error: ({ input }) =>
    `expected the id of an operation, or a pattern that reaches one, such as devices.*.${knownChoices(input as string, operationIds)}`,
})

const Texts = z.record(z.string(), z.string())

const PartialBody = Json.refine(
  value => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
).meta({ type: 'object' })

const FaultMatch = exact({
  query: Texts.optional().describe('Query parameters by name: the value, or a pattern with *.'),
  headers: Texts.optional().describe('Headers by name, in any case: the value, or a pattern with *.'),
  body: PartialBody.optional().describe('What the JSON body has, among other keys; lists have just these elements.'),
  game: z.string().optional().describe('The game of the path, or of who asks: its id or its name_id.'),
  namespace: z
    .string()
    .optional()
    .describe('The namespace of the path, or of who asks: its id, its name_id, or <game name_id>/<namespace name_id>.'),
})
/** Which exchanges a fault concerns. */
export type FaultMatch = z.output<typeof FaultMatch>

const Spread = exact({ min: Duration, max: Duration }).refine(({ min, max }) => durationMs(min) <= durationMs(max), {
  path: ['max'],
  error: 'expected no less than min',
})
const LongTail = exact({ median: Duration, p95: Duration })
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

const FaultError = exact({
  status: z.int().min(400).max(599).optional().describe("Default: the code's; 500 for a code that is none of ours."),
  code: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'expected a code in upper case, such as API_RATE_LIMIT')
    .optional()
    .describe('Default: ERROR.'),
  message: z.string().optional().describe('Default: that the fault made it up.'),
}).refine(({ status, code }) => status !== undefined || code !== undefined, 'expected a status, a code, or both')
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

const FaultEffect = exact(effects)
  .refine(
    effect => Object.values(effect).filter(value => value !== undefined).length === 1,
    `expected just one of ${effectNames.join(', ')}`,
  )
  .meta({ minProperties: 1, maxProperties: 1 })

const faultKeys = {
  operation: OperationPattern.optional().describe(
    'An operation, or a pattern such as devices.*. Default: all requests, also for paths that lead nowhere.',
  ),
  match: FaultMatch.optional().describe('Of these, those for which all of this holds.'),
  effect: FaultEffect.describe('What happens to them: one of the keys.'),
  times: z.int().min(1).optional().describe('How often it strikes. Default: always.'),
  after: z
    .union([z.int().min(0), Duration], { error: 'expected a whole number from 0, or a duration such as 5s' })
    .optional()
    .describe('So many matching requests pass first, or so much time from when the fault was added.'),
  for: Duration.optional().describe('It ends so much later than it began.'),
  chance: z.number().min(0).max(1).optional().describe('How many of the requests it strikes, from 0 to 1. Default: 1.'),
}

const Instant = z.iso.datetime({ offset: true, error: 'expected a date and time with a zone' })
const Count = z.int().min(0)
const counters = {
  id: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'expected a whole number from 1, as text')
    .describe('What it is called.'),
  matched: Count.describe('How many exchanges it has matched.'),
  struck: Count.describe('How many of them it has struck.'),
  holding: Count.describe('How many requests it holds, or delays, now.'),
  added_at: Instant.describe("When it was added, on the world's clock."),
}
const beganAt = { began_at: Instant.optional().describe('When it began; absent until then.') }

/** Made-up trouble: which exchanges meet it, and what it does to them. What comes out of it can go in again. */
export const Fault = exact(faultKeys).refine(mayBlock, onlyWatches())
export type Fault = z.output<z.ZodObject<typeof faultKeys>>

/** A fault of a world, and what has become of it. It can be given back, and goes on where it was. */
export const FaultState = exact({ ...faultKeys, ...counters, ...beganAt }).refine(mayBlock, onlyWatches())
export type FaultState = z.output<typeof FaultState>

/** A fault that a world begins with: a new one, or one that goes on where it was. */
export const FaultEntry = exact({ ...faultKeys, ...z.object(counters).partial().shape, ...beganAt }).refine(
  mayBlock,
  onlyWatches(),
)
export type FaultEntry = z.output<typeof FaultEntry>

/** Whether what it wakes may block. That an operation is reached at all is the concern of the pattern. */
function mayBlock({ operation, effect }: Pick<Fault, 'operation' | 'effect'>): boolean {
  if (operation === undefined || effect.spurious === undefined) return true
  const ids = reached(operation)
  return ids.length === 0 || ids.some(id => operations[id].kind === 'watch')
}

function onlyWatches() {
  const watches = operationIds.filter(id => operations[id].kind === 'watch')
  return { path: ['effect', 'spurious'], error: `expected a watch as operation: ${watches.join(', ')}` }
}
