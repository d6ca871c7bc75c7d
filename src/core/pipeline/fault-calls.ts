import type { ErrorCode } from '../contract/errors.js'
import type { FaultError, FaultState, HeldRelease } from '../contract/faults.js'
import type { OperationPattern } from '../contract/journal.js'
import { checkKeys, reworded, UsageError } from '../lib/messages.js'
import { durationInCode } from '../lib/time.js'
import type { FaultDelayInput, FaultInput } from './fault-input.js'
import type { Faults } from './faults.js'

/** More keys of a fault: which requests it applies to, and how often. */
export interface FaultOptions extends Pick<FaultInput, 'times' | 'after' | 'for' | 'chance' | 'match'> {}

/** The error of a failing request: an HTTP status, a code of the service, or both with a message. */
export type Failure = number | ErrorCode | FaultError

/** A fault that code has added, as it was then. */
export interface FaultHandle extends FaultState {
  /** Deletes the fault, and releases the requests that it holds. Returns `false` if it is gone. */
  remove(): boolean
  /**
   * Releases the requests that the fault holds or delays, and deletes it. Returns their number. Default: they are answered as
   * usual. Throws `UsageError`.
   */
  release(how?: HeldRelease): number
}

export interface FaultOfCall {
  readonly fault: FaultInput
  /** Rewrites a message about the keys of the fault as one about the arguments of the call. */
  inArguments(message: string): string
}

/** Returns a fault that fails the requests of an operation. The faults of a world check the rest. */
export function failure(operation: OperationPattern, what: Failure, options?: FaultOptions): FaultOfCall {
  if (what === undefined)
    throw new UsageError(
      'fail: the failure is missing: expected a status such as 503, or a code such as API_RATE_LIMIT',
    )
  // The path of a status or a code alone names no key that the user wrote.
  const isWhole = typeof what === 'object'
  return faultOf('fail', operation, { error: errorOf(what) }, { argument: 'failure', isWhole }, options)
}

/** Returns a fault that delays the requests of an operation. */
export function delayed(operation: OperationPattern, delay: FaultDelayInput, options?: FaultOptions): FaultOfCall {
  if (delay === undefined) throw new UsageError(`delay: the delay is missing: expected ${durationInCode}`)
  return faultOf('delay', operation, { delay }, { argument: 'delay' }, options)
}

/** Returns a fault that holds the requests of an operation. */
export function held(operation: OperationPattern, options?: FaultOptions): FaultOfCall {
  return faultOf('hold', operation, { hold: true }, { argument: 'hold' }, options)
}

/** Adds a fault. Returns its handle. Throws `UsageError` if an argument is wrong. */
export function addFault(faults: Faults, { fault, inArguments }: FaultOfCall): FaultHandle {
  const state = reworded(() => faults.add(fault), inArguments)
  const remove = () => faults.remove(state.id)
  const release = (how?: HeldRelease) => {
    const released = faults.release(state.id, how) ?? 0
    remove()
    return released
  }
  return Object.freeze({ ...state, remove, release })
}

const optionNames = ['times', 'after', 'for', 'chance', 'match'] satisfies (keyof FaultOptions)[]

/** The beginning of a line about a key of a fault: `fault.effect.error.code`, `times`. */
const faultPath = new RegExp(
  `^(?:fault\\.)?(?:(?<operation>operation)|effect\\.\\w+(?<inner>[\\w.]*)|(?<option>${optionNames.join('|')}))(?=[ .[])`,
  'gm',
)

function faultOf(
  call: string,
  operation: OperationPattern,
  effect: FaultInput['effect'],
  { argument, isWhole = true }: { readonly argument: string; readonly isWhole?: boolean },
  options: FaultOptions = {},
): FaultOfCall {
  // A misspelt name must not match every request.
  if (operation === undefined)
    throw new UsageError(`${call}: the operation is missing. For the requests of all operations, pass "*"`)
  checkKeys(options, optionNames, call)
  return {
    fault: { ...options, operation, effect },
    inArguments: message =>
      message.replaceAll(faultPath, (...found) => {
        const { operation, inner = '', option } = found.at(-1) as Partial<Record<string, string>> // the named groups
        const path = operation ?? (option === undefined ? argument + (isWhole ? inner : '') : `options.${option}`)
        return `${call}: ${path}`
      }),
  }
}

function errorOf(what: Failure): FaultError {
  if (typeof what === 'number') return { status: what }
  return typeof what === 'string' ? { code: what } : what
}
