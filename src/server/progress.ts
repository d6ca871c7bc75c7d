import type { Caller } from '../behaviour/caller.js'
import type { OperationId } from '../contract/operations.js'
import type { Exchange } from './exchange.js'

/** An exchange that has begun, and what is known of it so far. Times as `performance.now()` has them. */
export interface Progress {
  readonly exchange: Exchange
  /** Whether it is with the world; what is between a door and its client is no part of the world's history. */
  readonly with: 'world' | 'door'
  readonly startedAt: number
  operation: OperationId | undefined
  caller: Caller | undefined
  /** When it began to wait; absent where it never did. */
  blockedAt: number | undefined
  /** Made when it is needed: one that waits holds none. */
  rayId: string | undefined
}
