import { randomUUID } from 'node:crypto'
import { createServer, type RequestListener, type Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { ErrorCode } from '../contract/errors.js'
import { UsageError } from '../lib/usage-error.js'
import { systemReason } from '../node/system-error.js'

/** Where a server listens. */
interface BindOptions {
  /** 0 picks a free one. */
  readonly port: number
  /** An address or a name of this machine. Default: 127.0.0.1 and, where the machine has it, ::1. */
  readonly host?: string | undefined
  /** Within how many ms a request's headers have to come. Default: 10 000. */
  readonly headersTimeoutMs?: number | undefined
  /** Within how many ms all of a request has to come. Default: 30 000. */
  readonly requestTimeoutMs?: number | undefined
}

/** The port where nobody has chosen one. */
export const defaultPort = 4100

const defaultHosts = ['127.0.0.1', '::1'] as const

/** Ports that are taken, and not yet answered on. */
export interface Bound {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string
  readonly port: number
  serve(listener: RequestListener): void
  /**
   * Ends: connections that are idle at once, others when they have been answered, and all that are left after half a
   * second. Ends what answers, too, after the port: those who are answered then are told to close their connections.
   */
  close(answering?: { close(): Promise<void> }): Promise<void>
}

/** How often it is looked whether a request is late. */
const timeoutCheckMs = 1_000

/** For how long connections may finish on closing. */
const graceMs = 500

/** How often a free port is looked for that is free on all hosts. */
const attempts = 10

/** The port is another process's. */
export class PortTaken extends UsageError {
  constructor(
    readonly host: string,
    readonly port: number,
  ) {
    super(`port ${port} on ${host} is taken: end what listens there, or choose another port (0 picks a free one)`)
  }
}

/** Takes a port on all of the hosts. Rejects with `PortTaken`, or with `UsageError` where the system does not let anybody listen. */
export function bind(options: BindOptions): Promise<Bound> {
  return bindOnce(options, 1)
}

async function bindOnce(options: BindOptions, attempt: number): Promise<Bound> {
  if (options.host === '')
    throw new UsageError('host is empty, which would mean every address: leave it out, or name one')
  const [first, ...others] = options.host === undefined ? defaultHosts : ([options.host] as const)
  const answers = createAnswers()
  const server = await open(first, { ...options, answers })
  const port = portOf(server)
  const servers = [server]
  try {
    for (const host of others) servers.push(...(await openIfThere(host, { ...options, port, answers })))
  } catch (error) {
    await closeAll(servers)
    if (options.port === 0 && error instanceof PortTaken && attempt < attempts) return bindOnce(options, attempt + 1)
    throw error
  }
  return boundTo(servers, { url: `http://${inUrl(first)}:${port}`, port, answers })
}

/** Answers that tell their clients, from when it has ended on, to close their connections. */
interface Answers {
  readonly Response: typeof ServerResponse
  end(): void
}

function createAnswers(): Answers {
  let ended = false
  class Response extends ServerResponse {
    override writeHead(...head: unknown[]): this {
      if (ended) this.shouldKeepAlive = false
      // The forms that a head may have are the overloads of the method that gets them.
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>))
    }
  }
  return {
    // A subclass with the same constructor; TypeScript does not see it through the type parameter of the declared one.
    Response: Response as typeof ServerResponse,
    end() {
      ended = true
    },
  }
}

function boundTo(
  servers: readonly Server[],
  { answers, ...place }: Pick<Bound, 'url' | 'port'> & { readonly answers: Answers },
): Bound {
  const closePort = async () => {
    answers.end()
    // What has just been answered is on its way before its connection counts as idle.
    await setImmediate()
    await closeAll(servers)
  }
  return {
    ...place,
    serve(listener) {
      // An expectation that Node does not know is answered like any request: Node would refuse it with an empty body.
      for (const server of servers) server.on('request', listener).on('checkExpectation', listener)
    },
    async close(answering) {
      const closed = closePort()
      await answering?.close()
      await closed
    },
  }
}

type OpenOptions = BindOptions & { readonly answers: Answers }

async function openIfThere(host: string, options: OpenOptions): Promise<Server[]> {
  try {
    return [await open(host, options)]
  } catch (error) {
    if (error instanceof UsageError && isMissingAddress(error.cause)) return []
    throw error
  }
}

/** Rejects with `UsageError`: `PortTaken`, or why the system does not let anybody listen there. */
function open(
  host: string,
  { port, headersTimeoutMs = 10_000, requestTimeoutMs = 30_000, answers }: OpenOptions,
): Promise<Server> {
  const server = createServer({
    ServerResponse: answers.Response,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: timeoutCheckMs,
    // Node would refuse a request without a Host with an empty body; the Host check does it better.
    requireHostHeader: false,
  })
  server.on('clientError', refuseBroken)
  // Node would leave out those behind the 2,000th, perhaps the token: their length is limited already.
  server.maxHeadersCount = 0
  server.on('connect', (_request, socket) => {
    // Node has let go of it, and neither hears of its errors nor closes it with the server.
    socket.on('error', () => socket.destroy()).on('finish', () => socket.destroy())
    refuse(socket, { code: 'API_METHOD_NOT_ALLOWED', message: 'CONNECT is not allowed: this is no proxy' })
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortTaken(host, port) : cannotListen(error, { host, port }))
    })
    server.listen(port, host, () => resolve(server))
  })
}

/** Why the system lets nobody listen there, and what to do. */
function cannotListen(error: NodeJS.ErrnoException, { host, port }: { host: string; port: number }): UsageError {
  const sentence = () => {
    switch (error.code) {
      case 'EADDRNOTAVAIL':
        return `cannot listen on ${host}: this machine has no such address. Name one of its own, or leave the host out`
      case 'EAFNOSUPPORT':
        return `cannot listen on ${host}: this machine has no IPv6. Name an IPv4 address, or leave the host out`
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return `cannot listen on ${host}: no machine of that name is known. Name an address, or leave the host out`
      case 'EACCES':
        return `cannot listen on port ${port}: the system does not allow you that port. Choose one from 1024 up`
      default:
        return `cannot listen on ${host}, port ${port}: ${systemReason(error)}`
    }
  }
  return new UsageError(sentence(), { cause: error })
}

/** Answers what is not even HTTP: as JSON, like every failure. */
function refuseBroken(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const message = late ? 'the request did not come in time' : `this is not a request that can be read: ${error.message}`
  refuse(socket, { code: late ? 'API_BAD_BODY' : 'API_BAD_HEADERS', message })
}

/** Answers 400 where Node has made no request of what came, with the headers that every answer has (PROTOCOL.md B9). */
function refuse(socket: Duplex, refusal: { readonly code: ErrorCode; readonly message: string }): void {
  const body = JSON.stringify(refusal)
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    vary: 'Origin',
    // No world has seen this request, so that its ray is nobody's chance.
    'rvt-ray-id': randomUUID(),
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  }
  const head = ['HTTP/1.1 400 Bad Request', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  const impatience = setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, graceMs)
  // Closes the connections that are idle, too.
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  clearTimeout(impatience)
}

function portOf(server: Server): number {
  // A server that listens on a port has an address that is no string and not null.
  return (server.address() as AddressInfo).port
}

function isMissingAddress(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && (cause.code === 'EADDRNOTAVAIL' || cause.code === 'EAFNOSUPPORT')
}

/** A host as it stands in a URL. */
function inUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
