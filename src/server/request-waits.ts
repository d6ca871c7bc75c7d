import * as z from 'zod'
import {
  type ExchangeMatch,
  type JournalEntry,
  type OperationPattern,
  type PendingRequest,
  RequestPattern,
} from '../contract/journal.js'
import { waitSignalOf } from '../lib/abort-signal.js'
import { rememberCaller } from '../lib/caller-stack.js'
import { parseArguments } from '../lib/issues.js'
import { lazy } from '../lib/lazy.js'
import { UsageError } from '../lib/usage-error.js'
import type { LiveWorld } from '../store/world.js'
import type { History } from './history.js'
import type { PendingRequests } from './pending.js'
import { redactExpectation } from './redact.js'
import { isMatch } from './verify.js'

/** Options of a call that waits for requests. */
export interface WaitOptions {
  /** Ends the wait. The promise then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
}

interface WaitSource {
  readonly history: History
  readonly pending: PendingRequests
  readonly world: Pick<LiveWorld, 'tables'>
}

/** The number of blocked requests to wait for. Default: 1, of any operation. */
export const BlockedQuery = lazy(() =>
  z.strictObject({
    count: z.int().min(1).default(1),
    operation: RequestPattern().shape.operation,
  }),
)

/** The calls of test code that wait for requests of a world. They use no timer, so they keep no process alive. */
export class RequestWaits {
  readonly #source: WaitSource
  /** Functions that reject the waiting calls. */
  readonly #cancels = new Set<(reason: string) => void>()
  /** Why no call can wait any more. */
  #ended: string | undefined

  constructor(source: WaitSource) {
    this.#source = source
  }

  /** The number of calls that wait. */
  get size(): number {
    return this.#cancels.size
  }

  /** Resolves with the next request of an operation that is answered from now on and matches. */
  next(operation: OperationPattern, match?: ExchangeMatch, options?: WaitOptions): Promise<JournalEntry> {
    const { history, world } = this.#source
    return handled(() => {
      if (operation === undefined) throw new UsageError('next: the operation is missing. For any request, pass "*"')
      const pattern = parseArguments(RequestPattern(), { operation, match }, 'next')
      const redacted = redactExpectation(pattern)
      const signal = waitSignalOf('next', options)
      const matching = match === undefined ? '' : ` that matches ${JSON.stringify(match)}`
      const what = `a request for ${operation}${matching} came`
      return this.#wait(what, signal, resolve =>
        history.subscribe(entry => {
          if (entry?.kind !== 'exchange') return
          if (isMatch(entry.exchange.entryWithoutAnswer(), redacted, world.tables)) resolve(entry.exchange.entry())
        }),
      )
    })
  }

  /** Resolves as soon as at least that many requests wait for their answers, with all of them. */
  blocked(atLeast?: number, operation?: OperationPattern, options?: WaitOptions): Promise<PendingRequest[]> {
    const { pending } = this.#source
    return handled(() => {
      const { count } = parseArguments(BlockedQuery(), { count: atLeast, operation }, 'blocked')
      const signal = waitSignalOf('blocked', options)
      // The count of all requests is fast, and mostly it decides.
      const isReached = () => pending.count() >= count && pending.count(operation) >= count
      if (isReached()) return Promise.resolve(pending.list(operation))
      const subject = operation === undefined ? '' : ` for ${operation}`
      const what = count === 1 ? `a request${subject} was blocked` : `${count} requests${subject} were blocked`
      return this.#wait(what, signal, resolve =>
        pending.subscribe(() => {
          if (isReached()) resolve(pending.list(operation))
        }),
      )
    })
  }

  /** Rejects the waiting calls. `reason` is the beginning of their message: `the world was reset`. */
  reject(reason: string): void {
    for (const cancel of [...this.#cancels]) cancel(reason)
  }

  /** Rejects the waiting calls, and all later ones. */
  end(reason: string): void {
    this.#ended = reason
    this.reject(reason)
  }

  #wait<T>(
    what: string,
    signal: AbortSignal | undefined,
    subscribe: (resolve: (value: T) => void) => () => void,
  ): Promise<T> {
    // Whoever ends the wait is not its caller.
    const atCaller = rememberCaller()
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) throw new UsageError(`${this.#ended} before ${what}`)
      const leave = () => {
        unsubscribe()
        this.#cancels.delete(cancel)
        signal?.removeEventListener('abort', abort)
      }
      const cancel = (reason: string) => {
        leave()
        reject(atCaller(new UsageError(`${reason} before ${what}`)))
      }
      const abort = () => {
        leave()
        reject(signal?.reason)
      }
      const unsubscribe = subscribe(value => {
        leave()
        resolve(value)
      })
      this.#cancels.add(cancel)
      signal?.addEventListener('abort', abort)
      if (signal?.aborted) abort()
    })
  }
}

/** Turns a thrown error into a rejection. A test that fails before its `await` does not also report the rejection as unhandled. */
function handled<T>(begin: () => Promise<T>): Promise<T> {
  const promise = new Promise<T>(resolve => resolve(begin()))
  promise.catch(() => {})
  return promise
}
