import type { ExchangeMatch, JournalEntry, OperationPattern, PendingRequest } from '../contract/journal.js'
import type { WaitOptions } from '../server/request-waits.js'

/** The calls for tests: they wait for requests without polling. */
export interface TestControls {
  /**
   * Resolves with the next request that is answered after this call, and that matches. The operation may be a pattern:
   * `lobbies.*`, or `*` for any request. Rejects with `UsageError` for wrong input, and if the world is reset, replaced or
   * closed before such a request comes. It uses no timer.
   */
  next(operation: OperationPattern, match?: ExchangeMatch, options?: WaitOptions): Promise<JournalEntry>
  /**
   * Resolves as soon as that many requests wait for their answers: on a watch index, for a fault, for a lobby, or for a
   * resolver. Default: one request, of any operation. Rejects like `next`.
   */
  blocked(count?: number, operation?: OperationPattern, options?: WaitOptions): Promise<PendingRequest[]>
}
