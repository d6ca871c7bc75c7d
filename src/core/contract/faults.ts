import * as z from 'zod'
import type * as types from '../generated/requests.js'
import { lazy } from '../lib/lazy.js'
import { didYouMean, nearest, quoted } from '../lib/messages.js'
import { lazyObject, typeTexts } from '../lib/schemas.js'
import { durationFormat, durationMs, parseShift } from '../lib/time.js'
import { Duration, DurationInCode, Instant } from '../lib/time-schemas.js'
import { type ErrorCode, errorStatus } from './errors.js'
import { Json } from './formats.js'
import { matchingOperations, OperationPattern, RequestMatch } from './journal.js'
import { operationIds, operations } from './operations.js'

/** The most faults of a world. Each request is compared with all of them. */
export const mostFaults = 1_000

const UniformDelay = lazy(() =>
  z
    .strictObject({
      min: Duration.describe('The shortest delay.'),
      max: Duration.describe('The longest delay.'),
    })
    .refine(({ min, max }) => durationMs(min) <= durationMs(max), {
      path: ['max'],
      error: 'expected no less than min',
    }),
)

const LogNormalDelay = lazy(() =>
  z
    .strictObject({
      median: Duration.describe('Half of the delays are shorter.'),
      p95: Duration.describe('95 of 100 delays are shorter.'),
    })
    .refine(({ median }) => durationMs(median) > 0, { path: ['median'], error: 'expected more than 0ms' })
    .refine(({ median, p95 }) => durationMs(median) <= durationMs(p95), {
      path: ['p95'],
      error: 'expected no less than median',
    }),
)

/** A delay: a duration such as `300ms`, a uniform one, or one with a long tail. */
export const FaultDelay = lazy(() =>
  z.union([Duration, UniformDelay(), LogNormalDelay()], {
    error: 'expected a duration such as 300ms, {min, max}, or {median, p95}',
  }),
)
export type FaultDelay = types.FaultDelay

const codeFormat = /^[A-Z][A-Z0-9_]*$/

const Code: () => z.ZodType<AnyErrorCode, AnyErrorCode> = lazy(() =>
  z
    .string()
    .regex(codeFormat, {
      error({ input }) {
        const near = nearest(String(input), Object.keys(errorStatus))
        return `expected a code in upper case, such as API_RATE_LIMIT${near === undefined ? '' : `. Did you mean ${near}?`}`
      },
    })
    .register(typeTexts, { type: 'AnyErrorCode' }),
)
type AnyErrorCode = types.AnyErrorCode

/** The failure that a fault answers. */
export const FaultError = lazy(() =>
  z
    .strictObject({
      status: z
        .int()
        .min(400)
        .max(599)
        .optional()
        .meta({
          description: 'The HTTP status. Default: the status of the code. A code of your own needs one.',
          examples: [429],
        }),
      code: Code()
        .optional()
        .meta({ description: 'The error code. Default: ERROR.', examples: ['API_RATE_LIMIT'] }),
      message: z
        .string()
        .optional()
        .meta({
          description: 'A sentence for people. Default: it names the fault.',
          examples: ['try again later'],
        }),
      metadata: Json.optional().meta({
        description: 'Any JSON. The answer has it as metadata beside the code.',
        examples: [{ hcaptcha: { site_id: 'site', site_key: 'key' } }],
      }),
      retry_after: z
        .int()
        .min(0)
        .optional()
        .meta({
          description: 'The seconds in the header retry-after. Default: 1 with API_RATE_LIMIT, otherwise no header.',
          examples: [2],
        }),
    })
    .refine(({ status, code }) => status !== undefined || code !== undefined, 'expected a status, a code, or both')
    .refine(({ status, code = 'ERROR' }) => status !== undefined || isServiceCode(code) || !codeFormat.test(code), {
      path: ['code'],
      // A refinement runs on valid input only, and this one fails only if there is a code.
      error({ input }) {
        const { code } = input as { readonly code: string }
        const advice = `A code of your own needs a status too, as in {status: 400, code: ${quoted(code)}}`
        return `expected an error code of the service. ${advice}.${didYouMean(code, Object.keys(errorStatus))}`
      },
    }),
)
export type FaultError = types.FaultError

