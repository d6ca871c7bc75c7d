import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  maxHeaderSize,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { ApiError, type ErrorCode } from '../../core/contract/errors.js'
import { isControlPath, pathInWorld } from '../../core/contract/paths.js'
import { acceptsGzip } from '../../core/control/call.js'
import { after } from '../../core/lib/after.js'
import { parseInput } from '../../core/lib/issues.js'
import { escapedLine, startPage, systemReason, UsageError } from '../../core/lib/messages.js'
import { real } from '../../core/lib/real-globals.js'
import { hostInUrl } from '../../core/lib/url.js'
import { type Mockmaker, mockOf } from '../../core/mock/facade.js'
import type { Mock } from '../../core/mock/mock.js'
import { AppOptions, ListenOptions } from '../../core/mock/options.js'
import { header, type MockRequest, type MockResponse } from '../../core/pipeline/message.js'
import { checkStarted } from '../processes/game-servers.js'
import { standardError } from '../processes/program-log.js'
import { startPrograms } from '../processes/programs.js'
import { parseProxies } from './address-lists.js'
import { keepInFolder } from './data-folder.js'
import { serveNodeRequest } from './node-adapter.js'
import { hasLargeHeaders, maxForwardedHeaderSize, type Router } from './router.js'
import { Service, type ServiceOptions } from './service.js'

/** Express adds `protocol` and `baseUrl` to a request of `node:http`. */
type IncomingRequest = IncomingMessage & { readonly protocol?: string; readonly baseUrl?: string }

/** Creates a listener with the whole server (PROTOCOL.md B9). It works without Express, and as Express middleware too. */
export function createListener(
  mock: Mock,
  options: AppOptions = {},
  {
    router,
    ...more
  }: Pick<ServiceOptions, 'readOnlyBecause' | 'publicUrl' | 'serverHost' | 'ownToken'> & {
    readonly router?: Router | undefined
  } = {},
): (request: IncomingRequest, response: ServerResponse) => void {
  parseInput(AppOptions(), options, 'options')
  const { allowedHosts = [], trustProxy = [] } = options
  const isTrusted = trustProxy.length > 0 ? parseProxies(trustProxy) : undefined
  const service = new Service(mock, { ...options, allowedHosts, ...more })
  return (nodeRequest, response) => {
    // Node forgets the address of a closed connection that nobody has read. It must not count as loopback then.
    void nodeRequest.socket.remoteAddress
    const { protocol = 'http', baseUrl = '' } = nodeRequest
    serveNodeRequest(
      nodeRequest,
      response,
      (request, isForwarded) => {
        // The port of a replica takes more, from other replicas.
        if (router && !isForwarded && hasLargeHeaders(nodeRequest))
          return service.refuse(request, new ApiError('API_BAD_HEADERS', largeHeaders))
        const served = service.serve(request, () => `${protocol}://${header(request, 'host')}${baseUrl}`, {
          isForwarded,
        })
        if (!isControlPath(pathInWorld(request.path))) return served
        return { ...served, answer: () => after(served.answer(), answer => compressed(request, answer)) }
      },
      { isTrusted, router, refuse: (request, error) => service.refuse(request, error).answer() },
    )
  }
}

/** Shorter answers of the control API stay as they are. In bytes. */
const shortestCompressed = 2_048

async function compressed(request: MockRequest, answer: MockResponse): Promise<MockResponse> {
  const { headers, body, stream } = answer
  if (body.length < shortestCompressed || stream) return answer
  const varied = { ...headers, vary: `${headers.vary}, Accept-Encoding` }
  if (!acceptsGzip(header(request, 'accept-encoding'))) return { ...answer, headers: varied }
  return { ...answer, headers: { ...varied, 'content-encoding': 'gzip' }, body: await gzipped(body) }
}

const gzipped = promisify<Uint8Array, Buffer<ArrayBuffer>>(gzip)

const largeHeaders = `the target and the headers of the request have ${maxHeaderSize / 1024} KiB or more: send fewer or shorter ones`

/** Returns the URL at which this machine reaches the server of a request, with the path where it is mounted. */
export function urlOnThisMachine({ socket, baseUrl = '' }: IncomingRequest): string {
  const { localAddress = '127.0.0.1', localPort } = socket
  const address = localAddress.replace(/^::ffff:/, '')
  const port = localPort === undefined ? '' : `:${localPort}`
  return `${'encrypted' in socket ? 'https' : 'http'}://${hostInUrl(address)}${port}${baseUrl}`
}

/** A running server. */
export interface Listening {
  /** `http://127.0.0.1:4100`, without a slash at its end. */
  readonly url: string
  /** Answers every waiting request, ends the mock and frees the port. */
  close(): Promise<void>
}

