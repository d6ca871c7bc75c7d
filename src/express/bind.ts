import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { UsageError } from '../contract/usage-error.js'

/** Where a server listens. */
export interface BindOptions {
  /** 0 picks a free one. */
  readonly port: number
  /** Addresses or names of this machine; the first stands in the URL. */
  readonly hosts: readonly string[]
}

/** Ports that are taken, and not yet answered on. */
export interface Bound {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string
  readonly port: number
  serve(listener: RequestListener): void
  /** Ends: idle connections at once, the others when they have been answered, and all of them after `graceMs`. */
  close(): Promise<void>
}

/** Milliseconds within which a request's headers, and all of it, have to come; those for which connections may finish on closing. */
const headersTimeoutMs = 10_000
const requestTimeoutMs = 30_000
const timeoutCheckMs = 1_000
const graceMs = 500

/** How often a free port is looked for that is free on all hosts. */
const attempts = 10

/** The port is another process's. */
export class PortTaken extends UsageError {
  constructor(
    readonly host: string,
    readonly port: number,
  ) {
    super(
      `port ${port} on ${host} is taken: end what listens there, or choose another with --port (0 picks a free one)`,
    )
  }
}

/** Takes a port on all of the hosts. A second host that the machine does not have, as IPv6 may be, is left out. Rejects with `PortTaken`. */
export async function bind(options: BindOptions, attempt = 1): Promise<Bound> {
  const [first = '127.0.0.1', ...others] = options.hosts
  const server = await open(options.port, first)
  const port = portOf(server)
  const servers = [server]
  try {
    for (const host of others) servers.push(...(await openIfThere(port, host)))
  } catch (error) {
    await closeAll(servers)
    if (options.port === 0 && error instanceof PortTaken && attempt < attempts) return bind(options, attempt + 1)
    throw error
  }
  return {
    url: `http://${inUrl(first)}:${port}`,
    port,
    serve(listener) {
      for (const server of servers) server.on('request', listener)
    },
    close: () => closeAll(servers),
  }
}

async function openIfThere(port: number, host: string): Promise<Server[]> {
  try {
    return [await open(port, host)]
  } catch (error) {
    if (isMissingAddress(error)) return []
    throw error
  }
}

function open(port: number, host: string): Promise<Server> {
  const server = createServer({
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
  })
  server.on('clientError', refuseBroken)
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new PortTaken(host, port) : error),
    )
    server.listen(port, host, () => resolve(server))
  })
}

/** Answers what is not even HTTP: as JSON, like every failure. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const message = late ? 'the request did not come in time' : `this is not a request that can be read: ${error.message}`
  const body = JSON.stringify({ code: late ? 'API_BAD_BODY' : 'API_BAD_HEADERS', message })
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncache-control: no-store\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  const impatience = setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, graceMs)
  const closed = servers.map(server => new Promise(resolve => server.close(resolve)))
  for (const server of servers) server.closeIdleConnections()
  await Promise.all(closed)
  clearTimeout(impatience)
}

function portOf(server: Server): number {
  // A server that listens on a port has an address that is no string and not null.
  return (server.address() as AddressInfo).port
}

function isMissingAddress(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT'
}

/** A host as it stands in a URL. */
function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
