import { parseUrl } from '../../core/lib/url.js'
import type { MockRequest, MockResponse, RequestHandler } from '../../core/pipeline/message.js'

/** Methods that a page may send to another origin without asking first (Fetch § 2.2.1). */
const simpleMethods = ['GET', 'HEAD', 'POST']

/** Headers that a page may send to another origin without asking first, and those that only the browser sets. */
const simpleHeaders =
  /^(accept|accept-encoding|accept-language|cache-control|connection|content-language|content-length|cookie|dnt|host|origin|pragma|range|referer|upgrade-insecure-requests|user-agent|(sec|proxy)-.*)$/

const simpleContentType = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)\s*(;|$)/i

/**
 * Asks a mock whether a page of another origin may send a request. Playwright answers the preflight of the browser itself,
 * and always allows it. Resolves with `true` if the browser would not ask.
 */
export async function isAllowedByPreflight(request: MockRequest, answer: RequestHandler): Promise<boolean> {
  const { method, path, query, headers } = request
  const unusual = Object.keys(headers).filter(
    name => !simpleHeaders.test(name) && !(name === 'content-type' && simpleContentType.test(String(headers[name]))),
  )
  if (method === 'OPTIONS' || (simpleMethods.includes(method) && unusual.length === 0)) return true
  const preflight = {
    origin: headers.origin,
    'access-control-request-method': method,
    ...(unusual.length > 0 ? { 'access-control-request-headers': unusual.sort().join() } : {}),
  }
  return mayRead(await answer({ method: 'OPTIONS', path, query, headers: preflight }))
}

/** Keeps a response from a page that may not read it: Playwright would allow every page. `origin` is that of the mock. */
export function hideFromForeignPage(response: MockResponse, origin: string): MockResponse {
  if (mayRead(response)) return response
  return { ...response, headers: { ...response.headers, 'access-control-allow-origin': origin } }
}

function mayRead({ headers }: MockResponse): boolean {
  return headers['access-control-allow-origin'] !== undefined
}

/** Returns the header that says from which site a request comes. The last two labels of a host name are its site. */
export function siteHeader(pageOrigin: string, origin: string): { readonly 'sec-fetch-site': string } {
  return { 'sec-fetch-site': siteOf(pageOrigin) === siteOf(origin) ? 'same-site' : 'cross-site' }
}

function siteOf(origin: string): string {
  // The origin of a sandboxed frame is `null`, which is no site.
  const url = parseUrl(origin)
  if (!url) return origin
  const { protocol, hostname } = url
  return `${protocol}//${/[\d\]]$/.test(hostname) ? hostname : hostname.split('.').slice(-2).join('.')}`
}
