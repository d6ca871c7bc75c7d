import type { WaitReason } from '../contract/journal.js'
import { limits } from '../contract/limits.js'
import type { OperationId } from '../contract/operations.js'
import type { Caller } from '../operations/resolver.js'

/** An HTTP request, independent of Fetch, node:http and Express. */
export interface MockRequest {
  /** In upper case. */
  readonly method: string
  /** Still percent-encoded: `/matchmaker/lobbies/list`. */
  readonly path: string
  /** The path before `path` at which the client reaches the mock or its world, for messages. Default: none. */
  readonly basePath?: string | undefined
  /** The text after the `?`. Default: none. */
  readonly query?: string | undefined
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Default: none. A transport may cut a body off after `bodyLimit` + 1 bytes. */
  readonly body?: Uint8Array | undefined
  /** The IP address of the client on the connection. Default: `127.0.0.1`. */
  readonly address?: string | undefined
  /** The port of the client on the connection, which tells clients of one address apart. Default: unknown. */
  readonly port?: number | undefined
  /** The IP address of the client as trusted proxies report it. Default: no proxy is trusted, or the request came through none. */
  readonly forwardedFor?: string | undefined
  /**
   * The URL by which others reach the world, for links and the host names of game servers. A server sets it once it knows the
   * world. Default: the option `publicUrl` of the mock for links, and the Host for game servers.
   */
  publicUrl?: string | undefined
  /** The host of game servers, unless the scenario sets it. Default: that of `publicUrl`, or else the Host. */
  serverHost?: string | undefined
  /** The time for which the request has waited for other replicas, in ms. A watch waits that much less. Default: 0. */
  waitedMs?: number | undefined
  /** The origin of the page in this process, which may read each response. Default: the mock answers no page of its process. */
  readonly pageOrigin?: string | undefined
  /** Returns a signal that aborts when the client disconnects. Called only if the request has to wait. */
  signal?(): AbortSignalLike | undefined
}

/** The part of `AbortSignal` that a waiting request needs. */
export interface AbortSignalLike {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** As `Uint8Array<ArrayBuffer>`, which older versions of TypeScript do not know. */
type Bytes = ReturnType<Uint8ArrayConstructor['of']>

/** An HTTP response. It has no connection headers: each transport adds its own. */
export interface MockResponse {
  /** 0 if the connection breaks without a response, as for a network error of Fetch. */
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** Never change it: several responses may share it. */
  readonly body: Bytes
  /** Starts to send more after the body. Returns a function that stops it, to call when the client disconnects. */
  readonly stream?: ((client: StreamClient) => () => void) | undefined
  /**
   * Breaks the connection: by a reset or by closing it, before the first byte, or in the middle of the body. Only with
   * `truncate` the other fields are those of a response.
   */
  readonly disconnect?: 'reset' | 'empty' | 'truncate'
}

/** The client of a streamed response. */
export interface StreamClient {
  send(text: string): void
  end(): void
  /** Resolves when the client has received what was sent, or has disconnected. */
  drained(): Promise<void>
}

/** The pages that may read a response: those of allowed origins, of this machine, or of the mock itself. */
export type CorsPolicy = 'allowed origins' | 'loopback' | 'this origin'

/** A response before it gets the common headers. */
export interface MockResponseInit extends MockResponse {
  readonly cors: CorsPolicy
}

/**
 * Answers requests. Never throws or rejects. Returns a promise only if a request writes, is blocked or delayed, or waits
 * for overdue jobs.
 */
export type RequestHandler = (request: MockRequest) => MockResponse | Promise<MockResponse>

/** The facts about a request when it is answered. `startedAt` and `blockedAt` are in ms of `performance.now()`. */
export interface RequestFacts {
  readonly request: MockRequest
  readonly startedAt: number
  readonly rayId: string
  /** The time in the header `date`, in ms since the epoch. Default: the transport adds the real time. */
  readonly date?: number | undefined
  /** `undefined` if no operation has the path. */
  readonly operation?: OperationId | undefined
  readonly caller?: Caller | undefined
  /** The time at which the request began to wait on a watch index or a lobby. */
  readonly blockedAt?: number | undefined
  /** The time of the world's clock at which the request began to wait, in ms since the epoch. */
  readonly pendingSince?: number | undefined
  /** The event that the request waits for. */
  readonly waitsFor?: WaitReason | undefined
  /** The fault that was applied, and its effect in words. */
  readonly fault?: { readonly id: string; readonly effect: string } | undefined
  /** True if the release of the held request replaced the answer of the operation. */
  readonly isEdited?: boolean | undefined
  /** The revisions of the change sets that the request made. */
  readonly revisions?: readonly number[] | undefined
}

/** The most bytes that the body of a request may have. */
export const bodyLimit = limits.bodyBytes.most

/** The value of a header; the first one if it was sent more than once. */
export function header({ headers }: Pick<MockRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return typeof value === 'object' ? value[0] : value
}
