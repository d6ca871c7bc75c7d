import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import { arrayBuffer } from 'node:stream/consumers'
import type { AbortSignalLike, MockRequest, MockResponse, RequestHandler } from '../../core/pipeline/message.js'
import { connectionHeaders } from '../test-world.js'

/** Forwards requests to a server. */
export interface Forwarder {
  /** Resolves when the server has answered, or has closed the connection. Never rejects. */
  readonly handle: RequestHandler
  close(): void
}

/** Creates a forwarder to a URL without a slash at its end, such as `http://127.0.0.1:4100/w/test-42`. */
export function createForwarder(url: string): Forwarder {
  const { Agent, request } = url.startsWith('https:') ? https : http
  const agent = new Agent({ keepAlive: true })
  return {
    handle: incoming =>
      new Promise(resolve => {
        const { method, path, query, body } = incoming
        const target = url + path + (query ? `?${query}` : '')
        // Node sets the length of a body only for methods that usually have one.
        const length = body ? { 'content-length': body.length } : {}
        const outgoing = request(target, {
          method,
          agent,
          headers: { ...withoutConnection(incoming.headers), ...length },
        })
        outgoing.once('response', answer => resolve(readAnswer(answer).catch(brokenAnswer)))
        outgoing.once('error', (error: NodeJS.ErrnoException) => resolve(brokenAnswer(error)))
        disconnectWith(incoming.signal?.(), outgoing)
        outgoing.end(body)
      }),
    close: () => agent.destroy(),
  }
}

/**
 * Disconnects a request with its signal. Ends only our half of the connection: the server then closes the other half, after
 * it has read everything. So when the request ends, nothing is on its way to the server.
 */
function disconnectWith(signal: AbortSignalLike | undefined, outgoing: ClientRequest): void {
  if (!signal) return
  const disconnect = () => {
    const { socket } = outgoing
    if (!socket || socket.connecting) outgoing.destroy()
    else socket.end()
  }
  signal.addEventListener('abort', disconnect)
  outgoing.once('close', () => signal.removeEventListener('abort', disconnect))
  if (signal.aborted) disconnect()
}

async function readAnswer(answer: IncomingMessage): Promise<MockResponse> {
  const body = new Uint8Array(await arrayBuffer(answer))
  return { status: answer.statusCode ?? 0, headers: withoutConnection(answer.headers), body }
}

function withoutConnection(headers: MockRequest['headers']): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !connectionHeaders.includes(name))
  return Object.fromEntries(kept.map(([name, value]) => [name, String(value)]))
}

/** Node says "socket hang up" if the server closed the connection without an answer. */
function brokenAnswer({ message }: Error): MockResponse {
  const disconnect = message === 'socket hang up' ? 'empty' : 'reset'
  return { status: 0, headers: {}, body: new Uint8Array(), disconnect }
}
