import type { ExchangeMatch, Expectation, OperationPattern } from '../contract/journal.js'
import { beginAtCaller } from '../lib/caller-stack.js'
import { exactValue } from '../lib/json.js'
import { quoted, UsageError } from '../lib/messages.js'
import type { Difference } from './match.js'
import { requestText } from './request-text.js'
import type { NearMiss, Verification } from './verify.js'

/** The number of matching requests: exactly so many, or a range. */
export type Times = number | { readonly min?: number | undefined; readonly max?: number | undefined }

/** Thrown by `journal.expect`. The message says what differs, and shows the nearest requests. */
export class JournalMismatch extends Error {
  override readonly name = 'JournalMismatch'
  readonly verification: Verification

  constructor(verification: Verification) {
    super(describeMismatch(verification))
    this.verification = verification
    beginAtCaller(this)
  }
}

interface Expected {
  readonly operation: OperationPattern
  readonly match?: ExchangeMatch | undefined
  readonly times?: Times | undefined
}

/** Returns the expectation of a call. Default: at least one request. Throws `UsageError` for wrong times. */
export function expectationOf(call: 'expect' | 'toHaveAnswered', { operation, match, times }: Expected): Expectation {
  if (operation === undefined) throw new UsageError(`${call}: the operation is missing. For any request, pass "*"`)
  return {
    operation,
    match,
    ...(times === undefined ? {} : { count: countOf(call, times) }),
  }
}

/** Rewrites a message about an expectation as one about the arguments of the call that made it. */
export function inArguments(call: 'expect' | 'toHaveAnswered', message: string): string {
  const paths = /^(?:expectation\.)?(operation|match|count)(?=[ .[])/gm
  return message.replaceAll(paths, (_, key) => `${call}: ${key === 'count' ? 'times' : key}`)
}

function countOf(call: string, times: Times): NonNullable<Expectation['count']> {
  if (Number.isInteger(times) && Number(times) >= 0) return { min: Number(times), max: Number(times) }
  if (typeof times === 'object' && times !== null) return times
  throw new UsageError(`${call}: the times are ${quoted(times)}: expected a whole number from 0, or { min, max }`)
}

/** Writes the reason of a mismatch, and the nearest requests with their differences. */
export function describeMismatch({ reason = '', nearest }: Verification): string {
  return [
    reason,
    ...(nearest.length === 0 ? [] : ['', 'The nearest requests:', ...nearest.flatMap(nearMissLines)]),
  ].join('\n')
}

/** Quotes a value of a difference, with all its digits. */
export function differingText(one: Difference, name: 'expected' | 'actual'): string {
  const value = exactValue(one, name)
  return typeof value === 'bigint' ? String(value) : quoted(value)
}

/** Writes a request, and below it a line for each difference. */
export function nearMissLines({ exchange, differs }: NearMiss): string[] {
  const lines = differs.map(one => {
    const found = one.actual === undefined ? 'missing' : differingText(one, 'actual')
    return `     ${one.field}: expected ${differingText(one, 'expected')}, and it is ${found}`
  })
  return [`  ${requestText(exchange)}`, ...lines]
}
