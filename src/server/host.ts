import { ApiError } from '../contract/errors.js'
import { quoted } from '../lib/quote.js'
import { isLoopbackHost } from './origin.js'

const ipLiteral = /^(\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i

/**
 * Refuses a Host header that a page of another site could have had rebound to this machine. Allowed are `localhost`,
 * `*.localhost`, `host.docker.internal`, IP literals (a rebound name is none) and the names that are listed.
 * Throws `ApiError`.
 */
export function checkHost(host: string | undefined, allowedHosts: readonly string[]): void {
  const name = (host ?? '').replace(/:\d*$/, '').toLowerCase()
  const allowed = isLoopbackHost(name) || name === 'host.docker.internal' || ipLiteral.test(name)
  if (allowed || allowedHosts.some(listed => listed.toLowerCase() === name)) return
  throw new ApiError(
    'API_FORBIDDEN',
    `the Host header is ${quoted(host ?? '')}, which this server does not answer to: use localhost, or allow it (--allowed-hosts ${name || 'NAME'}, allowedHosts of createApp and listen)`,
  )
}
