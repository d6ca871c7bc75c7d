import { ApiError } from '../contract/errors.js'
import { quoted, shortened } from '../lib/quote.js'
import type { ReadTables } from '../store/table.js'
import { type CorsPolicy, header, type MockRequest } from './message.js'
import { isLoopbackOrigin, namespaceOfOrigin } from './origin.js'

/** Which origins are allowed. */
export interface CorsOptions {
  readonly tables: ReadTables
  /** Origins that are allowed beyond loopback and the pages of the namespaces. */
  readonly corsOrigins: readonly string[]
}

/** Whether pages of an origin may read the answers (PROTOCOL.md B9). */
export function isAllowedOrigin(origin: string, { tables, corsOrigins }: CorsOptions): boolean {
  const isListed = corsOrigins.some(allowed => sameOrigin(allowed, origin))
  return isLoopbackOrigin(origin) || isListed || namespaceOfOrigin(origin, tables) !== undefined
}

/** People write origins with a slash at the end, or as they say the name; browsers send neither. */
function sameOrigin(written: string, sent: string): boolean {
  return written.replace(/\/$/, '').toLowerCase() === sent.toLowerCase()
}

/**
 * Whether a page of another site sent the request from an origin that is not allowed. Browsers tell this by the header
 * `sec-fetch-site`, which no page can set. Other clients do not send it.
 */
export function isForeign(request: Pick<MockRequest, 'headers'>, options: CorsOptions): boolean {
  if (header(request, 'sec-fetch-site')?.toLowerCase() !== 'cross-site') return false
  const origin = header(request, 'origin')
  return origin === undefined || !isAllowedOrigin(origin, options)
}

/** Whether requests of a method may change something. */
export function isChanging(method: string): boolean {
  return method === 'POST' || method === 'PUT' || method === 'DELETE'
}

/**
 * Refuses a request that may change something, if a page of a foreign site sent it. Browsers send such a request without
 * a preflight if it looks like a form, so that CORS headers come too late. Throws `ApiError` (PROTOCOL.md B9).
 */
export function checkSite(request: Pick<MockRequest, 'method' | 'headers'>, options: CorsOptions): void {
  if (!isChanging(request.method) || !isForeign(request, options)) return
  const origin = header(request, 'origin')
  const sender = origin === undefined ? 'a page of another site' : `a page of ${quoted(origin)}`
  throw new ApiError(
    'API_FORBIDDEN',
    `${sender} may not change anything here: allow its origin (--cors-origin ${origin === undefined ? 'ORIGIN' : shortened(origin)}, or the option corsOrigins)`,
  )
}

/** An answer, to those who may read it. */
interface Readable extends CorsOptions {
  readonly readableBy: CorsPolicy
}

/** The CORS headers of an answer: none for a request without Origin, or of an origin whose pages may not read it. */
export function corsHeaders(
  request: MockRequest,
  { readableBy, ...options }: Readable,
): Record<string, string> | undefined {
  const origin = header(request, 'origin')
  if (origin === undefined || readableBy === 'this origin') return undefined
  if (!(readableBy === 'loopback' ? isLoopbackOrigin(origin) : isAllowedOrigin(origin, options))) return undefined
  const requested = header(request, 'access-control-request-headers')
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods':
      readableBy === 'loopback' ? 'GET, POST, PUT, PATCH, DELETE' : 'GET, POST, PUT, DELETE',
    'access-control-allow-credentials': 'true',
    'access-control-max-age': '3600',
    'access-control-expose-headers': 'rvt-ray-id',
    ...(requested === undefined ? {} : { 'access-control-allow-headers': requested }),
  }
}
