import type { OperationPattern, PendingRequest, WaitReason } from '../contract/journal.js'
import { matchesGlob } from '../lib/text.js'
import type { Clock } from '../store/clock.js'
import type { RequestContext } from './message.js'
import { bodyField, redactPath, redactQuery } from './redact.js'

/** The requests of a world that wait for their answer, the oldest first. A request that is answered at once never gets here. */
export class PendingRequests {
  readonly #clock: Pick<Clock, 'now'>
  readonly #contexts = new Set<RequestContext>()
  readonly #listeners = new Set<() => void>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Adds a request that begins to wait. A known request keeps its time. */
  add(context: RequestContext, waitsFor: WaitReason): void {
    context.waitsFor = waitsFor
    context.pendingSince ??= this.#clock.now()
    this.#contexts.add(context)
    for (const listener of [...this.#listeners]) listener()
  }

  remove(context: RequestContext): void {
    // Most requests never waited.
    if (context.pendingSince !== undefined) this.#contexts.delete(context)
  }

  /** Counts the requests of an operation, or of those that match a pattern. Default: all. */
  count(operation?: OperationPattern): number {
    if (operation === undefined) return this.#contexts.size
    let count = 0
    for (const context of this.#contexts) if (isOf(context, operation)) count += 1
    return count
  }

  /** Lists the requests of an operation, or of those that match a pattern. Default: all. */
  list(operation?: OperationPattern): PendingRequest[] {
    return [...this.#contexts]
      .filter(context => operation === undefined || isOf(context, operation))
      .map(pendingRequest)
  }

  /** Calls the listener after a request began to wait. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }
}

function isOf({ operation }: RequestContext, pattern: OperationPattern): boolean {
  return matchesGlob(operation ?? '', pattern)
}

function pendingRequest({ request, operation, pendingSince = 0, waitsFor, fault }: RequestContext): PendingRequest {
  return {
    ...(operation === undefined ? {} : { operation }),
    method: request.method,
    path: redactPath(request.path),
    query: redactQuery(request.query ?? ''),
    since: new Date(pendingSince).toISOString(),
    waits_for: waitsFor ?? 'resolver',
    ...(fault === undefined ? {} : { fault: fault.id }),
    ...bodyField('body', request.body),
  }
}
