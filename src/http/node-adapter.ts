import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { nestingLimit } from '../lib/json.js'
import {
  type AbortSignalLike,
  bodyLimit,
  type MockRequest,
  type MockResponse,
  type RequestHandler,
} from '../server/message.js'

/** A request of `node:http`. A body parser in front of the mock may have set `body`. */
type ParsedRequest = IncomingMessage & { readonly body?: unknown }

/** Returns how many bytes of a body to read, and one more. Called only for a request with a body. */
export type BodyLimit = (request: IncomingMessage) => number

interface HandleOptions {
  /** Removed from the start of the path. Default: nothing. */
  readonly basePath?: string
  /** Default: the limit of the service. */
  readonly limit?: BodyLimit
}

const serviceLimit = () => bodyLimit

/** Answers a request of `node:http` with a handler, in the order of its connection. */
export function handleNodeRequest(
  request: ParsedRequest,
  response: ServerResponse,
  handler: RequestHandler,
  { basePath = '', limit = serviceLimit }: HandleOptions = {},
): void {
  startInOrder(request, response, () => {
    const answer = (body: Uint8Array | undefined) => {
      const answered = handler(new NodeRequest(request, { body, basePath }))
      if (answered instanceof Promise) void answered.then(late => writeResponse(late, response))
      else writeResponse(answered, response)
    }
    readBody(request, answer, limit)
    // An unread body blocks the socket, and then nobody notices that the client disconnects.
    if (isBodiless(request) && hasBody(request)) request.resume()
  })
}

