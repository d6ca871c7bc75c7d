import type { Caller } from '../behaviour/caller.js'
import type { OperationId } from '../contract/operations.js'

/** An exchange that is over, for a log. It holds no token. */
export interface ExchangeRecord {
  /** The id of the world that it was with. */
  readonly world: string
  readonly method: string
  /** With its tokens cut to their labels. */
  readonly path: string
  /** Absent where the path is no operation's. */
  readonly operation: OperationId | undefined
  /** Absent where the request was refused before it was known who asks. */
  readonly caller: Caller | undefined
  /** 0 where the connection broke off without an answer. */
  readonly status: number
  /** The error code of a failure. */
  readonly code: string | undefined
  /** The message of a failure. */
  readonly message: string | undefined
  /** What came of a call that succeeded, in words: `duel in Frankfurt, 2/2`. Absent where the status says all. */
  readonly outcome: string | undefined
  readonly rayId: string
  /** Real time from the request to its answer, in ms. */
  readonly ms: number
  /** Whether the request was blocked on a watch index. */
  readonly blocked: boolean
  /** Whether the header Authorization is no `Bearer <token>`, and so was taken for none. */
  readonly authorizationIgnored: boolean
  /** An origin whose pages may not read the answer. */
  readonly refusedOrigin: string | undefined
  /** The id of the fault that struck. */
  readonly fault: string | undefined
  /** What it did, in words: `reset`, `delayed 300 ms`. */
  readonly faultEffect: string | undefined
}

/** Exchanges as they end, for those who listen. */
export interface ExchangeLog {
  /** Whether anybody listens. */
  readonly heard: boolean
  emit(record: ExchangeRecord): void
  /** Calls the listener after each exchange, until the function that comes back is called. */
  subscribe(listener: (record: ExchangeRecord) => void): () => void
}

/** A log that keeps nothing: who does not listen misses what is told. */
export function createExchangeLog(): ExchangeLog {
  const listeners = new Set<(record: ExchangeRecord) => void>()
  return {
    get heard() {
      return listeners.size > 0
    },
    emit(record) {
      for (const listener of listeners) listener(record)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
