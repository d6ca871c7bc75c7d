import type { HttpHandler, HttpResponseResolver, http } from 'msw'
import type { Method, OperationSpec } from '../core/contract/operation.js'
import { type OperationId, operationIds, operations } from '../core/contract/operations.js'
import { withoutStacks } from '../core/lib/caller-stack.js'
import { quoted, UsageError } from '../core/lib/messages.js'
import { AbortController, type Response, TextEncoder, URL } from '../core/lib/real-globals.js'
import { parseUrl } from '../core/lib/url.js'
import { responseOf } from '../core/mock/fetch.js'
import { withOperation } from '../core/mock/handler-operation.js'
import type { AbortSignalLike, MockRequest, RequestHandler } from '../core/pipeline/message.js'

/** The functions that answer the requests of MSW handlers. They refuse an unknown world in-process, and create it over HTTP. */
export interface RequestHandlers {
  /** In-process. */
  readonly answer: RequestHandler
  readonly answerOverHttp: RequestHandler
  /** Selects another handler for one request in-process. Default: `answer`. */
  select?(request: Request): RequestHandler | undefined
}

/** MSW's functions that create handlers. Their classes must be those of MSW's server or worker. */
export type Http = typeof http

interface HandlerOptions extends RequestHandlers {
  readonly http: Http
  /**
   * An origin with an optional path. `*` is any origin, and no origin is that of the page. Examples:
   * `https://matchmaker.example`, `http://localhost:3000/api`, `*`, `/api`.
   */
  readonly baseUrl: string
  /** Answers one request only, as in MSW. Default: false. */
  readonly once?: boolean | undefined
}

/**
 * Creates the handlers of all operations. An explicit origin belongs to the mock alone: a last handler then answers unknown
 * paths and wrong methods. Throws `UsageError` if the base URL is wrong.
 */
export function createHandlers(options: HandlerOptions): HttpHandler[] {
  const handlers = operationIds.map(id => createHandler(id, options))
  const base = parseBaseUrl(options.baseUrl)
  if (base.url.startsWith('*')) return handlers
  const answer: HttpResponseResolver = ({ request }) =>
    answerFetch(request, options, pathname => ({ path: pathname.slice(base.basePath.length), basePath: base.basePath }))
  const rest = withoutStacks(() => options.http.all(patternOf(base, '/*'), answer))
  return [...handlers, matchMalformedPaths(rest)]
}

/** Creates the handler of one operation, its preflights, and HEAD for GET. Throws `UsageError`. */
export function createHandler(id: OperationId, options: HandlerOptions): HttpHandler {
  const { method, path } = operations[id]
  const base = parseBaseUrl(options.baseUrl)
  // `/w/{world}` precedes the path of the operation. If any origin matches, it precedes the path of the base URL.
  const basePath = base.basePath.replaceAll(/[.$]/g, '\\$&')
  const ending = new RegExp(`(/w/[^/]+)?(?:${basePath})?(${path.replaceAll(/\{\w+\}/g, '[^/]+')})$`)
  const name = method.toLowerCase() as Lowercase<Method> // TypeScript knows it as a string
  const answer: HttpResponseResolver = ({ request }) =>
    answerFetch(request, options, pathname => {
      const [, inWorld = '', ofOperation = pathname] = ending.exec(pathname) ?? []
      return { path: inWorld + ofOperation }
    })
  // MSW makes a stack for each handler. Under vitest, that takes three quarters of the time to create one.
  const { once = false } = options
  const handler = withoutStacks(() => options.http[name](patternOf(base, path), answer, { once }))
  // A simulated browser sends its preflights in-process too. They leave the one answer to their request.
  const methods = [method, ...(method === 'GET' ? ['HEAD'] : []), ...(once ? [] : ['OPTIONS'])]
  handler.info.method = new RegExp(`^(${methods.join('|')})$`)
  skipUnmatched(handler, operations[id])
  matchMalformedPaths(handler)
  return withOperation(handler, { id, answer: options.answerOverHttp, basePath: base.basePath, once })
}

