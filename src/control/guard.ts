import { ApiError } from '../contract/errors.js'
import { quoted } from '../lib/quote.js'
import { header, type MockRequest } from '../server/message.js'
import { isCrossSite, isLoopbackOrigin } from '../server/origin.js'

/**
 * Refuses a call that changes something where a page of another site could have sent it: forms and `no-cors` cannot send
 * JSON as such, browsers say from where a page asks, and a rebound name is no loopback Origin. Throws `ApiError`.
 */
export function guard(exchange: Pick<MockRequest, 'method' | 'headers'>): void {
  if (exchange.method === 'GET' || exchange.method === 'HEAD') return
  const type = header(exchange, 'content-type')
  if (type === undefined || !/^application\/json\s*(;|$)/i.test(type)) {
    throw forbidden(
      `its content-type is ${type === undefined ? 'missing' : quoted(type)}: send "content-type: application/json", also where there is no body`,
    )
  }
  const origin = header(exchange, 'origin')
  if (origin !== undefined && !isLoopbackOrigin(origin)) {
    throw forbidden(`its Origin is ${quoted(origin)}: only pages of this machine may steer the mock`)
  }
  if (isCrossSite(exchange)) {
    throw forbidden('a page of another site sent it: open the page under the same host name as the mock')
  }
}

function forbidden(why: string): ApiError {
  return new ApiError('API_FORBIDDEN', `the control API does not take this call, because ${why}`)
}