/** Serves a mock on this machine. Rejects with `UsageError` if an option is wrong or the port is taken. */
export async function listen(mockmaker: Mockmaker, options: ListenOptions = {}): Promise<Listening> {
  parseInput(ListenOptions(), options, 'options')
  const mock = mockOf(mockmaker, 'listen')
  const { port = defaultPort, host, servers, data, ...app } = options
  checkStarted(mock, { servers, call: 'listen' })
  const listener = createListener(mock, app)
  const bound = await bind({ port, host })
  try {
    if (data !== undefined) keepInFolder(mock, { data, report: warn })
    const programs = servers ? startPrograms({ mock, url: localUrl(bound.url), log: standardError }) : undefined
    bound.serve(listener)
    return {
      url: bound.url,
      async close() {
        mock.announceClose()
        // They may call the mock until they have ended.
        await programs?.close()
        await bound.close(mock)
      },
    }
  } catch (error) {
    await bound.close()
    throw error
  }
}

/** Writes a warning to standard error. */
export function warn(text: string): void {
  process.stderr.write(`mockmaker: ${escapedLine(text)}\n`)
}

/** Replaces the addresses for "all of this machine" with loopback. */
export function localUrl(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

export const defaultPort = 4100

const defaultHosts = ['127.0.0.1', '::1'] as const

interface BindOptions {
  /** 0 picks a free one. */
  readonly port: number
  /** An address or a name of this machine. Default: 127.0.0.1 and, if the machine has IPv6, ::1. */
  readonly host?: string | undefined
  /** The time for the headers of a request, in ms. Default: 10 000. */
  readonly headersTimeoutMs?: number | undefined
  /** The time for a whole request, in ms. Default: 30 000. */
  readonly requestTimeoutMs?: number | undefined
  /** True if other replicas send requests too. Default: false. */
  readonly isReplica?: boolean | undefined
}

/** An open port. It answers requests after a call of `serve`. */
export interface OpenPort {
  /** `http://host:port`, without a slash at its end. */
  readonly url: string
  readonly port: number
  /** `waits`: the listener itself tells a client that waits with its body (`expect: 100-continue`) to send it. Default: false. */
  serve(listener: RequestListener, options?: { readonly waits?: boolean }): void
  /**
   * Frees the port. Idle connections close at once, also those that never had a request. Others close after their response, and
   * all of them after half a second. Closes `mock` after the port, so that the waiting requests it then answers close their
   * connections.
   */
  close(mock?: { close(): Promise<void> }): Promise<void>
}

/** Another process has the port. */
export class PortTaken extends UsageError {
  constructor(
    readonly host: string,
    readonly port: number,
  ) {
    super(
      `port ${port} on ${host} is taken: stop the program that listens there, or choose another port (0 picks a free one). ${startPage}`,
    )
  }
}

/** The most attempts to find a port that is free on all hosts. */
const maxAttempts = 10

/**
 * A connection without a request stays open for this time, in ms. Common load balancers and proxies keep theirs for 60 s. If the mock
 * closed it first, a request on its way would fail.
 */
const idleMs = 75_000

const timeoutCheckMs = 1_000

/** Open requests get this time to finish after `close`. */
const graceMs = 500

/** Opens a port on all of its hosts. Rejects with `PortTaken`, or with `UsageError` if the system refuses. */
export async function bind(options: BindOptions): Promise<OpenPort> {
  if (options.host === '')
    throw new UsageError('host is empty, which would mean every address: leave it out, or name one')
  for (let attempt = 1; ; attempt++) {
    try {
      return await bindOnce(options)
    } catch (error) {
      // A port that is free on the first host may be taken on the second one.
      const isLost = options.port === 0 && error instanceof PortTaken && attempt < maxAttempts
      if (!isLost) throw error
    }
  }
}

async function bindOnce(options: BindOptions): Promise<OpenPort> {
  const [first, ...others] = options.host === undefined ? defaultHosts : ([options.host] as const)
  const { Response, closeConnections } = createResponseClass()
  const sockets = new Set<Socket>()
  const server = await open(first, options, { Response, sockets })
  // The address of a server that listens on a port is an object.
  const { port } = server.address() as AddressInfo
  const servers = [server]
  try {
    for (const host of others) servers.push(...(await openIfPresent(host, { ...options, port }, { Response, sockets })))
  } catch (error) {
    await closeAll(servers)
    throw error
  }
  const closePort = async () => {
    closeConnections()
    // A connection counts as idle only once its response has been sent.
    await setImmediate()
    // A request that has arrived is read in the next turn.
    await setImmediate()
    // Browsers open connections in advance, and so does fetch of Node 20. Node does not count them as idle.
    for (const socket of sockets) if (isUnused(socket)) socket.destroy()
    await closeAll(servers)
  }
  return {
    url: `http://${hostInUrl(first)}:${port}`,
    port,
    serve(listener, { waits = false } = {}) {
      for (const each of servers) {
        // Node would refuse an unknown expectation with an empty body.
        each.on('request', listener).on('checkExpectation', listener)
        if (waits) each.on('checkContinue', listener)
      }
    },
    async close(mock) {
      const closed = closePort()
      await mock?.close()
      await closed
    },
  }
}

const responses = new WeakMap<Duplex, ServerResponse>()

/** Creates a class of responses. After `closeConnections`, they tell their clients to close the connection. */
function createResponseClass(): { readonly Response: typeof ServerResponse; closeConnections(): void } {
  let isClosing = false
  class Response extends ServerResponse {
    override assignSocket(socket: Socket): void {
      responses.set(socket, this)
      super.assignSocket(socket)
    }

    override writeHead(...head: unknown[]): this {
      if (isClosing) this.shouldKeepAlive = false
      // TypeScript cannot pass the arguments of an overloaded method on.
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>))
    }
  }
  return {
    // The subclass has the same constructor. TypeScript does not see that through the type parameter of `ServerResponse`.
    Response: Response as typeof ServerResponse,
    closeConnections() {
      isClosing = true
    },
  }
}

