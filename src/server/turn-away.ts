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
function isPreflightFor(method: string, { method: sent, headers }: Request): boolean {
  return sent === 'OPTIONS' && headers.get('access-control-request-method')?.toUpperCase() === method
}

/** How every URL ends that MSW may take for an operation's: 2 knows no case, 3 decodes, and both allow a slash at the end. */
function endingOf(path: string): RegExp {
  return new RegExp(`%|${path.replaceAll(/\{\w+\}/g, '[^/?#]+')}/?(?:[?#]|$)`, 'i')
}
