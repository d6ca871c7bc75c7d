import { type HttpHandler, http } from 'msw'
import type { Method } from '../contract/operation.js'
import { type OperationId, operationIds, operations } from '../contract/operations.js'
import type { Answerer } from './answer.js'
import { carry } from './carried.js'
import type { Answer, Exchange } from './exchange.js'

/** Where the handlers listen: an origin, with a path in front if wanted, or `*` for any. */
export type BaseUrl = string

/** One MSW handler for an operation. A HEAD of a GET is its too. */
export function createHandler(
  id: OperationId,
  { baseUrl, answer }: { baseUrl: BaseUrl; answer: Answerer },
): HttpHandler {
  const { method, path } = operations[id]
  const pattern = pathPattern(path)
  const handler = registrar[method](baseUrl + path.replaceAll(/\{(\w+)\}/g, ':$1'), async ({ request }) => {
    const { pathname, search } = new URL(request.url)
    return toResponse(
      await answer(await toExchange(request, { path: pattern.exec(pathname)?.[0] ?? pathname, search })),
    )
  })
  if (method === 'GET') handler.info.method = /^(GET|HEAD)$/
  return carry(handler, { id, answer, basePath: basePathOf(baseUrl) })
}

/** The handlers of all operations; behind them, where an explicit base URL says that the origin is ours, one that answers 404 and wrong methods. */
export function createHandlers({
  baseUrl = '*',
  answer,
}: {
  baseUrl: BaseUrl | undefined
  answer: Answerer
}): HttpHandler[] {
  const handlers = operationIds.map(id => createHandler(id, { baseUrl, answer }))
  if (baseUrl === '*') return handlers
  const prefix = basePathOf(baseUrl)
  const rest = http.all(`${baseUrl}/*`, async ({ request }) => {
    const { pathname, search } = new URL(request.url)
    return toResponse(await answer(await toExchange(request, { path: pathname.slice(prefix.length), search })))
  })
  return [...handlers, rest]
}

function basePathOf(baseUrl: BaseUrl): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).pathname.replace(/\/$/, '') : ''
}

const registrar: { readonly [method in Method]: typeof http.get } = {
  GET: http.get,
  POST: http.post,
  PUT: http.put,
  DELETE: http.delete,
}

/** Finds an operation's path at the end of a URL's: what stands before it belongs to the base URL. */
function pathPattern(path: string): RegExp {
  return new RegExp(`${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

async function toExchange(request: Request, { path, search }: { path: string; search: string }): Promise<Exchange> {
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
  const headers = Object.fromEntries(request.headers)
  return { method: request.method, path, query: search.slice(1), headers, body, signal: () => request.signal }
}

function toResponse({ status, headers, body }: Answer): Response {
  return new Response(status === 204 ? null : body, { status, headers: { ...headers } })
}