/** A request target as an absolute URL, which clients send to a proxy (RFC 9112 § 3.2.2). */
export const absoluteForm = /^https?:\/\/([^/?#]*)(.*)$/i

/** Splits a request target into path and query. The host is there only in the absolute form. */
export function parseTarget(target: string): { readonly host?: string; readonly path: string; readonly query: string } {
  const [, host, rest = ''] = target.startsWith('/') ? [] : (absoluteForm.exec(target) ?? [])
  if (host !== undefined) return { ...parseTarget(rest.startsWith('/') ? rest : `/${rest}`), host }
  const mark = target.indexOf('?')
  return mark === -1 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** A `MockRequest` over `node:http`. A class with few fields, because thousands of requests may be blocked at once. */
export class NodeRequest implements MockRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: MockRequest['headers']
  readonly body: Uint8Array | undefined
  readonly #socket: Socket

  constructor(
    { method = 'GET', headers, url = '/', socket }: IncomingMessage,
    { body, basePath = '' }: { readonly body?: Uint8Array | undefined; readonly basePath?: string } = {},
  ) {
    const { host, path, query } = parseTarget(url)
    this.method = method
    this.path = basePath === '' ? path : path.slice(basePath.length)
    this.query = query
    // The host of an absolute target replaces the header (RFC 9112 § 3.2.2).
    this.headers = host === undefined ? headers : { ...headers, host }
    this.body = body
    this.#socket = socket
  }

  get address(): string | undefined {
    return this.#socket.remoteAddress
  }

  signal(): AbortSignalLike {
    return new SocketSignal(this.#socket)
  }
}

/** Aborts when the connection closes. The response does not notice that while it waits behind another one (pipelining). */
class SocketSignal implements AbortSignalLike {
  constructor(readonly socket: Socket) {}

  get aborted(): boolean {
    return this.socket.destroyed
  }

  addEventListener(_: 'abort', listener: () => void): void {
    // Any number of pipelined requests may wait on one connection.
    this.socket.setMaxListeners(0).on('close', listener)
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.socket.off('close', listener)
  }
}

/**
 * Calls back with the body of a request, at once if it needs no reading. There is none for GET, HEAD and OPTIONS, and if
 * something in front has read the body without keeping it. Drops what exceeds the limit by more than one byte, so that the
 * client can read its response. Never calls back if the client disconnects.
 */
export function readBody(
  request: ParsedRequest,
  callback: (body: Uint8Array | undefined) => void,
  limit: BodyLimit,
): void {
  if (isBodiless(request)) callback(undefined)
  else if (request.body !== undefined) callback(encodeParsedBody(request.body))
  else if (request.readableEnded) callback(undefined)
  else collectBody(request, callback, limit(request))
}

/** The body of these methods means nothing. */
function isBodiless({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** A chunk can hold a single byte, and takes hundreds of bytes of memory: join them now and then. */
const maxChunks = 256

function collectBody(request: IncomingMessage, callback: (body: Uint8Array) => void, limit: number): void {
  const joined: Buffer[] = []
  const chunks: Buffer[] = []
  let length = 0
  request.on('data', (chunk: Buffer | string) => {
    // A middleware in front may have set an encoding.
    if (length <= limit) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    length += chunk.length
    if (chunks.length === maxChunks) joined.push(Buffer.concat(chunks.splice(0)))
  })
  request.on('end', () => {
    const parts = [...joined, ...chunks]
    const [first] = parts
    callback((first && parts.length === 1 ? first : Buffer.concat(parts)).subarray(0, limit + 1))
  })
}

const encoder = new TextEncoder()
const tooDeep = encoder.encode('['.repeat(nestingLimit + 1) + ']'.repeat(nestingLimit + 1))

/** Encodes what a body parser has read. What is too deep for `JSON.stringify` becomes something too deep for the service. */
function encodeParsedBody(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (typeof body === 'string') return encoder.encode(body)
  try {
    return encoder.encode(JSON.stringify(body))
  } catch {
    return tooDeep
  }
}

/**
 * Bodies up to this many bytes go out in one string with their head, which is cheaper than two buffers. In latin1 each
 * byte is one character, so the bytes stay as they are.
 */
const maxStringBody = 1024

/** Writes a response. Does nothing if the client has disconnected. */
function writeResponse(answered: MockResponse, response: ServerResponse): void {
  const { status, headers, body, disconnect } = answered
  if (response.destroyed || response.headersSent) return
  if (disconnect) return void breakConnection(disconnect, response)
  if (answered.stream) return void streamResponse(answered, response)
  const bodiless = status === 204 || response.req.method === 'HEAD'
  response.writeHead(status, bodiless ? headers : Object.assign({ 'content-length': body.length }, headers))
  if (bodiless) response.end()
  else if (body.length > maxStringBody) response.end(body)
  else response.end(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'), 'latin1')
}

/** Sends the head at once, then whatever the stream sends. */
function streamResponse({ status, headers, stream }: MockResponse, response: ServerResponse): void {
  response.writeHead(status, headers)
  response.flushHeaders()
  const stop = stream?.({
    send: text => void response.write(text),
    end: () => void response.end(),
    drained: () => drained(response),
  })
  response.once('close', () => stop?.())
}

/** Waits for the next turn of the event loop, and for a slow client to receive what was written or to disconnect. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise(resolve => {
    const go = () => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    if (response.writableNeedDrain && !response.destroyed) response.on('drain', go).on('close', go)
    else setImmediate(resolve)
  })
}

const disconnects = { reset: resetConnection, empty: closeEmpty } satisfies {
  readonly [how in NonNullable<MockResponse['disconnect']>]: (socket: Socket) => void
}

/** Breaks the connection instead of a response. Responses ahead of it (pipelining) go out first. */
function breakConnection(how: keyof typeof disconnects, response: ServerResponse): void {
  // A response that waits behind others has no socket yet.
  if (response.socket) disconnects[how](response.socket)
  else response.once('socket', disconnects[how])
}

function resetConnection(socket: Socket): void {
  try {
    socket.resetAndDestroy()
  } catch {
    // TLS and local sockets have no reset.
    socket.destroy()
  }
}

/** How long a client may leave a connection half closed, in ms. */
const halfClosedMs = 5_000

/** Ends the connection, and reads on until the client ends it too: closing at once would reset what the client sends. */
function closeEmpty(socket: Socket): void {
  socket.end()
  socket.setTimeout(halfClosedMs, () => socket.destroy())
}

/** How many pipelined requests of a connection may be in flight, behind the one whose response is next. */
const maxInFlight = 32

/** How many more may wait before the mock stops reading the connection. While it reads, it learns that the client has disconnected. */
const maxWaiting = 256

/** How long one connection may start waiting requests in a row, in real ms. Then it is the turn of other connections. */
const sliceMs = 5

const pipelines = new WeakMap<Socket, Pipeline>()

/**
 * Starts a request: at once, or when the mock has answered enough of those ahead of it on its connection. Otherwise a
 * client that sends thousands of requests without waiting for responses would keep the event loop busy until the last one.
 */
function startInOrder({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): void {
  // Only a response that waits behind another one has no socket.
  if (response.socket) {
    begin()
    return
  }
  const known = pipelines.get(socket)
  const pipeline = known ?? new Pipeline(socket)
  if (!known) pipelines.set(socket, pipeline)
  pipeline.add({ response, begin })
}

interface WaitingRequest {
  readonly response: ServerResponse
  begin(): void
}

/** The requests of one connection that arrived before the responses to earlier ones were written. */
class Pipeline {
  readonly #socket: Socket
  readonly #waiting: WaitingRequest[] = []
  #inFlight = 0
  #paused = false
  #scheduled = false

  constructor(socket: Socket) {
    this.#socket = socket
    // Node itself resumes the socket when it reads or drops a body.
    socket.on('resume', () => void (this.#paused && socket.pause()))
  }

  add(request: WaitingRequest): void {
    // In order: a request that has not started holds up the responses behind it.
    if (this.#waiting.length === 0 && this.#inFlight < maxInFlight) this.#begin(request)
    else this.#waiting.push(request)
    if (this.#waiting.length < maxWaiting) return
    this.#paused = true
    this.#socket.pause()
  }

  #begin({ response, begin }: WaitingRequest): void {
    this.#inFlight += 1
    response.once('close', () => {
      this.#inFlight -= 1
      // After a disconnect, the rest never starts.
      if (this.#waiting.length > 0) this.#schedule()
    })
    begin()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#beginWaiting()
    })
  }

  #beginWaiting(): void {
    const until = performance.now() + sliceMs
    while (this.#inFlight < maxInFlight && !this.#socket.destroyed) {
      const next = this.#waiting.shift()
      if (!next) break
      this.#begin(next)
      if (performance.now() < until) continue
      if (this.#waiting.length > 0) this.#schedule()
      break
    }
    if (!this.#paused || this.#waiting.length > maxWaiting / 2) return
    this.#paused = false
    this.#socket.resume()
  }
}
