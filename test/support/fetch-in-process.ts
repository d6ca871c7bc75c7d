import { mockOf } from '../../src/core/mock/facade.js'
import { fetchFrom } from '../../src/core/mock/fetch.js'
import type { Mockmaker } from '../../src/index.js'
import { Service } from '../../src/server/http/service.js'

/** A `fetch` of the service of a mock, without a connection. Its open streams can be broken, as by a laptop that sleeps. */
interface FetchInProcess {
  readonly fetch: typeof fetch
  /** Breaks the open streams. */
  drop(): void
}

export const origin = 'http://mock.test'

export function fetchInProcess(mock: Mockmaker): FetchInProcess {
  const service = new Service(mockOf(mock, 'test'))
  const inner = fetchFrom(request =>
    service.serve({ ...request, headers: { host: 'localhost', ...request.headers } }, () => origin).answer(),
  )
  let connection = new AbortController()
  return {
    fetch: (input, init) =>
      inner(input, { ...init, signal: AbortSignal.any([connection.signal, ...(init?.signal ? [init.signal] : [])]) }),
    drop() {
      connection.abort(new TypeError('the connection broke'))
      connection = new AbortController()
    },
  }
}