export function isServiceCode(code: string): code is ErrorCode {
  return Object.hasOwn(errorStatus, code)
}

/** The HTTP status that a fault answers. Default: the status of its code. */
export function statusOf({ status, code = 'ERROR' }: FaultError): number {
  return status ?? errorStatus[isServiceCode(code) ? code : 'ERROR']
}

const offsetExpected = 'expected a whole number, or one of up to 19 digits as text'

const IndexOffset = lazyObject(() => ({
  offset: z
    .union([z.int(offsetExpected), z.string().regex(/^-?\d{1,19}$/, offsetExpected)], { error: offsetExpected })
    .describe('Added to the index of an answer, and subtracted from the index of a request. Sums wrap at 19 digits.'),
}))

const DateShift = lazy(() => {
  const error = `expected ${durationFormat}, with + or - before it`
  return z
    .string({ error })
    .refine(text => parseShift(text) !== undefined, error)
    .meta({ examples: ['+90s', '-5m'] })
})

const effects = lazy(() => ({
  delay: FaultDelay()
    .optional()
    .describe('Delays the answer: 300ms; {min, max} for a uniform delay; {median, p95} for a long tail (log-normal).'),
  error: FaultError().optional().describe('Answers with a failure. The request changes nothing.'),
  reset: z.literal(true).optional().describe('Resets the connection (TCP RST).'),
  empty: z.literal(true).optional().describe('Closes the connection without an answer.'),
  hold: z.literal(true).optional().describe('Holds the request until the fault is released.'),
  spurious: Duration.optional().describe('Wakes a blocked watch after this time, with unchanged data.'),
  index: IndexOffset()
    .optional()
    .describe('Shifts the watch index of a watch: clients see other numbers, and get the same changes.'),
  truncate: z
    .literal(true)
    .optional()
    .describe('Runs the operation, sends the first half of the body, and breaks the connection.'),
  outage: z
    .literal(true)
    .optional()
    .describe('Takes the region down: its lobbies stop, and no new one starts there until the fault ends.'),
  date: DateShift().optional().describe('Shifts the header date: a client sees a clock that is ahead or behind.'),
}))

/** The effect of a fault: exactly one of the keys. */
export const FaultEffect = lazy(() =>
  z
    .strictObject(effects())
    .refine(
      effect => Object.values(effect).filter(value => value !== undefined).length === 1,
      `expected exactly one of ${Object.keys(effects()).join(', ')}`,
    )
    .meta({ minProperties: 1, maxProperties: 1 }),
)

/** The parts of an answer that replace those of the operation. */
export const HeldAnswer = lazyObject(() => ({
  status: z
    .int()
    .min(200)
    .max(599)
    .optional()
    .describe('The HTTP status. Default: that of the operation. 204, 205 and 304 have no body.'),
  body: Json.optional().describe('The body, any JSON. Default: that of the operation.'),
}))
export type HeldAnswer = types.HeldAnswer

const waysOn = ['answer', 'error', 'reset', 'empty', 'never'] as const

/** The way in which held requests go on: at most one of the keys besides `delay`. */
export const HeldRelease = lazy(() => {
  const { error, reset, empty } = effects()
  return z
    .strictObject({
      answer: HeldAnswer()
        .refine(({ status, body }) => status !== undefined || body !== undefined, 'expected a status, a body, or both')
        .optional()
        .describe(
          'Runs the operation, and answers with this status and this body instead of its own. A watch does not block.',
        ),
      error,
      reset,
      empty,
      never: z
        .literal(true)
        .optional()
        .describe('Never answers. When the world is reset or closed, the connection closes without an answer.'),
      delay: DurationInCode.optional().describe("Waits for this time first, on the world's clock."),
    })
    .refine(
      release => waysOn.filter(name => release[name] !== undefined).length <= 1,
      `expected at most one of ${waysOn.join(', ')}`,
    )
})
/** The way in which held requests go on. Default: the operation runs and answers as usual. */
export type HeldRelease = types.HeldRelease

