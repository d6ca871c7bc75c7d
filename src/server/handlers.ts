import { type HttpHandler, http } from 'msw'
import type { Method } from '../contract/operation.js'
import { type OperationId, operationIds, operations } from '../contract/operations.js'
import { quoted } from '../lib/quote.js'
import { UsageError } from '../lib/usage-error.js'
import { carry } from './carried.js'
import type { MockResponse, RequestHandler } from './message.js'
import { pageOf, turnAway } from './turn-away.js'

/**
 * Where the handlers listen: an origin, `*` for any, or none for the page's own; with a path in front if wanted.
 * `https://matchmaker.example`, `http://localhost:3000/api`, `*`, `/api`.
 */
type BaseUrl = string

/** Who answers requests. A world that does not exist is refused in-process, and made over HTTP. */
export interface RequestHandlers {
  /** In-process. */
  readonly answer: RequestHandler
  /** Over HTTP. */
  readonly served: RequestHandler
}

/** Where handlers listen, and who answers what they hear. */
interface HandlerOptions extends RequestHandlers {
  readonly baseUrl: BaseUrl
}

/** One MSW handler for an operation; that of a GET answers HEAD too, and each the preflights of its method. Throws `UsageError` where the base URL is none. */
export function createHandler(id: OperationId, { baseUrl, answer, served }: HandlerOptions): HttpHandler {
  const { method, path } = operations[id]
  const base = readBase(baseUrl)
  const pattern = pathPattern(path)
  const handler = registrar[method](patternOf(base, path), ({ request }) =>
    respond(request, { answer, pathOf: pathname => pattern.exec(pathname)?.[0] ?? pathname }),
  )
  // In-process, nobody but the handler answers the preflight that a simulated browser sends.
  handler.info.method = method === 'GET' ? /^(GET|HEAD|OPTIONS)$/ : new RegExp(`^(${method}|OPTIONS)$`)
  turnAway(handler, operations[id])
  return carry(enduring(handler), { id, answer: served, basePath: base.basePath })
}

/** The handlers of all operations; behind them, where the base URL says that the origin is ours, one that answers 404 and wrong methods. */
export function createHandlers({ baseUrl, answer, served }: HandlerOptions): HttpHandler[] {
  const handlers = operationIds.map(id => createHandler(id, { baseUrl, answer, served }))
  const base = readBase(baseUrl)
  if (base.url.startsWith('*')) return handlers
  const rest = http.all(patternOf(base, '/*'), ({ request }) =>
    respond(request, { answer, pathOf: pathname => pathname.slice(base.basePath.length) }),
  )
  return [...handlers, enduring(rest)]
}

/** A base URL as it stands before an operation's path (`url`), and the path in it (`basePath`), neither with a slash at its end. */
interface Base {
  readonly url: string
  readonly basePath: string
}

/** A host name without pattern characters, or an IPv6 address. */
const host = /^(?:[\w.-]+|\[[\da-f:.]+\])$/

/** A path without pattern characters. */
const plainPath = /^(?:\/[\w.~@!$&',;=-]+)*\/*$/

/** Throws `UsageError` where the text is no base URL, or MSW would match other requests with it. */
function readBase(baseUrl: BaseUrl): Base {
  const base = typeof baseUrl === 'string' ? baseOf(baseUrl) : undefined
  if (base && plainPath.test(base.basePath)) return base
  throw new UsageError(
    `baseUrl is ${quoted(baseUrl)}: expected an origin (https://matchmaker.example), * for any, or a path of this page (/api), without a query and without pattern characters`,
  )
}

function baseOf(baseUrl: string): Base | undefined {
  const [, origin, path = ''] = /^(\*?)((?:\/(?!\/).*)?)$/.exec(baseUrl) ?? []
  if (origin !== undefined && baseUrl !== '') return joined(origin, path)
  if (!/^https?:\/\/[^/]/i.test(baseUrl) || !URL.canParse(baseUrl)) return undefined
  // As requests have it: in lower case, without a default port.
  const url = new URL(baseUrl)
  const isPlain = host.test(url.hostname) && url.username + url.password === '' && !/[?#]/.test(baseUrl)
  return isPlain ? joined(url.origin, url.pathname) : undefined
}

function joined(origin: string, path: string): Base {
  const basePath = path.replace(/\/+$/, '')
  return { url: origin + basePath, basePath }
}

/** The pattern that MSW matches. An IPv6 address becomes a regular expression: in a text, MSW takes its colons for parameters. */
function patternOf({ url }: Base, path: string): string | RegExp {
  if (!url.includes('[')) return url + path.replaceAll(/\{(\w+)\}/g, ':$1')
  const escaped = url.replaceAll(/[.[\]$]/g, '\\$&')
  return new RegExp(`^${escaped}${path.replaceAll(/\{\w+\}/g, '[^/]+').replace('*', '.*')}/?$`)
}

const registrar: { readonly [method in Method]: typeof http.get } = {
  GET: http.get,
  POST: http.post,
  PUT: http.put,
  DELETE: http.delete,
}

/** Has a handler answer also where the percent-encoding of a path is broken, which MSW 2 fails to decode once it has matched. */
function enduring(handler: HttpHandler): HttpHandler {
  const parse = handler.parse.bind(handler)
  handler.parse = args =>
    parse(args).catch(error => {
      if (error instanceof URIError) return { match: { matches: true, params: {} }, cookies: {} }
      throw error
    })
  return handler
}

/** Finds an operation's path at the end of a URL's, with the world that it may name: what stands before that belongs to the base URL. */
function pathPattern(path: string): RegExp {
  return new RegExp(`(?:/w/[^/]+)?${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}

interface Respond {
  readonly answer: RequestHandler
  /** The operation's path in that of the URL. */
  pathOf(pathname: string): string
}

async function respond(request: Request, { answer, pathOf }: Respond): Promise<Response> {
  const { method } = request
  const { pathname, search, origin } = new URL(request.url)
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
  const headers = Object.assign(originOf(request, origin), Object.fromEntries(request.headers))
  const signal = () => request.signal
  return toResponse(await answer({ method, path: pathOf(pathname), query: search.slice(1), headers, body, signal }))
}

/** The Origin of a page's request, as Fetch has it: a service worker is shown the request before the browser adds it. */
function originOf(request: Request, asked: string): { readonly origin?: string } {
  const { method, referrer } = request
  if (method === 'OPTIONS') {
    const page = pageOf(request)
    return page === undefined ? {} : { origin: page }
  }
  // In Node, where no page asks, it is about:client.
  const origin = /^https?:/.test(referrer) ? new URL(referrer).origin : 'null'
  const withoutOrigin = origin === asked && (method === 'GET' || method === 'HEAD')
  return origin === 'null' || withoutOrigin ? {} : { origin }
}

function toResponse({ status, headers, body, disconnect }: MockResponse): Response {
  // All that Fetch knows of a broken connection.
  if (disconnect) return Response.error()
  return new Response(status === 204 ? null : body, { status, headers })
}
