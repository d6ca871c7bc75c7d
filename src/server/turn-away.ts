import type { HttpHandler } from 'msw'
import type { OperationSpec } from '../contract/operation.js'

/**
 * Has a handler of an operation turn away at once what cannot be its own. Left to itself, each handler of MSW clones the
 * request, and parses its URL and its cookies, before it looks. What may be its own is left to MSW, which then decides.
 */
export function turnAway(handler: HttpHandler, { method, path }: Pick<OperationSpec, 'method' | 'path'>): void {
  const methods = method === 'GET' ? ['GET', 'HEAD'] : [method]
  const ending = endingOf(path)
  const run = handler.run.bind(handler)
  handler.run = args => {
    const { request } = args
    const isAsked = methods.includes(request.method.toUpperCase()) || isPreflightFor(method, request)
    const mayMatch = isAsked && ending.test(request.url)
    return mayMatch ? run(args) : Promise.resolve(null)
  }
}

/** Whether a request is the preflight of another one with that method. */
function isPreflightFor(method: string, request: Request): boolean {
  if (request.method !== 'OPTIONS') return false
  const asked = request.headers.get('access-control-request-method')
  return asked === null ? isBarePreflight(request) : asked.toUpperCase() === method
}

/** Whether a request is a preflight without its headers: under MSW 3, happy-dom loses them on the way. */
function isBarePreflight(request: Request): boolean {
  const page = request.headers.has('origin') ? undefined : pageOf(request)
  return page !== undefined && page !== new URL(request.url).origin
}

/** The origin of the page that sends a preflight without an Origin; `undefined` where no page asks. */
export function pageOf({ referrer, headers }: Request): string | undefined {
  const page = [referrer, headers.get('referer') ?? '', globalThis.location?.href ?? ''].find(
    url => /^https?:/.test(url) && URL.canParse(url),
  )
  return page === undefined ? undefined : new URL(page).origin
}

/** How every URL ends that MSW may take for an operation's: 2 knows no case, 3 decodes, and both allow a slash at the end. */
function endingOf(path: string): RegExp {
  return new RegExp(`%|${path.replaceAll(/\{\w+\}/g, '[^/?#]+')}/?(?:[?#]|$)`, 'i')
}
