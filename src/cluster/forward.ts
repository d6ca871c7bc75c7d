import {
  type Agent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as openRequest,
  type ServerResponse,
} from 'node:http'
import { pipeline } from 'node:stream'
import type { AbortSignalLike, MockResponse } from '../server/message.js'
import { disconnectHeader, forwardingHeader, notOwnerHeader } from './forwarding-header.js'
import type { Forwarded } from './replica.js'

/** A request and its response, at the replica that the client is connected to. */
export interface ForwardedClient {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The path with the query. */
  readonly target: string
  readonly host: string | undefined
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignalLike
  /** Breaks the connection to the client, as a fault does. */
  disconnect(how: NonNullable<MockResponse['disconnect']>): void
}

interface ForwardOptions {
  readonly agent: Agent
  /** The URL of the other replica. */
  readonly address: string
  /** The value of the forwarding header. */
  readonly facts: string
  /** Ends the attempt. */
  readonly signal: AbortSignal
}

/** The time for a connection, in ms. */
const connectMs = 2_000

/** Sends a request to another replica, and its response to the client. If one side breaks off, so does the other. Does not reject. */
export function forward(client: ForwardedClient, options: ForwardOptions): Promise<Forwarded> {
  return new Promise(resolve => {
    const { request, response, gone } = client
    const isBodiless = request.method === 'GET' || request.method === 'HEAD' || request.method === 'OPTIONS'
    const { agent, address, signal } = options
    const sent = openRequest(address, {
      agent,
      method: request.method,
      path: client.target,
      headers: headersFor(client, options.facts, isBodiless),
      setHost: false,
    })
    /** True once the other replica may carry the request out. It reads a body only if it owns the world. */
    let mayRun = false
    const timer = setTimeout(() => sent.destroy(), connectMs)
    const abort = () => void sent.destroy()
    const end = (outcome: Forwarded) => {
      clearTimeout(timer)
      for (const each of [gone, signal]) each.removeEventListener('abort', abort)
      resolve(gone.aborted ? 'done' : outcome)
    }
    for (const each of [gone, signal]) {
      each.addEventListener('abort', abort)
      if (each.aborted) abort()
    }
    const onConnect = () => {
      clearTimeout(timer)
      mayRun = isBodiless
    }
    sent.once('socket', socket => {
      if (socket.connecting) socket.once('connect', onConnect)
      else onConnect()
    })
    sent.once('continue', () => {
      mayRun = true
      if (request.headers.expect !== undefined) response.writeContinue()
      request.pipe(sent)
    })
    sent.once('response', received =>
      respondWith(received, client, outcome => {
        // Its body will not follow, so the connection cannot be used again.
        if (outcome === 'unread' && !isBodiless) sent.destroy()
        end(outcome)
      }),
    )
    sent.on('error', () => {
      request.unpipe(sent)
      end(mayRun ? 'broken' : 'unreachable')
    })
    if (isBodiless) sent.end()
    else sent.flushHeaders()
  })
}

function respondWith(received: IncomingMessage, client: ForwardedClient, end: (outcome: Forwarded) => void): void {
  const { [disconnectHeader]: disconnect, [notOwnerHeader]: notOwner } = received.headers
  if (notOwner !== undefined) {
    received.resume()
    end('unread')
    return
  }
  if (disconnect === 'reset' || disconnect === 'empty') {
    received.resume()
    client.disconnect(disconnect)
    end('done')
    return
  }
  const { response } = client
  response.writeHead(received.statusCode ?? 0, withoutHops(received.headers))
  const isStream = received.headers['content-type']?.startsWith('text/event-stream') === true
  if (!isStream) {
    // If the other replica breaks off, so does the response.
    pipeline(received, response, () => end('done'))
    return
  }
  response.flushHeaders()
  received.pipe(response)
  // The client reconnects, and gets the next owner.
  received.once('error', () => response.end()).once('close', () => end('done'))
}

/**
 * The headers that belong to a connection (RFC 9110 § 7.6.1). Not those that `connection` names: a request has the same headers for
 * the owner as at the replica that has checked them, and in the world that they name.
 */
const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
])

function withoutHops(headers: NodeJS.Dict<string | string[]>): NodeJS.Dict<string | string[]> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name)))
}

function headersFor({ request, host }: ForwardedClient, facts: string, isBodiless: boolean): OutgoingHttpHeaders {
  const own = withoutHops(request.headersDistinct)
  const { host: _, expect: __, 'content-length': length, ...headers } = own
  const outgoing: OutgoingHttpHeaders = { ...headers, [forwardingHeader]: facts }
  if (host !== undefined) outgoing.host = host
  if (isBodiless) return outgoing
  // A request without content must not be carried out before the other replica accepts it, so its end comes later.
  if (length !== undefined && String(length) !== '0') outgoing['content-length'] = String(length)
  else outgoing['transfer-encoding'] = 'chunked'
  outgoing.expect = '100-continue'
  return outgoing
}
