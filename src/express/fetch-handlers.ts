import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { HttpHandler } from 'msw'
import type { MockRequest } from '../server/message.js'

/** A request for handlers that are not ours, which speak Fetch. */
export interface FetchExchange {
  readonly handlers: readonly HttpHandler[]
  readonly exchange: MockRequest
  /** As the client has it. */
  readonly url: string
}

/** What became of a request: `passthrough` where a resolver wants no handler to answer. */
export type Outcome = 'answered' | 'unanswered' | 'passthrough'

/** Methods that no Fetch request can have, and so no handler can match. */
const unfetchable = ['CONNECT', 'TRACE', 'TRACK']

/**
 * Lets MSW handlers answer a request on a socket. `HttpResponse.error()` tears the socket down. What Fetch cannot express
 * is unanswered. Rejects with what a resolver throws.
 */
export async function answerByHandlers(
  { handlers, exchange, url }: FetchExchange,
  response: ServerResponse,
): Promise<Outcome> {
  if (unfetchable.includes(exchange.method) || !URL.canParse(url)) return 'unanswered'
  // Loaded here, so that a server whose handlers are all ours never loads MSW.
  const { getResponse } = await import('msw')
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  else response.once('close', () => controller.abort())
  const request = toRequest(exchange, { url, signal: controller.signal })
  const answer = await getResponse([...handlers], request)
  if (!answer) return 'unanswered'
  if (answer.headers.get('x-msw-intention') === 'passthrough') return 'passthrough'
  if (answer.type === 'error') response.destroy()
  else await write(answer, response)
  return 'answered'
}

function toRequest(
  { method, headers, body }: MockRequest,
  { url, signal }: { url: string; signal: AbortSignal },
): Request {
  const sent = new Headers()
  for (const [name, value] of Object.entries(headers)) {
    for (const one of [value ?? []].flat()) sent.append(name, one)
  }
  const bodiless = method === 'GET' || method === 'HEAD' || body === undefined
  return new Request(url, { method, headers: sent, signal, ...(bodiless ? {} : { body: new Uint8Array(body) }) })
}

async function write(answer: Response, response: ServerResponse): Promise<void> {
  const cookies = answer.headers.getSetCookie()
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'set-cookie'))
  response.writeHead(answer.status, answer.statusText || undefined, {
    ...headers,
    ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
  })
  if (!answer.body) return void response.end()
  // Fetch's stream and Node's are one class with two declarations.
  const body = Readable.fromWeb(answer.body as ReadableStream)
  await pipeline(body, response).catch((error: NodeJS.ErrnoException) => {
    response.destroy()
    // A client that goes away ends the pipeline with an error that is nobody's fault.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}
