import type { ReadTables } from '../store/table.js'
import { type Exchange, header } from './exchange.js'
import { isLoopbackOrigin, namespaceOfOrigin } from './origin.js'

/** Which pages may read the answers. */
interface CorsOptions {
  readonly tables: ReadTables
  /** Origins that are allowed beyond loopback and the pages of the namespaces. */
  readonly corsOrigins: readonly string[]
}

/** Whether pages of an origin may read the answers (PROTOCOL.md B9). */
export function isAllowedOrigin(origin: string, { tables, corsOrigins }: CorsOptions): boolean {
  if (origin === 'null') return false
  const isListed = corsOrigins.some(allowed => sameOrigin(allowed, origin))
  return isLoopbackOrigin(origin) || isListed || namespaceOfOrigin(origin, tables) !== undefined
}

/** People write origins with a slash at the end, or as they say the name; browsers send neither. */
function sameOrigin(written: string, sent: string): boolean {
  return written.replace(/\/$/, '').toLowerCase() === sent.toLowerCase()
}

/** The CORS headers of an answer: none for a request without Origin, or of an origin that is not allowed. */
export function corsHeaders(exchange: Exchange, options: CorsOptions): Record<string, string> | undefined {
  const origin = header(exchange, 'origin')
  if (origin === undefined || !isAllowedOrigin(origin, options)) return undefined
  const requested = header(exchange, 'access-control-request-headers')
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, PUT, DELETE',
    'access-control-allow-credentials': 'true',
    'access-control-max-age': '3600',
    'access-control-expose-headers': 'rvt-ray-id',
    ...(requested === undefined ? {} : { 'access-control-allow-headers': requested }),
  }
}
