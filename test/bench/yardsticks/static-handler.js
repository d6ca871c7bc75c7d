// @ts-check
import { HttpResponse, http } from 'msw'

/**
 * One handler of MSW that answers a call with the same value each time, and reads the body where there is one: as little as
 * a mock can do.
 *
 * @param {import('../msw/call.js').Call} call
 * @param {import('msw').JsonBodyType} value
 */
export function staticHandler({ method, path }, value) {
  if (method === 'GET') return http.get(`*${path}`, () => HttpResponse.json(value))
  return http.post(`*${path}`, async ({ request }) => {
    await request.json()
    return HttpResponse.json(value)
  })
}