/** Throws `UsageError` if a value is no handler of MSW. No `instanceof`: a project may hold several copies of MSW. */
export function checkHandlers(call: string, handlers: readonly unknown[]): void {
  for (const [i, handler] of handlers.entries()) {
    if (typeof handler === 'object' && handler !== null && ('run' in handler || 'kind' in handler)) continue
    const advice = Array.isArray(handler)
      ? `spread the list, as in ${call}(...handlers)`
      : 'expected a handler of MSW, such as http.get(…), or one of mock.handlers'
    throw new UsageError(`${call}: argument ${i + 1} is ${quoted(handler)}: ${advice}`)
  }
}

/** An origin for requests that have none, because `*` matches any. Nobody else has it. */
const ownHost = 'mockmaker.test'

/**
 * Returns a URL at which the handlers of a base URL answer for a world, without a slash at its end. `path` is that of the world.
 * The URL is relative if the base URL is a path, and there is no page. Throws `UsageError` if the base URL is wrong.
 */
export function urlInProcess(baseUrl: string, path: string): string {
  const { url, basePath } = parseBaseUrl(baseUrl)
  const { protocol = 'http:', origin = '' } = globalThis.location ?? {}
  // A page of HTTPS must not fetch from HTTP.
  if (url.startsWith('*')) return `${protocol === 'https:' ? 'https' : 'http'}://${ownHost}${path}${basePath}`
  return (/^https?:/.test(url) || !/^https?:/.test(origin) ? '' : origin) + url + path
}

interface Base {
  readonly url: string
  readonly basePath: string
}

/** A host name without pattern characters, or an IPv6 address. */
const plainHost = /^(?:[\w.-]+|\[[\da-f:.]+\])$/

