import { signalOf } from '../lib/abort-signal.js'
import { checkKeys, quoted, UsageError } from '../lib/messages.js'
import { durationInCode, readDuration } from '../lib/time.js'

// Without schemas, because the client uses it too.

/** Options of a call that waits for requests. */
export interface WaitOptions {
  /** Ends the wait. The promise then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /**
   * Ends the wait after this time: ms, or a duration such as `2s`. The promise then rejects with an error that shows the
   * nearest requests. It is real time, also on a frozen clock and with fake timers. Default: the wait has no end.
   */
  readonly timeout?: number | string | undefined
}

export interface CheckedWaitOptions {
  readonly signal: AbortSignal | undefined
  readonly timeoutMs: number | undefined
}

const known = ['signal', 'timeout'] satisfies (keyof WaitOptions)[]

/** The longest timeout in ms. It is shorter than the longest delay of `setTimeout`. */
const longestMs = 24 * 86_400_000

/** Describes a timeout in messages. */
export const expectedTimeout = `expected ${durationInCode}, from 1ms to 24d`

export function isTimeout(timeout: unknown): timeout is number | string {
  const ms = readDuration(timeout) ?? 0
  return ms >= 1 && ms <= longestMs
}

/** Checks the options of a wait. Throws `UsageError` if they are wrong. */
export function checkWaitOptions(call: 'next' | 'blocked', options: WaitOptions = {}): CheckedWaitOptions {
  const signal = signalOf(call, options)
  checkKeys(options, known, call)
  const { timeout } = options
  if (timeout !== undefined && !isTimeout(timeout))
    throw new UsageError(`${call}: options.timeout is ${quoted(timeout)}: ${expectedTimeout}`)
  return { signal, timeoutMs: readDuration(timeout) }
}

/** Throws `UsageError` if the conditions of `next` have an option of the wait. */
export function checkMatch(match: unknown): void {
  const option = known.find(key => typeof match === 'object' && match !== null && key in match)
  if (option !== undefined)
    throw new UsageError(
      `next: match.${option} is an option, and no condition on requests. Options come last: next(operation, {}, { ${option} })`,
    )
}
