import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import { type ApiError, UnavailableError } from '../../core/contract/errors.js'
import { nestingLimit } from '../../core/lib/json.js'
import { TextEncoder } from '../../core/lib/real-globals.js'
import type { ServedRequest } from '../../core/mock/control-calls.js'
import { type AbortSignalLike, bodyLimit, type MockRequest, type MockResponse } from '../../core/pipeline/message.js'
import { connectionAddress } from '../../core/pipeline/origin.js'
import { errorResult } from '../../core/pipeline/respond.js'
import { clientBehind } from './proxy-headers.js'
import type { ForwardedRequest, Router } from './router.js'
import { StreamWriter } from './stream-writer.js'

/** A request of `node:http`. A body parser in front of the mock may have set `body`, and Express sets `baseUrl`. */
type ParsedRequest = IncomingMessage & { readonly body?: unknown; readonly baseUrl?: string }

/** Answers a request. `serve` gets it before its body has arrived, and `answer` of its result runs after that. */
export function serveNodeRequest(
  request: ParsedRequest,
  response: ServerResponse,
  serve: (request: MockRequest, isForwarded: boolean) => ServedRequest,
  options: NodeRequestOptions & {
    readonly router?: Router | undefined
    /** Answers a request whose body is refused. Default: with the error alone. */
    refuse?(request: MockRequest, error: ApiError): MockResponse | Promise<MockResponse>
  } = {},
): void {
  const { router, refuse = (_, error) => errorResult(error) } = options
  const forwarded = router?.receive(request)
  const incoming = new NodeRequest(request, options, forwarded)
  const served = serve(incoming, forwarded !== undefined)
  const { world, maxBodyBytes = bodyLimit } = served
  const answer = () => {
    if (isSafe(request)) return served.answer()
    // The server leaves this to its listener: another process may want the body.
    if (router && request.headers.expect !== undefined) response.writeContinue()
    return new Promise<MockResponse>(resolve => {
      const answerWith = (body: Uint8Array | undefined, refusal?: ApiError) => {
        incoming.body = body
        if (!refusal) return resolve(served.answer())
        // The rest of its body may never come.
        response.once('finish', () => (streamOf(request) ?? request.socket).destroy())
        resolve(refuse(incoming, refusal))
      }
      readBody(request, answerWith, maxBodyBytes)
    })
  }
  // An unread body blocks the socket, and then nobody notices that the client disconnects.
  if (isSafe(request) && hasBody(request)) request.resume()
  if (router && world)
    router.route({
      ...{ request, response, incoming, gone: incoming.signal(), world, forwarded, answer },
      respond: answered => writeResponse(answered, response),
    })
  else respond(answer(), response)
}

