import type { MockRequest, MockResponse, RequestHandler } from '../../core/pipeline/message.js'

/** Creates a `fetch` that a handler answers in this process. `basePath` precedes the paths of the handler. It sends
 * only texts as bodies, because a client sends no others. */
export function createInProcessFetch(handler: RequestHandler, basePath = ''): typeof globalThis.fetch {
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const { pathname, search } = new URL(String(input))
    const request: MockRequest = {
      method,
      path: pathname.slice(basePath.length),
      query: search.slice(1),
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' ? { body: new TextEncoder().encode(body) } : {}),
      signal: () => signal ?? undefined,
    }
    signal?.throwIfAborted()
    const { status, headers: fields, body: bytes, stream } = await handler(request)
    const content = stream ? streamOf(stream, signal ?? undefined) : status === 204 ? null : bytes
    return new Response(content, { status, headers: fields })
  }
}

/** Turns a streamed answer into a stream of Fetch. The reader or the signal can end it. */
function streamOf(
  start: NonNullable<MockResponse['stream']>,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array> {
  const { readable, writable } = new TextEncoderStream()
  const writer = writable.getWriter()
  // A reader that has cancelled the stream gets no more texts.
  const ignore = () => {}
  const stop = start({
    send: text => void writer.write(text).catch(ignore),
    end: () => void writer.close().catch(ignore),
    drained: () => writer.ready.catch(ignore),
  })
  const abort = () => {
    stop()
    writer.abort(signal?.reason).catch(ignore)
  }
  signal?.addEventListener('abort', abort)
  writer.closed.catch(stop).finally(() => signal?.removeEventListener('abort', abort))
  return readable
}
