import type { MockRequest, MockResponse, RequestHandler } from '../server/message.js'

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
  const encoder = new TextEncoder()
  let isOpen = true
  let stop = () => {}
  let drain: (() => void) | undefined
  const close = () => {
    isOpen = false
    signal?.removeEventListener('abort', abort)
    drain?.()
  }
  let abort = () => {}
  return new ReadableStream({
    start(controller) {
      abort = () => {
        close()
        stop()
        controller.error(signal?.reason)
      }
      signal?.addEventListener('abort', abort)
      stop = start({
        send: text => void (isOpen && controller.enqueue(encoder.encode(text))),
        end() {
          if (isOpen) controller.close()
          close()
        },
        drained: () =>
          new Promise(resolve => {
            if (!isOpen || (controller.desiredSize ?? 1) > 0) resolve()
            else drain = resolve
          }),
      })
    },
    pull: () => drain?.(),
    cancel() {
      close()
      stop()
    },
  })
}
