import { mockOf } from '../../src/core/mock/facade.js'
import type { MockResponse } from '../../src/core/pipeline/message.js'
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
  const open = new Set<() => void>()

  function bodyOf({ body, stream }: MockResponse, signal: AbortSignal) {
    if (!stream) return body
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const send = (bytes: Uint8Array) => void writer.write(bytes).catch(end)
    send(body)
    const stop = stream({
      send: text => send(new TextEncoder().encode(text)),
      end,
      drained: () => writer.ready.catch(() => {}),
    })
    const drop = () => {
      end()
      void writer.abort(new TypeError('the connection broke'))
    }
    function end() {
      open.delete(drop)
      stop()
    }
    open.add(drop)
    signal.addEventListener('abort', drop)
    return readable
  }

  return {
    async fetch(input, init) {
      const request = new Request(input, init)
      const { pathname, search } = new URL(request.url)
      const served = service.serve(
        {
          method: request.method,
          path: pathname,
          query: search.slice(1),
          headers: { host: 'localhost', ...Object.fromEntries(request.headers) },
        },
        () => origin,
      )
      const answer = await served.answer()
      return new Response(bodyOf(answer, request.signal), answer)
    },
    drop() {
      for (const drop of open) drop()
    },
  }
}
