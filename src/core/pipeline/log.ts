import type { OperationId } from '../contract/operations.js'
import type { Caller } from '../operations/resolver.js'

/** A finished exchange, for a log. It contains no token. */
export interface ExchangeRecord {
  /** The id of the world. `undefined` if the request reached none. */
  readonly world: string | undefined
  readonly method: string
  /** With its tokens redacted. */
  readonly path: string
  /** `undefined` if no operation has the path. */
  readonly operation: OperationId | undefined
  /** `undefined` if the request was refused before its caller was known. */
  readonly caller: Caller | undefined
  /** 0 if the connection broke without a response. */
  readonly status: number
  /** The error code of a failure. */
  readonly code: string | undefined
  /** The message of a failure. */
  readonly message: string | undefined
  /** The result of a successful call in words: `duel in Frankfurt, 2/2`. `undefined` if the status says enough. */
  readonly outcome: string | undefined
  /** The name of the player that got a seat or that a server reported, as its story has it: `MellowFox`. */
  readonly player: string | undefined
  readonly rayId: string
  /** Real time from the request to its response, in ms. */
  readonly ms: number
  /** True if the request was blocked on a watch index. */
  readonly blocked: boolean
  /** True if the header Authorization was ignored because it is not `Bearer <token>`. */
  readonly authorizationIgnored: boolean
  /** True if a page of the mock sent the request, such as the dashboard. */
  readonly fromOwnPage: boolean
  /** The origin of the page, if it may not read the response. */
  readonly refusedOrigin: string | undefined
  /** The id of the fault that was applied. */
  readonly fault: string | undefined
  /** The effect of the fault in words: `reset`, `delayed 300 ms`. */
  readonly faultEffect: string | undefined
}

/** Publishes each exchange when it ends. It stores none. */
export interface ExchangeLog {
  /** Calls the listener after each exchange. Returns a function that unsubscribes. */
  subscribe(listener: (record: ExchangeRecord) => void): () => void
}
