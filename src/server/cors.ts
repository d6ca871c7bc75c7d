import type { ReadTables } from '../store/table.js'
import { type Exchange, header, type Readers } from './exchange.js'
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

/** An answer, to those who may read it. */
interface Readable extends CorsOptions {
  readonly readableBy: Readers
}

/** The CORS headers of an answer: none for a request without Origin, or of an origin whose pages may not read it. */
export function corsHeaders(
  exchange: Exchange,
  { readableBy, ...options }: Readable,
): Record<string, string> | undefined {
  const origin = header(exchange, 'origin')
  if (origin === undefined || readableBy === 'this origin') return undefined
  if (!(readableBy === 'loopback' ? isLoopbackOrigin(origin) : isAllowedOrigin(origin, options))) return undefined
  const requested = header(exchange, 'access-control-request-headers')
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