/** A path without pattern characters. */
const plainPath = /^(?:\/[\w.~@!$&',;=-]+)*\/*$/

function parseBaseUrl(baseUrl: string): Base {
  const base = typeof baseUrl === 'string' ? baseOf(baseUrl) : undefined
  if (base && plainPath.test(base.basePath)) return base
  throw new UsageError(
    `baseUrl is ${quoted(baseUrl)}: expected an origin (https://matchmaker.example), * for any, or a path of this page (/api), without a query and without pattern characters`,
  )
}

function baseOf(baseUrl: string): Base | undefined {
  const [, origin, path = ''] = /^(\*?)((?:\/(?!\/).*)?)$/.exec(baseUrl) ?? []
  if (origin !== undefined && baseUrl !== '') return joinBaseUrl(origin, path)
  // As in requests: in lower case, without a default port.
  const url = /^https?:\/\/[^/]/i.test(baseUrl) ? parseUrl(baseUrl) : undefined
  if (!url) return undefined
  const isPlain = plainHost.test(url.hostname) && url.username + url.password === '' && !/[?#]/.test(baseUrl)
  return isPlain ? joinBaseUrl(url.origin, url.pathname) : undefined
}

function joinBaseUrl(origin: string, path: string): Base {
  const basePath = path.replace(/\/+$/, '')
  return { url: origin + basePath, basePath }
}

/** The pattern for MSW. An IPv6 address needs a regular expression, because MSW reads the colons of a string as parameters. */
function patternOf({ url }: Base, path: string): string | RegExp {
  if (!url.includes('[')) return url + path.replaceAll(/\{(\w+)\}/g, ':$1')
  const escaped = url.replaceAll(/[.[\]$]/g, '\\$&')
  return new RegExp(`^${escaped}${path.replaceAll(/\{\w+\}/g, '[^/]+').replace('*', '.*')}/?$`)
}

/** Makes a handler match a path with malformed percent-encoding, which MSW 2 fails to decode after it has matched. */
function matchMalformedPaths(handler: HttpHandler): HttpHandler {
  const parse = handler.parse.bind(handler)
  handler.parse = args =>
    parse(args).catch(error => {
      if (error instanceof URIError) return { match: { matches: true, params: {} }, cookies: {} }
      throw error
    })
  return handler
}

/**
 * Makes a handler skip the requests that it cannot match. MSW lets each handler clone the request, and parse its URL and
 * cookies, before it looks at the method. A request that may match still goes to MSW, which decides.
 */
function skipUnmatched(handler: HttpHandler, { method, path }: Pick<OperationSpec, 'method' | 'path'>): void {
  const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
  // MSW 2 ignores case, MSW 3 decodes the path, and both allow a slash at its end.
  const ending = new RegExp(`%|${path.replaceAll(/\{\w+\}/g, '[^/?#]+')}/?(?:[?#]|$)`, 'i')
  const run = handler.run.bind(handler)
  handler.run = args => {
    const { request } = args
    const isMethod = methods.includes(request.method.toUpperCase()) || isPreflightFor(method, request)
    return isMethod && ending.test(request.url) ? run(args) : Promise.resolve(null)
  }
}

/** Under MSW 3, preflights of happy-dom have no headers. Then OPTIONS from a page of another origin counts as a preflight. */
function isPreflightFor(method: string, request: Request): boolean {
  if (request.method !== 'OPTIONS') return false
  const requested = request.headers.get('access-control-request-method')
  if (requested !== null) return requested.toUpperCase() === method
  const page = request.headers.has('origin') ? undefined : pageOriginOf(request)
  return page !== undefined && page !== new URL(request.url).origin
}

function pageOriginOf({ referrer, headers }: Request): string | undefined {
  const page = [referrer, headers.get('referer') ?? '', globalThis.location?.href ?? ''].find(
    url => /^https?:/.test(url) && parseUrl(url),
  )
  return page === undefined ? globalThis.location?.origin : new URL(page).origin
}

async function answerFetch(
  request: Request,
  handlers: RequestHandlers,
  split: (pathname: string) => Pick<MockRequest, 'path' | 'basePath'>,
): Promise<Response> {
  const { method } = request
  // Selected before the first `await`: the world of a request is known when it is sent.
  const answer = handlers.select?.(request) ?? handlers.answer
  const { pathname, search, origin } = new URL(request.url)
  const body = await bodyOf(request)
  const headers = Object.assign(originHeader(request, origin), Object.fromEntries(request.headers))
  const signal = () => disconnectOf(request)
  const query = search.slice(1)
  const pageOrigin = globalThis.location?.origin
  // No server is where the URL leads, so a game server is on this machine.
  const incoming = { method, query, headers, body, pageOrigin, serverHost: '127.0.0.1', signal }
  return responseOf(await answer({ ...incoming, ...split(pathname) }))
}

/** Reads the body of a request. React Native has no stream of it, and cannot read it as bytes. */
async function bodyOf(request: Request): Promise<Uint8Array | undefined> {
  if (request.body === null) return undefined
  if (request.body) return new Uint8Array(await request.arrayBuffer())
  const text = await request.text()
  return text === '' ? undefined : new TextEncoder().encode(text)
}

/** The part of Node's `ClientRequest` that tells when it has ended. */
interface RawRequest {
  readonly destroyed: boolean
  once?(event: 'close', listener: () => void): unknown
}

/** Returns a signal that aborts when the client gives up. MSW 2 does not forward the end of a request of `node:http`, but keeps that. */
function disconnectOf(request: Request): AbortSignalLike {
  const key = Object.getOwnPropertySymbols(request).find(({ description }) => description === 'kRawRequest')
  const raw = key && (Reflect.get(request, key) as RawRequest | undefined)
  if (!raw?.once) return request.signal
  const client = new AbortController()
  if (raw.destroyed) client.abort()
  raw.once('close', () => client.abort())
  return client.signal
}

function originHeader(request: Request, requestedOrigin: string): { readonly origin?: string } {
  const { method, referrer } = request
  if (method === 'OPTIONS') {
    const page = pageOriginOf(request)
    return page === undefined ? {} : { origin: page }
  }
  // In Node there is no page, and the referrer is about:client.
  const origin = /^https?:/.test(referrer) ? new URL(referrer).origin : 'null'
  const isOmitted = origin === requestedOrigin && (method === 'GET' || method === 'HEAD')
  return origin === 'null' || isOmitted ? {} : { origin }
}
