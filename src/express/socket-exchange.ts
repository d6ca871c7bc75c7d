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
  const body = readBody(request)
  if (body instanceof Promise) void body.then(read => deliver(answer(toExchange(request, read)), response))
  else deliver(answer(toExchange(request, body)), response)
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
 * The body of a request: none of a GET, at once where a parser in front has read it, else when it has come; none where
 * something in front has read it and kept it. Collects one byte more than the limit and lets the rest pass by, so that
 * the client gets to read its answer. Stays pending when the client goes away.
 */
export function readBody(
  request: SocketRequest,
  { limit = bodyLimit }: { readonly limit?: number } = {},
): Uint8Array | undefined | Promise<Uint8Array> {
  if (request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS') return undefined
  if (request.body !== undefined) return encoded(request.body)
  if (request.readableEnded) return undefined
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      // Somebody in front may have set an encoding.
      if (length <= limit) chunks.push(Buffer.from(chunk))
      length += chunk.length
    })
    request.on('end', () => resolve(Buffer.concat(chunks).subarray(0, limit + 1)))
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
