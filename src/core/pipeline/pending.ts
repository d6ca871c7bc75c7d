import type { OperationPattern, PendingRequest } from '../contract/journal.js'
import { Emitter } from '../lib/emitter.js'
import { matchesGlob } from '../lib/messages.js'
import { real } from '../lib/real-globals.js'
import { formatInstant } from '../lib/time.js'
import type { LiveClock } from '../store/clock.js'
import type { RequestFacts } from './message.js'
import type { Redactor } from './redact.js'

/** Requests for which only code can end the wait hold the process for this time, in ms: their clients may have a timeout. */
const holdMs = 10_000

/** The requests of a world that wait for their answer, the oldest first. They hold the process, as connections would. */
export class PendingRequests {
  readonly #exchanges = new Set<RequestFacts>()
  readonly #emitter = new Emitter<boolean>()
  /** Keeps the process alive. */
  #hold: ReturnType<typeof real.setTimeout> | undefined
  /** Another request began to wait meanwhile. */
  #isNew = false

  constructor(
    private readonly clock: Pick<LiveClock, 'mode' | 'pending'>,
    private readonly redactor: Redactor,
  ) {}

  /** Adds a request that begins to wait, or that waits for something else now. */
  add(exchange: RequestFacts): void {
    this.#exchanges.add(exchange)
    // A resolver is code of the user.
    if (exchange.waitsFor !== 'resolver') this.#holdProcess()
    this.#emitter.emit(exchange.fault !== undefined)
  }

  remove(exchange: RequestFacts): void {
    if (!this.#exchanges.delete(exchange)) return
    if (this.#exchanges.size === 0) this.#release()
    this.#emitter.emit(exchange.fault !== undefined)
  }

  #holdProcess(): void {
    this.#isNew = this.#hold !== undefined
    this.#hold ??= real.setTimeout(() => {
      this.#release()
      if (this.#isNew || this.#endsByItself()) this.#holdProcess()
    }, holdMs)
  }

  #release(): void {
    real.clearTimeout(this.#hold)
    this.#hold = undefined
  }

  /** Tells whether time ends a wait: its timer, or the last moment at which its lobby can become ready. */
  #endsByItself(): boolean {
    if (this.clock.mode === 'frozen') return false
    return this.clock.pending > 0 || [...this.#exchanges].some(({ waitsFor }) => waitsFor === 'lobby')
  }

  /** Counts the requests of an operation, or of those that match a pattern. Default: all. */
  count(operation?: OperationPattern): number {
    if (operation === undefined) return this.#exchanges.size
    let count = 0
    for (const exchange of this.#exchanges) if (isOf(exchange, operation)) count += 1
    return count
  }

  /** Lists the requests of an operation, or of those that match a pattern. Default: all. */
  list(operation?: OperationPattern): PendingRequest[] {
    return [...this.#exchanges]
      .filter(exchange => operation === undefined || isOf(exchange, operation))
      .map(exchange => pendingRequest(exchange, this.redactor))
  }

  /** Lists the first requests: those that a fault holds or delays, and then the others. */
  listFirst(limit: number): PendingRequest[] {
    const [held, others]: [RequestFacts[], RequestFacts[]] = [[], []]
    for (const exchange of this.#exchanges) {
      const list = exchange.waitsFor === 'fault' ? held : others
      if (list.length < limit) list.push(exchange)
    }
    return [...held, ...others].slice(0, limit).map(exchange => pendingRequest(exchange, this.redactor))
  }

  /** Calls the listener after a request began or ended to wait: with `true` if a fault applies to it. */
  subscribe(listener: (hasFault: boolean) => void): () => void {
    return this.#emitter.subscribe(listener)
  }
}

function isOf({ operation }: RequestFacts, pattern: OperationPattern): boolean {
  return matchesGlob(operation ?? '', pattern)
}

export function pendingRequest(exchange: RequestFacts, redactor: Redactor): PendingRequest {
  const { request, operation, pendingSince = 0, waitsFor, fault } = exchange
  return {
    ...(waitsFor === 'fault' ? { id: exchange.rayId } : {}),
    ...(operation === undefined ? {} : { operation }),
    method: request.method,
    path: redactor.text(request.path),
    query: redactor.query(request.query ?? ''),
    since: formatInstant(pendingSince),
    waits_for: waitsFor ?? 'resolver',
    ...(fault === undefined ? {} : { fault: fault.id }),
    ...redactor.body('body', request.body),
  }
}
