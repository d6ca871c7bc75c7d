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
import { breakOff } from './break-off.js'
import { startInOrder } from './pipeline.js'

/** A request on a socket. A body parser in front may have left what it has read in `body`. */
type SocketRequest = IncomingMessage & { readonly body?: unknown }

/** How a request is answered. */
interface Responding {
  readonly answer: RequestHandler
  /** What stands before the path, to be left out. */
  readonly basePath?: string
  /** How many bytes of a body are collected, and one more. Called where there is one. */
  limit?(request: IncomingMessage): number
}

const usualLimit = () => bodyLimit

/** Answers a request on a socket, in the order of its connection. Waits for a body only where the method has one. */
export function respond(
  request: SocketRequest,
  response: ServerResponse,
  { answer, basePath = '', limit = usualLimit }: Responding,
): void {
  startInOrder(request, response, () => {
    withBody(request, body => deliver(answer(new SocketExchange(request, { body, basePath })), response), limit)
    // Unread, a body holds up the socket, and with it the news that the client has gone.
    if (isBodiless(request) && hasBody(request)) request.resume()
  })
}

/** Whether the method is one of those whose bodies mean nothing. */
function isBodiless({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** What an exchange does not get from the request itself. */
interface ExchangeParts {
  readonly body?: Uint8Array | undefined
  /** What stands before the path, to be left out. */
  readonly basePath?: string
}

/** A request on a socket as an exchange: one object with few parts, because each blocked request holds one. */
export class SocketExchange implements MockRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: MockRequest['headers']
  readonly body: Uint8Array | undefined
  readonly #socket: Socket

  constructor(
    { method = 'GET', headers, url = '/', socket }: IncomingMessage,
    { body, basePath = '' }: ExchangeParts = {},
  ) {
    const mark = url.indexOf('?')
    this.method = method
    this.path = url.slice(basePath.length, mark === -1 ? undefined : mark)
    this.query = mark === -1 ? '' : url.slice(mark + 1)
    this.headers = headers
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

/**
 * In bytes. A body up to this goes out in one string with its head, which is cheaper than gathering two buffers. Read and
 * written as latin1, in which each byte is one character, its bytes stay as they are.
 */
const mostInOneText = 1024

/** Writes an answer, now or when it comes. A client that has gone in the meantime gets nothing. */
function deliver(answer: MockResponse | Promise<MockResponse>, response: ServerResponse): void {
  if (answer instanceof Promise) void answer.then(late => write(late, response))
  else write(answer, response)
}

function write(answer: MockResponse, response: ServerResponse): void {
  const { status, headers, body, disconnect } = answer
  if (response.destroyed || response.headersSent) return
  if (disconnect) return void breakOff(disconnect, response)
  if (answer.stream) return void stream(answer, response)
  const bodiless = status === 204 || response.req.method === 'HEAD'
  response.writeHead(status, bodiless ? headers : Object.assign({ 'content-length': body.length }, headers))
  if (bodiless) response.end()
  else if (body.length > mostInOneText) response.end(body)
  else response.end(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'), 'latin1')
}

/** Waits for the next turn of the loop and, where a client is slow, until it has taken what was written, or has gone. */
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

/** Sends the head at once, and then what comes, as long as it comes. */
function stream({ status, headers, stream }: MockResponse, response: ServerResponse): void {
  response.writeHead(status, headers)
  response.flushHeaders()
  const stop = stream?.({
    send: text => void response.write(text),
    end: () => void response.end(),
    drained: () => drained(response),
  })
  response.once('close', () => stop?.())
}

/**
 * Calls back with the body of a request: at once with none of a GET, or with what a parser in front has read, else when it
 * has come; with none where something in front has read it and kept it. Collects one byte more than the limit and lets the
 * rest pass by, so that the client gets to read its answer. Never calls back where the client goes away.
 */
export function withBody(
  request: SocketRequest,
  use: (body: Uint8Array | undefined) => void,
  limit: (request: IncomingMessage) => number,
): void {
  if (isBodiless(request)) use(undefined)
  else if (request.body !== undefined) use(encoded(request.body))
  else if (request.readableEnded) use(undefined)
  else collect(request, { use, limit: limit(request) })
}

interface Collecting {
  use(body: Uint8Array): void
  readonly limit: number
}

/** A chunk may be a byte, and takes the room of hundreds. */
const mostChunks = 256

function collect(request: IncomingMessage, { use, limit }: Collecting): void {
  const joined: Buffer[] = []
  const chunks: Buffer[] = []
  let length = 0
  request.on('data', (chunk: Buffer | string) => {
    // Somebody in front may have set an encoding.
    if (length <= limit) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    length += chunk.length
    if (chunks.length === mostChunks) joined.push(Buffer.concat(chunks.splice(0)))
  })
  request.on('end', () => {
    const parts = [...joined, ...chunks]
    const [first] = parts
    use((first && parts.length === 1 ? first : Buffer.concat(parts)).subarray(0, limit + 1))
  })
}

const encoder = new TextEncoder()
const tooDeep = encoder.encode('['.repeat(nestingLimit + 1) + ']'.repeat(nestingLimit + 1))

/** What a body parser has read, as the bytes that it may have come from. What is too deep to be written is stood for by what is too deep to be accepted. */
function encoded(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body
  if (typeof body === 'string') return encoder.encode(body)
  try {
    return encoder.encode(JSON.stringify(body))
  } catch {
    return tooDeep
  }
}

/** What tells that a connection has closed: not the response, which never hears of it while it waits behind another one (pipelining). */
class SocketSignal implements AbortSignalLike {
  constructor(readonly socket: Socket) {}

  get aborted(): boolean {
    return this.socket.destroyed
  }

  addEventListener(_: 'abort', listener: () => void): void {
    // As many as block on the connection.
    this.socket.setMaxListeners(0).on('close', listener)
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.socket.off('close', listener)
  }
}