interface SharedParts {
  readonly Response: typeof ServerResponse
  readonly sockets: Set<Socket>
}

async function openIfPresent(host: string, options: BindOptions, shared: SharedParts): Promise<Server[]> {
  try {
    return [await open(host, options, shared)]
  } catch (error) {
    const cause = error instanceof UsageError ? (error.cause as NodeJS.ErrnoException | undefined) : undefined // an error of `listen`
    if (cause?.code === 'EADDRNOTAVAIL' || cause?.code === 'EAFNOSUPPORT') return []
    throw error
  }
}

function open(
  host: string,
  { port, headersTimeoutMs = 10_000, requestTimeoutMs = 30_000, isReplica = false }: BindOptions,
  { Response, sockets }: SharedParts,
): Promise<Server> {
  const server = createServer({
    ServerResponse: Response,
    headersTimeout: headersTimeoutMs,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: timeoutCheckMs,
    maxHeaderSize: isReplica ? maxForwardedHeaderSize : maxHeaderSize,
    // Node would refuse a request without a Host with an empty body. The Host check refuses it with a JSON error.
    requireHostHeader: false,
  })
  // Node would drop the headers after the 2,000th, perhaps the token. Their length is limited anyway.
  server.maxHeadersCount = 0
  server.on('connection', socket => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('clientError', refuseMalformed)
  server.on('connect', (_request, socket) => {
    // Node leaves this socket to us: it neither handles its errors nor closes it with the server.
    socket.on('error', () => socket.destroy())
    refuse(socket, 'API_METHOD_NOT_ALLOWED', 'CONNECT is not allowed: this server is not a proxy')
  })
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(error.code === 'EADDRINUSE' ? new PortTaken(host, port) : listenError(error, host, port))
    })
    server.listen(port, host, () => resolve(server))
  })
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): UsageError {
  const noMachine = `cannot listen on ${host}: no machine has that name. Name an address, or leave the host out`
  const sentences: Readonly<Record<string, string>> = {
    EADDRNOTAVAIL: `cannot listen on ${host}: this machine has no such address. Name one of its own, or leave the host out`,
    EAFNOSUPPORT: `cannot listen on ${host}: this machine has no IPv6. Name an IPv4 address, or leave the host out`,
    ENOTFOUND: noMachine,
    EAI_AGAIN: noMachine,
    EACCES: `cannot listen on port ${port}: the system does not allow you that port. Choose one from 1024 up`,
  }
  const sentence = sentences[error.code ?? ''] ?? `cannot listen on ${host}, port ${port}: ${systemReason(error)}`
  return new UsageError(sentence, { cause: error })
}

function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && isUnused(socket))
    // It was opened in advance. Node asks once, and again from its first byte on.
    setTimeout(() => isUnused(socket) && socket.destroy(), idleMs).unref()
  else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    refuse(socket, 'API_REQUEST_LATE', 'the request did not arrive in time: send it again')
  else refuse(socket, 'API_BAD_HEADERS', `the request is not valid HTTP: ${error.message}`)
}

function isUnused(socket: Duplex): boolean {
  return 'bytesRead' in socket && socket.bytesRead === 0
}

/**
 * Answers 400 on a bare socket, with the headers of every response (PROTOCOL.md B9). If a response has begun there, closes
 * the socket instead: the client would take the 400 for a part of that response.
 */
function refuse(socket: Duplex, code: ErrorCode, message: string): void {
  const response = responses.get(socket)
  if (response?.headersSent && !response.writableEnded) {
    socket.destroy()
    return
  }
  const body = JSON.stringify({ code, message })
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    vary: 'Origin',
    // The request belongs to no world, so this id does not come from the seed of one.
    'rvt-ray-id': randomUUID(),
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  }
  const head = ['HTTP/1.1 400 Bad Request', ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)]
  // A client that never closes its side would keep the socket for ever.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  const timer = real.setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
  }, graceMs)
  // `close` also closes the idle connections.
  await Promise.all(servers.map(server => new Promise(resolve => server.close(resolve))))
  real.clearTimeout(timer)
}