/** An injected error or delay: which requests it matches, and what happens to them. */
export const Fault = lazy(() =>
  z
    .strictObject({
      operation: OperationPattern()
        .optional()
        .describe('An operation, or a pattern such as devices.*. Default: all requests, also those to unknown paths.'),
      region: z
        .string()
        .optional()
        .meta({ description: 'The region that an outage takes down.', examples: ['lnd-fra'] }),
      match: RequestMatch().optional().describe('More conditions on the request. All of them must hold.'),
      effect: FaultEffect().describe('The effect on a matching request. Give one of the keys.'),
      times: z
        .int()
        .min(1)
        .optional()
        .meta({ description: 'The most requests that it applies to. Default: all.', examples: [1] }),
      after: z
        .union([z.int().min(0), Duration], { error: 'expected a whole number from 0, or a duration such as 5s' })
        .optional()
        .describe('It begins after this number of matching requests, or after this time.'),
      for: Duration.optional().describe('It ends this time after it began.'),
      chance: z
        .number()
        .min(0)
        .max(1)
        .optional()
        .meta({
          description: 'The share of the matching requests that it applies to, from 0 to 1. Default: 1.',
          default: 1,
          examples: [0.25],
        }),
    })
    .refine(...watchNeededBy('spurious'))
    .refine(...watchNeededBy('index'))
    .check(checkOutage),
)
export type Fault = types.Fault

const countedFault = lazy(() => {
  const Count = z
    .int()
    .min(0)
    .meta({ examples: [0] })
  return {
    ...Fault().shape,
    id: z
      .string()
      .regex(/^[1-9]\d{0,8}$/, 'expected a whole number from 1 to 999999999, as text')
      .meta({ description: 'The id of the fault. Default: the next number.', examples: ['1'] }),
    matched: Count.describe('The number of requests that matched so far.'),
    struck: Count.describe('The number of requests that it applied to so far. Of an outage: how often it has begun.'),
    holding: Count.describe('The number of requests that it holds or delays now.'),
    added_at: Instant.describe("The time at which it was added, on the world's clock."),
    began_at: Instant.optional().describe('The time at which it began. Absent until then.'),
    last_at: Instant.optional().describe('The time at which it last applied to a request. Absent until then.'),
  }
})

/** A fault of a world with its counters. */
export const FaultState = lazyObject(() => ({
  ...countedFault(),
  begins_at: Instant.optional().describe(
    'The time at which it begins, or has begun. Absent while it waits for a number of requests.',
  ),
  ends_at: Instant.optional().describe('The time at which it ends, or has ended. Absent if only requests can end it.'),
}))
export type FaultState = types.FaultState

/** A fault in a scenario. With the counters of a snapshot, it continues from there. */
export const FaultEntry = lazy(() =>
  z
    .strictObject(countedFault())
    .partial({ id: true, matched: true, struck: true, holding: true, added_at: true })
    .refine(...watchNeededBy('spurious'))
    .refine(...watchNeededBy('index'))
    .check(checkOutage),
)
export type FaultEntry = types.ScenarioFault

/** Only a watch wakes early, or has an index. The pattern has its own message if it matches no operation. */
function watchNeededBy(effect: 'spurious' | 'index') {
  const watches = operationIds.filter(id => operations[id].kind === 'watch')
  const isFulfilled = (fault: Pick<Fault, 'operation' | 'effect'>) => {
    if (fault.operation === undefined || fault.effect[effect] === undefined) return true
    const ids = matchingOperations(fault.operation)
    return ids.length === 0 || ids.some(id => operations[id].kind === 'watch')
  }
  const message = { path: ['effect', effect], error: `expected a watch as operation: ${watches.join(', ')}` }
  return [isFulfilled, message] as const
}

/** An outage is of a region and of a time. All other faults are of requests. */
function checkOutage({ value, issues }: z.core.ParsePayload<Partial<Fault>>): void {
  const { effect, region, after } = value
  const refuse = (key: keyof Fault, message: string) =>
    void issues.push({ code: 'custom', path: [key], message, input: value[key] })
  if (!effect?.outage) {
    if (region !== undefined) refuse('region', 'expected no region: only {outage: true} has one')
    return
  }
  if (region === undefined) refuse('region', 'expected the region that goes down')
  for (const key of ['operation', 'match', 'times', 'chance'] as const)
    if (value[key] !== undefined) refuse(key, `expected no ${key}: an outage is of a region, not of requests`)
  if (typeof after === 'number') refuse('after', 'expected a duration such as 5s: an outage counts no requests')
}