/** A request target as an absolute URL, which clients send to a proxy (RFC 9112 § 3.2.2): scheme, credentials, host, rest. */
const absoluteForm = /^(https?:\/\/)((?:[^/?#]*@)?)([^/?#]*)(.*)$/i

export function isAbsoluteTarget(target: string): boolean {
  return absoluteForm.test(target)
}

/** Removes user and password from an absolute target. No message, page or handler may have them. */
export function withoutCredentials(target: string): string {
  return target.replace(absoluteForm, '$1$3$4')
}

/** Splits a request target into path and query. The host is there only in the absolute form, without user and password. */
export function parseTarget(target: string): { readonly host?: string; readonly path: string; readonly query: string } {
  const [, , , host, rest = ''] = target.startsWith('/') ? [] : (absoluteForm.exec(target) ?? [])
  if (host !== undefined) return { ...parseTarget(rest.startsWith('/') ? rest : `/${rest}`), host }
  const end = target.indexOf('?')
  return end === -1 ? { path: target, query: '' } : { path: target.slice(0, end), query: target.slice(end + 1) }
}

export interface NodeRequestOptions {
  /** The beginning of the path, which the mock does not see. Default: none. */
  readonly basePath?: string | undefined
  /** Tells whether an address is that of a trusted proxy. Default: no proxy is trusted. */
  readonly isTrusted?: ((address: string) => boolean) | undefined
}

/** A `MockRequest` over `node:http`. A class with few fields, because thousands of requests may be blocked at once. */
export class NodeRequest implements MockRequest {
  readonly method: string
  readonly path: string
  readonly basePath: string
  readonly query: string
  readonly headers: MockRequest['headers']
  /** Set once it has arrived. */
  body: Uint8Array | undefined
  readonly forwardedFor: string | undefined
  publicUrl: string | undefined
  serverHost: string | undefined
  waitedMs: number | undefined
  readonly #socket: Socket | Http2Stream
  readonly #forwarded: ForwardedRequest | undefined

  /** `forwarded`: the facts of the process that forwards the request. */
  constructor(
    request: ParsedRequest,
    { basePath = '', isTrusted }: NodeRequestOptions = {},
    forwarded?: ForwardedRequest,
  ) {
    const { method = 'GET', url = '/', baseUrl = '' } = request
    const headers = headersOf(request)
    const { host, path, query } = parseTarget(url)
    this.method = method
    this.path = basePath === '' ? path : path.slice(basePath.length)
    this.basePath = baseUrl + basePath
    this.query = query
    // The host of an absolute target replaces the header (RFC 9112 § 3.2.2).
    this.headers = host === undefined ? headers : { ...headers, host }
    this.#socket = streamOf(request) ?? request.socket
    this.#forwarded = forwarded
    if (forwarded) {
      this.forwardedFor = forwarded.forwardedFor
      this.waitedMs = forwarded.waitedMs
      return
    }
    if (isTrusted) this.forwardedFor = clientBehind(this, connectionAddress(this), isTrusted)
  }

  get address(): string | undefined {
    if (this.#forwarded) return this.#forwarded.address
    return this.#connection?.remoteAddress
  }

  get port(): number | undefined {
    return this.#forwarded ? this.#forwarded.port : this.#connection?.remotePort
  }

  get #connection(): Pick<Socket, 'remoteAddress' | 'remotePort'> | undefined {
    return 'session' in this.#socket ? this.#socket.session?.socket : this.#socket
  }

  signal(): AbortSignalLike {
    return new SocketSignal(this.#socket)
  }
}

/** Returns the stream of a request of `node:http2`, which has many on one connection. */
function streamOf(request: IncomingMessage): Http2Stream | undefined {
  return (request as { readonly stream?: Http2Stream }).stream // `node:http2` has it
}

function headersOf({ headers, rawHeaders, httpVersionMajor }: IncomingMessage): MockRequest['headers'] {
  if (httpVersionMajor < 2) {
    const hosts = differentHosts(rawHeaders)
    return hosts ? { ...headers, host: hosts } : headers
  }
  const own = Object.entries(headers).filter(([name]) => !name.startsWith(':'))
  return Object.fromEntries([['host', headers[':authority']], ...own])
}

function differentHosts(rawHeaders: readonly string[]): [string, string] | undefined {
  let first: string | undefined
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.length !== 4 || rawHeaders[i]?.toLowerCase() !== 'host') continue
    const host = rawHeaders[i + 1] ?? ''
    if (first !== undefined && first !== host) return [first, host]
    first = host
  }
  return undefined
}

/** Aborts when the connection closes. The response does not notice that while it waits behind another one (pipelining). */
class SocketSignal implements AbortSignalLike {
  constructor(readonly socket: Socket | Http2Stream) {}

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

/** Gets a body, or the error of one that is refused before its end. */
type BodyCallback = (body: Uint8Array | undefined, refusal?: ApiError) => void

/**
 * Passes the body of a request to the callback, at once if there is nothing to read. The body of GET, HEAD and OPTIONS is
 * `undefined`. So is a body that other middleware has read and not kept. Drops the bytes far beyond the limit instead of
 * leaving them unread, so that the client can read its response. Never calls back if the client disconnects.
 */
export function readBody(request: ParsedRequest, callback: BodyCallback, limit: number): void {
  if (isSafe(request)) callback(undefined)
  // The parsers of Express 4 set `{}` where they read nothing.
  else if (request.readableDidRead && request.body !== undefined) callback(encodeParsedBody(request.body))
  else if (request.readableEnded) callback(undefined)
  else collectBody(request, callback, limit)
}

/** Tells whether the method of a request is safe: it changes nothing, and its body has no meaning. */
export function isSafe({ method }: { readonly method?: string | undefined }): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** A chunk can hold a single byte, and takes hundreds of bytes of memory: join them now and then. */
const maxChunks = 256

interface ArrivingBody {
  bytes: number
  refuse(): void
}

/** The memory of all bodies that are still arriving, in bytes. Beyond it, the oldest one is refused: its end may never come. */
const mostArriving = 64 * 1024 ** 2

/** The oldest first. */
const arriving = new Set<ArrivingBody>()
let arrivingBytes = 0

function keepArriving(body: ArrivingBody, bytes: number): void {
  body.bytes += bytes
  arrivingBytes += bytes
  for (const oldest of arriving) {
    if (arrivingBytes <= mostArriving || arriving.size === 1) return
    endArriving(oldest)
    oldest.refuse()
  }
}

function endArriving(body: ArrivingBody): boolean {
  if (!arriving.delete(body)) return false
  arrivingBytes -= body.bytes
  return true
}

function collectBody(request: IncomingMessage, callback: BodyCallback, limit: number): void {
  const joined: Buffer[] = []
  const chunks: Buffer[] = []
  let length = 0
  const body: ArrivingBody = {
    bytes: 0,
    refuse() {
      joined.length = chunks.length = 0
      length = Number.POSITIVE_INFINITY
      const what = `bodies of more than ${mostArriving / 1024 ** 2} MiB are arriving, and this one for the longest time`
      callback(undefined, new UnavailableError(`${what}: send it again, all at once`))
    },
  }
  // Code of the user may take bodies of any length.
  if (limit !== Number.POSITIVE_INFINITY) arriving.add(body)
  request.on('data', (chunk: Buffer | string) => {
    const isKept = length <= limit
    // A middleware in front may have set an encoding.
    if (isKept) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    length += chunk.length
    if (chunks.length === maxChunks) joined.push(Buffer.concat(chunks.splice(0)))
    if (isKept && arriving.has(body)) keepArriving(body, chunk.length)
  })
  request.once('close', () => endArriving(body))
  request.on('end', () => {
    if (!endArriving(body) && limit !== Number.POSITIVE_INFINITY) return
    const parts = [...joined, ...chunks]
    const [first] = parts
    callback((first && parts.length === 1 ? first : Buffer.concat(parts)).subarray(0, limit + 1))
  })
}

const encoder = new TextEncoder()
const tooDeep = encoder.encode('['.repeat(nestingLimit + 1) + ']'.repeat(nestingLimit + 1))

/** Encodes the result of a body parser. If it nests too deep for that, returns a body that the service refuses as too deep. */
function encodeParsedBody(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (typeof body === 'string') return encoder.encode(body)
  try {
    return encoder.encode(JSON.stringify(body))
  } catch {
    return tooDeep
  }
}

/** Bodies up to this many bytes go out as one latin1 string with their head: cheaper than two buffers, and the same bytes. */
const maxStringBody = 1024

/** A function of its own, so that a blocked request keeps nothing but its response. */
function respond(answered: MockResponse | Promise<MockResponse>, response: ServerResponse): void {
  if (answered instanceof Promise) void answered.then(late => writeResponse(late, response))
  else writeResponse(answered, response)
}

function writeResponse(answered: MockResponse, response: ServerResponse): void {
  const { status, headers, body, disconnect } = answered
  if (response.destroyed || response.headersSent) return
  if (disconnect === 'truncate') return void truncateResponse(answered, response)
  if (disconnect) return void breakConnection(disconnect, response)
  if (answered.stream) return void streamResponse(answered, response)
  const bodiless = status === 204 || response.req.method === 'HEAD'
  response.writeHead(status, bodiless ? headers : Object.assign({ 'content-length': body.length }, headers))
  if (bodiless) response.end()
  else if (body.length > maxStringBody) response.end(body)
  else response.end(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'), 'latin1')
}

function truncateResponse({ status, headers, body }: MockResponse, response: ServerResponse): void {
  response.writeHead(status, { ...headers, 'content-length': body.length, connection: 'close' })
  // Once the bytes are with the system, the client gets them before the end.
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => breakConnection('empty', response))
}

function streamResponse({ status, headers, stream }: MockResponse, response: ServerResponse): void {
  response.writeHead(status, headers)
  response.flushHeaders()
  const stop = stream?.(new StreamWriter(response))
  response.once('close', () => stop?.())
}

const disconnects = { reset: resetConnection, empty: closeEmpty } satisfies {
  readonly [how in 'reset' | 'empty']: (socket: Socket) => void
}

/** The code of HTTP/2 for a stream that the server breaks (RFC 9113 § 7). */
const internalError = 2

function breakConnection(how: keyof typeof disconnects, response: ServerResponse): void {
  const stream = streamOf(response.req)
  // HTTP/2 breaks this one response, and keeps the connection.
  if (stream) return void stream.close(internalError)
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

/** A client may leave a connection half closed for this time, in ms. */
const halfClosedMs = 5_000

/** Ends the connection, and reads on until the client ends it too. Closing at once would send a reset instead. */
function closeEmpty(socket: Socket): void {
  socket.end()
  socket.setTimeout(halfClosedMs, () => socket.destroy())
}
