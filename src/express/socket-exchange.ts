import { setMaxListeners } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { nestingLimit } from '../contract/json.js'
import type { Answerer } from '../server/answer.js'
import { type Answer, bodyLimit, type Exchange } from '../server/exchange.js'

/** A request on a socket. A body parser in front may have left what it has read in `body`. */
type SocketRequest = IncomingMessage & { readonly body?: unknown }

/** Answers a request on a socket. Waits for its body only where the method has one. */
export function respond(request: SocketRequest, response: ServerResponse, answer: Answerer): void {
  withBody(request, body => deliver(answer(toExchange(request, body)), response))
}

/** A request on a socket as an exchange. Its body is read elsewhere. */
export function toExchange(request: IncomingMessage, body?: Uint8Array): Exchange {
  const { method = 'GET', headers, url = '/' } = request
  const mark = url.indexOf('?')
  const path = mark === -1 ? url : url.slice(0, mark)
  const query = mark === -1 ? '' : url.slice(mark + 1)
  return { method, path, query, headers, body, signal: () => goneSignal(request.socket) }
}

/** Writes an answer, now or when it comes. A client that has gone in the meantime gets nothing. */
export function deliver(answer: Answer | Promise<Answer>, response: ServerResponse): void {
  if (answer instanceof Promise) void answer.then(late => write(late, response))
  else write(answer, response)
}

function write({ status, headers, body }: Answer, response: ServerResponse): void {
  if (response.destroyed || response.headersSent) return
  const bodiless = status === 204 || response.req.method === 'HEAD'
  response.writeHead(status, bodiless ? headers : Object.assign({ 'content-length': body.length }, headers))
  response.end(bodiless ? undefined : body)
}

/**
 * Calls back with the body of a request: at once with none of a GET, or with what a parser in front has read, else when it
 * has come; with none where something in front has read it and kept it. Collects one byte more than the limit and lets the
 * rest pass by, so that the client gets to read its answer. Never calls back where the client goes away.
 */
export function withBody(
  request: SocketRequest,
  use: (body: Uint8Array | undefined) => void,
  { limit = bodyLimit }: { readonly limit?: number } = {},
): void {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') use(undefined)
  else if (request.body !== undefined) use(encoded(request.body))
  else if (request.readableEnded) use(undefined)
  else collect(request, { use, limit })
}

interface Collecting {
  use(body: Uint8Array): void
  readonly limit: number
}

function collect(request: IncomingMessage, { use, limit }: Collecting): void {
  const chunks: Buffer[] = []
  let length = 0
  request.on('data', (chunk: Buffer | string) => {
    // Somebody in front may have set an encoding.
    if (length <= limit) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    length += chunk.length
  })
  request.on('end', () => {
    const [first] = chunks
    use((first && chunks.length === 1 ? first : Buffer.concat(chunks)).subarray(0, limit + 1))
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

const signals = new WeakMap<Socket, AbortSignal>()

/**
 * Aborted when the connection closes. One for all of its requests: a response that waits behind another one (pipelining)
 * never hears that the connection has closed.
 */
function goneSignal(socket: Socket): AbortSignal {
  const known = signals.get(socket)
  if (known) return known
  const controller = new AbortController()
  // As many as block on the connection.
  setMaxListeners(0, controller.signal)
  if (socket.destroyed) controller.abort()
  else socket.once('close', () => controller.abort())
  signals.set(socket, controller.signal)
  return controller.signal
}
