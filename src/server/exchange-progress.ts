import type { Caller } from '../behaviour/caller.js'
import type { OperationId } from '../contract/operations.js'
import type { Exchange } from './exchange.js'

/** An exchange that has begun, and what is known of it so far. Times as `performance.now()` has them. */
export interface ExchangeProgress {
  readonly exchange: Exchange
  /** Whether it is with the world; what is between a door and its client is no part of the world's history. */
  readonly with: 'world' | 'door'
  readonly startedAt: number
  /** That of the history when it began. */
  readonly generation: number
  operation: OperationId | undefined
  caller: Caller | undefined
  /** When it began to wait; absent where it never did. */
  blockedAt: number | undefined
  /** The fault that has struck it, and what it does. */
  fault: { readonly id: string; effect: string } | undefined
  /** For how long it may block, in ms of the world's clock, where a fault makes that shorter. */
  longestBlockMs: number | undefined
  /** Made when it is needed: one that waits holds none. */
  rayId: string | undefined
}
