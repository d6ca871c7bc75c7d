import { type IncomingMessage, maxHeaderSize, type ServerResponse } from 'node:http'
import type { NeededWorld } from '../../core/mock/control-calls.js'
import type { AbortSignalLike, MockRequest, MockResponse } from '../../core/pipeline/message.js'

/** Decides which process answers a request, if several share the worlds. */
export interface Router {
  /** Reads what another process says about a request that it forwards. `undefined`: a client has sent the request. */
  receive(request: IncomingMessage): ForwardedRequest | undefined
  route(routed: RoutedRequest): void
}

/** The most bytes of target and headers between replicas. The forwarding header comes on top of those of a client. */
export const maxForwardedHeaderSize = 3 * maxHeaderSize

/** Tells whether Node would refuse the headers of a client. It counts them so. */
export function hasLargeHeaders({ url = '', rawHeaders }: IncomingMessage): boolean {
  return rawHeaders.reduce((size, text) => size + text.length, url.length) >= maxHeaderSize
}

/** Facts about a forwarded request. Only the process that the client is connected to knows them. */
export interface ForwardedRequest {
  /** The IP address of the client on its connection. */
  readonly address: string
  /** The port of the client on its connection. */
  readonly port?: number | undefined
  /** The IP address of the client as trusted proxies report it. */
  readonly forwardedFor: string | undefined
  /** The time for which the request has waited, in ms. */
  readonly waitedMs: number
}

/** A request before its body is read. */
export interface RoutedRequest {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly incoming: MockRequest
  readonly gone: AbortSignalLike
  readonly world: NeededWorld
  /** `undefined`: a client has sent the request. */
  readonly forwarded: ForwardedRequest | undefined
  /** Reads the body, and answers in this process. A request without a body may be answered again. */
  answer(): MockResponse | Promise<MockResponse>
  respond(response: MockResponse): void
}
