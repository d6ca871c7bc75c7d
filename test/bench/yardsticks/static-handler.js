// @ts-check
import { HttpResponse, http } from 'msw'

/**
 * One handler of MSW that answers a call with the same value each time: as little as a mock can do.
 *
 * @param {import('../msw/call.js').Call} call
 * @param {import('msw').JsonBodyType} value
 */
export function staticHandler({ method, path }, value) {
  const register = method === 'GET' ? http.get : http.post
  return register(`*${path}`, () => HttpResponse.json(value))
}
