import * as z from 'zod'
import {
  type ExchangeMatch,
  type JournalEntry,
  OperationPattern,
  type PendingRequest,
  RequestPattern,
} from '../contract/journal.js'
import { rememberCaller } from '../lib/caller-stack.js'
import { parseArguments } from '../lib/issues.js'
import { lazy } from '../lib/lazy.js'
import { matchesGlob, UsageError } from '../lib/messages.js'
import { real } from '../lib/real-globals.js'
import { lazyObject } from '../lib/schemas.js'
import { slowMs, whenSlow } from '../lib/slow-wait.js'
import { formatDuration } from '../lib/time.js'
import type { LiveWorld } from '../store/world.js'
import type { History, StoredExchange } from './history.js'
import { type Difference, difference } from './match.js'
import type { PendingRequests } from './pending.js'
import type { Redactor } from './redact.js'
import { isMatch, listDifferences, type NearMiss, nearestOf } from './verify.js'
import {
  type CheckedWaitOptions,
  checkMatch,
  checkWaitOptions,
  expectedTimeout,
  isTimeout,
  type WaitOptions,
} from './wait-options.js'
import { type PendingWait, timeoutText, type WantedRequests, wantedText } from './wait-report.js'

interface WaitSource {
  readonly history: History
  readonly pending: PendingRequests
  readonly world: Pick<LiveWorld, 'tables'>
  readonly redactor: Redactor
}

const Timeout = z.custom<number | string>(isTimeout, expectedTimeout).optional()

/** The request to wait for, and the longest time. */
export const NextQuery = lazy(() => RequestPattern().extend({ operation: OperationPattern(), timeout: Timeout }))

/** The number of blocked requests to wait for. Default: 1, of any operation. */
export const BlockedQuery = lazyObject(() => ({
  count: z.int().min(1).default(1),
  operation: RequestPattern().shape.operation,
  timeout: Timeout,
}))

/**
 * Thrown by `next` and `blocked` when their timeout ends. The message says what they waited for, and shows the nearest requests
 * that were answered meanwhile.
 */
export class TimeoutError extends Error {
  override readonly name = 'TimeoutError'
}

interface Wait {
  readonly wanted: WantedRequests
  /** The id of the newest exchange when the wait began. */
  readonly since: number
  nearest: readonly NearMiss[]
  cancel(reason: string): void
}

const mostSearched = 20

const mostPending = 5

/** The calls of test code that wait for requests of a world. Without a timeout they keep no process alive. */
export class RequestWaits {
  readonly #waits = new Set<Wait>()
  /** Why no call can wait any more. */
  #ended: string | undefined

  constructor(private readonly source: WaitSource) {}

  get size(): number {
    return this.#waits.size
  }

