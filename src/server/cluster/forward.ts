import { Agent, type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http'
import { urlToHttpOptions } from 'node:url'
import { failedWait } from '../../core/control/events.js'
import type { AbortSignalLike, MockResponse } from '../../core/pipeline/message.js'
import { isSafe } from '../http/node-adapter.js'
import { maxForwardedHeaderSize } from '../http/router.js'
import { disconnectHeader, forwardingHeader, notOwnerHeader } from './forwarding-header.js'
import type { Forwarded } from './replica.js'

/** A request and its response, at the replica that the client is connected to. */
export interface ForwardedClient {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The path with the query. */
  readonly target: string
  readonly host: string | undefined
  readonly gone: AbortSignalLike
  /** Breaks the connection to the client, as a fault does. */
  disconnect(how: NonNullable<MockResponse['disconnect']>): void
}

interface ForwardOptions {
  readonly address: string
  /** The value of the forwarding header. */
  readonly facts: string
  readonly signal: AbortSignalLike
}

const connectMs = 2_000

/** An idle connection is kept for this time, in ms. It is shorter than that of the other replica, which might close it under a request. */
const idleMs = 60_000

/** Forwards requests over connections that it keeps. Each request costs little, so it uses raw headers and no library of streams. */
export class Forwarder {
  readonly #agent = new Agent({ keepAlive: true, scheduling: 'lifo', timeout: idleMs })

  /** Sends a request to another replica, and its response to the client. If one side breaks off, so does the other. Does not reject. */
  forward(client: ForwardedClient, { address, facts, signal }: ForwardOptions): Promise<Forwarded> {
    return new Promise(resolve => {
      const { request, response, gone, target } = client
      const isBodiless = isSafe(request)
      const headers = headersFor(client, facts, isBodiless)
      const sent = openRequest({
        ...urlToHttpOptions(new URL(address)),
        ...{ maxHeaderSize: maxForwardedHeaderSize, agent: this.#agent, method: request.method, path: target, headers },
      })
      /** True once the other replica may carry the request out. It reads a body only if it owns the world. */
      let mayRun = false
      let timer: NodeJS.Timeout | undefined
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
        if (!socket.connecting) return onConnect()
        timer = setTimeout(abort, connectMs)
        socket.once('connect', onConnect)
      })
      sent.once('continue', () => {
        mayRun = true
        if (request.headers.expect !== undefined) response.writeContinue()
        request.pipe(sent)
      })
      sent.once('response', received =>
        respondWith(received, client, {
          address,
          end(outcome) {
            // Its body will not follow, so the connection cannot be used again.
            if (outcome === 'unread' && !isBodiless) sent.destroy()
            end(outcome)
          },
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

  close(): void {
    this.#agent.destroy()
  }
}

function respondWith(
  received: IncomingMessage,
  client: ForwardedClient,
  { address, end }: { readonly address: string; end(outcome: Forwarded): void },
): void {
  const { [disconnectHeader]: disconnect, [notOwnerHeader]: notOwner, 'content-type': type } = received.headers
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
  const isStream = type?.startsWith('text/event-stream') === true
  response.writeHead(received.statusCode ?? 0, filtered(received.rawHeaders, hopByHop))
  if (isStream) response.flushHeaders()
  const breakOff = isStream ? streamBreaker(received, client, address) : () => void response.destroy()
  received.once('error', breakOff)
  received.once('close', () => end('done'))
  received.pipe(response)
}

function streamBreaker(
  received: IncomingMessage,
  { request, response }: Pick<ForwardedClient, 'request' | 'response'>,
  address: string,
): () => void {
  // The client reconnects, and gets the next owner.
  if (request.method === 'GET') return () => void response.end()
  let last = Buffer.alloc(0)
  received.on('data', (chunk: Buffer) => {
    last = Buffer.concat([last, chunk]).subarray(-2)
  })
  // A wait has one outcome. An event after half an event would be a part of it.
  return () => {
    if (last.toString() !== '\n\n') response.destroy()
    else response.end(failedWait(`the replica ${address} ran the world, and the connection to it broke. Wait again`))
  }
}

/**
 * The headers that belong to a connection (RFC 9110 § 7.6.1). Not those that `connection` names: a request has the same headers for
 * the owner as at the replica that has checked them, and in the world that they name.
 */
const hopByHop: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'proxy-authenticate', 'proxy-authorization', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
])

/** The headers that a replica writes anew. A client may not send that of replicas. */
const rewritten: ReadonlySet<string> = new Set([...hopByHop, 'host', 'expect', 'content-length', forwardingHeader])

function headersFor({ request, host }: ForwardedClient, facts: string, isBodiless: boolean): string[] {
  const headers = filtered(request.rawHeaders, rewritten)
  headers.push(forwardingHeader, facts)
  if (host !== undefined) headers.push('host', host)
  if (isBodiless) return headers
  const { 'content-length': length } = request.headers
  // A request without content must not be carried out before the other replica accepts it, so its end comes later.
  if (length !== undefined && length !== '0') headers.push('content-length', length)
  else headers.push('transfer-encoding', 'chunked')
  headers.push('expect', '100-continue')
  return headers
}

function filtered(rawHeaders: readonly string[], without: ReadonlySet<string>): string[] {
  const headers: string[] = []
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = [rawHeaders[i], rawHeaders[i + 1]]
    if (!without.has(name.toLowerCase())) headers.push(name, value)
  }
  return headers
}
