import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import type { HttpHandler } from 'msw'
import type { MockRequest } from '../server/message.js'

/** The result of asking handlers. After `passthrough`, no other handler may answer. */
export type Outcome = 'answered' | 'unanswered' | 'passthrough'

/** No Fetch request can have these methods, so no handler can match them. */
const forbiddenMethods = ['CONNECT', 'TRACE', 'TRACK']

/**
 * Answers a request with any MSW handlers, by way of Fetch objects. `url` is the full URL. `HttpResponse.error()` destroys
 * the connection. A request that Fetch cannot express stays unanswered. Rejects with what a resolver throws.
 */
export async function answerWithHandlers(
  handlers: readonly HttpHandler[],
  { request, url }: { readonly request: MockRequest; readonly url: string },
  response: ServerResponse,
): Promise<Outcome> {
  if (forbiddenMethods.includes(request.method) || !URL.canParse(url)) return 'unanswered'
  // Imported on use, so that a server without such handlers does not load it.
  const { getResponse } = await import('msw')
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  else response.once('close', () => controller.abort())
  const answer = await getResponse([...handlers], toFetchRequest(request, url, controller.signal))
  if (!answer) return 'unanswered'
  if (answer.headers.get('x-msw-intention') === 'passthrough') return 'passthrough'
  if (answer.type === 'error') response.destroy()
  else await writeFetchResponse(answer, response)
  return 'answered'
}

function toFetchRequest({ method, headers, body }: MockRequest, url: string, signal: AbortSignal): Request {
  const pairs = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  )
  const bodiless = method === 'GET' || method === 'HEAD' || body === undefined
  return new Request(url, { method, headers: pairs, signal, ...(bodiless ? {} : { body: new Uint8Array(body) }) })
}

async function writeFetchResponse(answer: Response, response: ServerResponse): Promise<void> {
  const cookies = answer.headers.getSetCookie()
  // The entries list each cookie by itself, so the last one would win.
  const headers = Object.fromEntries(answer.headers)
  response.writeHead(answer.status, answer.statusText || undefined, {
    ...headers,
    ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }),
  })
  if (!answer.body) return void response.end()
  // Fetch and Node declare the same class of streams twice.
  const body = Readable.fromWeb(answer.body as ReadableStream)
  await pipeline(body, response).catch((error: NodeJS.ErrnoException) => {
    response.destroy()
    // A client that disconnects is no error.
    if (error.code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error
  })
}