  /** Lists the calls that wait, the oldest first. */
  list(): PendingWait[] {
    return [...this.#waits].map(wait => this.#describe(wait))
  }

  /** Resolves with the next request of an operation that is answered from now on and matches. */
  next(operation: OperationPattern, match?: ExchangeMatch, options?: WaitOptions): Promise<JournalEntry> {
    return handled(() => {
      if (operation === undefined) throw new UsageError('next: the operation is missing. For any request, pass "*"')
      checkMatch(match)
      const wanted = this.source.redactor.pattern(parseArguments(RequestPattern(), { operation, match }, 'next'))
      const checked = checkWaitOptions('next', options)
      return this.#wait<JournalEntry>({ call: 'next', ...wanted }, checked, (wait, resolve) => [
        this.#onExchange(exchange => {
          const differs = this.#compare(wait, exchange)
          if (differs.length === 0) resolve(exchange.entry())
        }),
      ])
    })
  }

  /** Resolves as soon as at least that many requests wait for their answers, with all of them. */
  blocked(atLeast?: number, operation?: OperationPattern, options?: WaitOptions): Promise<PendingRequest[]> {
    const { pending } = this.source
    return handled(() => {
      const { count } = parseArguments(BlockedQuery(), { count: atLeast, operation }, 'blocked')
      const checked = checkWaitOptions('blocked', options)
      // The count of all requests is fast, and mostly it decides.
      const isReached = () => pending.count() >= count && pending.count(operation) >= count
      if (isReached()) return Promise.resolve(pending.list(operation))
      return this.#wait<PendingRequest[]>({ call: 'blocked', count, operation }, checked, (wait, resolve) => [
        pending.subscribe(() => {
          if (isReached()) resolve(pending.list(operation))
        }),
        this.#onExchange(exchange => void this.#compare(wait, exchange)),
      ])
    })
  }

  /** Rejects the waiting calls. `reason` is the beginning of their message: `the world was reset`. */
  reject(reason: string): void {
    for (const { cancel } of [...this.#waits]) cancel(reason)
  }

  end(reason: string): void {
    this.#ended = reason
    this.reject(reason)
  }

  /** `subscribe` returns functions that unsubscribe. */
  #wait<T>(
    wanted: WantedRequests,
    { signal, timeoutMs }: CheckedWaitOptions,
    subscribe: (wait: Wait, resolve: (value: T) => void) => (() => void)[],
  ): Promise<T> {
    // Errors show the line that waits, and other code ends the wait.
    const atCaller = rememberCaller()
    return new Promise((resolve, reject) => {
      if (this.#ended !== undefined) throw new UsageError(`${this.#ended} before ${wantedText(wanted)} came`)
      const leave = () => {
        for (const unsubscribe of unsubscribes) unsubscribe()
        this.#waits.delete(wait)
        real.clearTimeout(timer)
        stopSaying?.()
        signal?.removeEventListener('abort', abort)
      }
      const cancel = (reason: string) => {
        leave()
        reject(atCaller(new UsageError(`${reason} before ${wantedText(wanted)} came`)))
      }
      const abort = () => {
        leave()
        reject(signal?.reason)
      }
      const expire = (ms: number) => {
        leave()
        reject(atCaller(new TimeoutError(this.#timeoutText(wait, ms))))
      }
      const wait: Wait = { wanted, since: this.source.history.lastId, nearest: [], cancel }
      const unsubscribes = subscribe(wait, value => {
        leave()
        resolve(value)
      })
      // Real time, because it guards a test: fake timers may stand still, and a fast clock would end it too early.
      const timer = timeoutMs === undefined ? undefined : real.setTimeout(expire, timeoutMs, timeoutMs)
      // biome-ignore lint/suspicious/noConsole: the caller may wait for ever
      const say = () => console.warn(`mockmaker: still waiting: ${this.#timeoutText(wait, slowMs)}`)
      const stopSaying = timer || signal ? undefined : whenSlow(say)
      this.#waits.add(wait)
      signal?.addEventListener('abort', abort)
      if (signal?.aborted) abort()
    })
  }

  #onExchange(listener: (exchange: StoredExchange) => void): () => void {
    return this.source.history.subscribe(entry => {
      if (entry?.kind === 'exchange') listener(entry.exchange)
    })
  }

  /** Compares an answered request with those that a call waits for. Keeps it if few requests are nearer. */
  #compare(wait: Wait, stored: StoredExchange): readonly Difference[] {
    const exchange = stored.entryWithoutAnswer()
    const { call, operation, match } = wait.wanted
    const differs = listDifferences(exchange, { operation, match }, this.source.world.tables)
    if (call === 'blocked') differs.push(difference('blocked', true, false))
    wait.nearest = nearestOf([{ exchange, differs }, ...wait.nearest])
    return differs
  }

  #describe({ wanted, nearest, since }: Wait): PendingWait {
    const missed = wanted.call === 'next' ? this.#findMissed(wanted, since) : undefined
    return { ...wanted, nearest, ...(missed === undefined ? {} : { missed }) }
  }

  /** Finds the newest matching request before a wait, among the newest of its operation. */
  #findMissed({ operation = '*', match }: WantedRequests, since: number): JournalEntry | undefined {
    const { history, world } = this.source
    return history.exchanges
      .filter(exchange => exchange.id <= since && matchesGlob(exchange.operation ?? '', operation))
      .slice(-mostSearched)
      .map(exchange => exchange.entryWithoutAnswer())
      .findLast(entry => isMatch(entry, { operation, match }, world.tables))
  }

  #timeoutText(wait: Wait, ms: number): string {
    const { pending } = this.source
    return timeoutText(this.#describe(wait), formatDuration(ms), pending.listFirst(mostPending), pending.count())
  }
}

/** Turns a thrown error into a rejection. A test that fails before its `await` does not also report the rejection as unhandled. */
function handled<T>(begin: () => Promise<T>): Promise<T> {
  const promise = new Promise<T>(resolve => resolve(begin()))
  promise.catch(() => {})
  return promise
}
