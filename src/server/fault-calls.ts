import type { ErrorCode } from '../contract/errors.js'
import type { Fault, FaultDelay, FaultError, FaultState } from '../contract/faults.js'
import type { OperationPattern } from '../contract/journal.js'
import { quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import type { Faults } from './faults.js'

/** More keys of a fault: which requests it applies to, and how often. */
export interface FaultOptions extends Pick<Fault, 'times' | 'after' | 'for' | 'chance' | 'match'> {}

/** The error of a failing request: an HTTP status, a code of the service, or both with a message. */
export type Failure = number | ErrorCode | FaultError

/** A fault that code has added, as it was then. */
export interface FaultHandle extends FaultState {
  /** Deletes the fault, and releases the requests that it holds. Returns `false` if it is gone. */
  remove(): boolean
  /** Releases the requests that the fault holds or delays, and deletes it. Returns their number. */
  release(): number
}

/** Returns a fault that fails the requests of an operation. The faults of a world check the rest. */
export function failure(operation: OperationPattern, what: Failure, options: FaultOptions = {}): Fault {
  if (what === undefined)
    throw new UsageError(
      'fail: the failure is missing: expected a status such as 503, or a code such as API_RATE_LIMIT',
    )
  return faultOf('fail', operation, { error: errorOf(what) }, options)
}

/** Returns a fault that delays the requests of an operation. */
export function delayed(operation: OperationPattern, delay: FaultDelay, options: FaultOptions = {}): Fault {
  if (delay === undefined) throw new UsageError('delay: the time is missing: expected a duration such as 2s')
  return faultOf('delay', operation, { delay }, options)
}

/** Returns a fault that holds the requests of an operation. */
export function held(operation: OperationPattern, options: FaultOptions = {}): Fault {
  return faultOf('hold', operation, { hold: true }, options)
}

/** Adds a fault. Returns its handle. Throws `UsageError` if the fault is wrong. */
export function addFault(faults: Faults, fault: Fault): FaultHandle {
  const state = faults.add(fault)
  const remove = () => faults.remove(state.id)
  const release = () => {
    const released = faults.release(state.id) ?? 0
    remove()
    return released
  }
  return Object.freeze({ ...state, remove, release })
}

function faultOf(call: string, operation: OperationPattern, effect: Fault['effect'], options: FaultOptions): Fault {
  // A misspelt name must not match every request.
  if (operation === undefined)
    throw new UsageError(`${call}: the operation is missing. For the requests of all operations, pass "*"`)
  if (typeof options !== 'object' || options === null)
    throw new UsageError(`${call}: the options are ${quoted(options)}: expected an object such as { times: 2 }`)
  return { ...options, operation, effect }
}

function errorOf(what: Failure): FaultError {
  if (typeof what === 'number') return { status: what }
  return typeof what === 'string' ? { code: what } : what
}
