import { createServer, type RequestListener, request as requestOverSocket } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { expect, onTestFinished } from 'vitest'
import type { RequestHandler } from '../../src/core/pipeline/message.js'
import { bearer } from './tanks.js'

export interface TestRequest {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** A response with header names in lower case. */
export interface TestResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A request with a body: a text as it is, anything else as JSON. */
export const post = (path: string, body: unknown, token?: string) =>
  ({
    method: 'POST',
    path,
    headers: token === undefined ? {} : bearer(token),
    body: typeof body === 'string' ? body : JSON.stringify(body),
  }) as const

/** A request without a body. */
export const request = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, token?: string) =>
  ({ method, path, headers: token === undefined ? {} : bearer(token) }) as const

/** Sends a request to a mock without a transport. */
export async function ask(
  { answer }: { readonly answer: RequestHandler },
  { headers = {}, body, ...request }: TestRequest,
  signal?: AbortSignal,
): Promise<TestResponse> {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  const response = await answer({ ...request, headers, body: bytes, ...(signal && { signal: () => signal }) })
  return { ...response, body: new TextDecoder().decode(response.body) }
}

/** Sends a request over a socket without changes. It adds only the required headers. */
export function sendTo(url: string, { method, path, query, headers, body }: TestRequest): Promise<TestResponse> {
  // Node sets the length of a body only for methods that usually have one.
  const length = body !== undefined && method === 'DELETE' ? { 'content-length': String(Buffer.byteLength(body)) } : {}
  return new Promise((resolve, reject) => {
    const outgoing = requestOverSocket(
      `${url}${path}${query === undefined ? '' : `?${query}`}`,
      { method, headers: { ...headers, ...length } },
      incoming => {
        buffer(incoming).then(
          bytes =>
            resolve({
              status: incoming.statusCode ?? 0,
              // No header of a response is repeated.
              headers: incoming.headers as Record<string, string>,
              body: bytes.toString(),
            }),
          reject,
        )
      },
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}

/** These headers differ between entry points, or between responses. */
const connectionHeaders = ['rvt-ray-id', 'date', 'connection', 'keep-alive', 'content-length', 'transfer-encoding']

/** Removes the headers of the connection, so that two responses can be compared. */
export function comparable({ headers, ...response }: TestResponse): TestResponse {
  return {
    ...response,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !connectionHeaders.includes(name))),
  }
}

export function json(response: TestResponse): unknown {
  return JSON.parse(response.body)
}

/** Parses the body of a response, and expects its status to be 200. */
export function ok(response: TestResponse): unknown {
  expect(response.status, response.body).toBe(200)
  return json(response)
}

/** Returns the status and the code of a failure: `404 API_NOT_FOUND`. */
export function failure(response: TestResponse): string {
  return `${response.status} ${(json(response) as { code: string }).code}`
}

/** A version 4 UUID. Ray ids and the ids of device links are UUIDs. */
export const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    socket.once('connect', () => resolve(socket)).once('error', reject)
  })
}

/** Writes bytes to a server, and reads until the server closes the connection. */
export async function sendBytes(url: string, bytes: string): Promise<string> {
  const socket = await openSocket(url)
  socket.write(bytes, 'latin1')
  return text(socket)
}

/** Parses the responses in a text. Each has a `content-length` or no body. */
export function parseResponses(written: string): TestResponse[] {
  const end = written.indexOf('\r\n\r\n')
  if (end === -1) return []
  const [statusLine = '', ...lines] = written.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const rest = Buffer.from(written.slice(end + 4))
  const length = Number(headers['content-length'] ?? 0)
  const response = { status: Number(statusLine.split(' ')[1]), headers, body: rest.subarray(0, length).toString() }
  return [response, ...parseResponses(rest.subarray(length).toString())]
}

/** Writes bytes to a server, and expects one response before the server closes the connection. */
export async function responseTo(url: string, bytes: string): Promise<TestResponse> {
  const written = await sendBytes(url, bytes)
  const [response, ...more] = parseResponses(written)
  if (!response || more.length > 0) throw new Error(`expected one response, got: ${written}`)
  return response
}

/** Serves a listener on a free port. Clients seem to come from `remoteAddress`, if there is one. */
export async function serveListener(
  listener: RequestListener,
  remoteAddress?: string,
): Promise<{ readonly url: string; breakConnections(): void; close(): Promise<unknown> }> {
  const server = createServer(listener)
  if (remoteAddress !== undefined)
    server.on('connection', socket => Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress }))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // a string only for a pipe
  return {
    url: `http://127.0.0.1:${port}`,
    breakConnections: () => server.closeAllConnections(),
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}

/** Serves a listener until the end of the test, and returns its URL. */
export async function serveDuringTest(...args: Parameters<typeof serveListener>): Promise<string> {
  const { url, close } = await serveListener(...args)
  onTestFinished(() => void close())
  return url
}
