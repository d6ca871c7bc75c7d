import { isControlPath } from '../contract/paths.js'
import { nextTurn } from '../lib/next-turn.js'
import { Headers, ReadableStream, Response, TextEncoder, TextEncoderStream, URL } from '../lib/real-globals.js'
import type { MockResponse, RequestHandler } from '../pipeline/message.js'
import { locate } from '../pipeline/routes.js'
import { type CallTexts, ControlCalls } from './control-calls.js'
import type { Mock } from './mock.js'

// Fetch without a network: requests and responses of Fetch become those of the mock.

/** Creates a `fetch` that a mock answers in this process: operations, control calls and their streams. Everybody may make each call. */
export function fetchOf(mock: Mock, texts: CallTexts): typeof globalThis.fetch {
  const calls = new ControlCalls(mock, { texts })
  const access = { isListed: () => true }
  const answerOperation = mock.router.route('create', world => world.handle)
  return (input, init) => {
    const { origin } = new URL(String(input))
    const answer: RequestHandler = request => {
      const place = locate(request)
      if (!isControlPath(place.path)) return answerOperation(request)
      try {
        return calls.serve(request, place, { origin: () => origin, access }).answer()
      } catch (error) {
        return mock.router.outside.refuse(request, error)
      }
    }
    return fetchFrom(answer)(input, init)
  }
}

/** Creates a `fetch` that a handler answers in this process. `basePath` precedes the paths of the handler. */
export function fetchFrom(handler: RequestHandler, basePath = ''): typeof globalThis.fetch {
  return async (input, { method = 'GET', headers, body, signal } = {}) => {
    const { pathname, search } = new URL(String(input))
    signal?.throwIfAborted()
    const answered = await handler({
      method,
      path: pathname.slice(basePath.length),
      query: search.slice(1),
      headers: Object.fromEntries(new Headers(headers)),
      ...(body ? { body: typeof body === 'string' ? new TextEncoder().encode(body) : await bytesOf(body) } : {}),
      signal: () => signal ?? undefined,
    })
    signal?.throwIfAborted()
    return responseOf(answered, signal)
  }
}

/** Turns an answer into a response of Fetch. The signal ends its stream. */
export function responseOf(answered: MockResponse, signal?: AbortSignal | null | undefined): Response {
  const { status, headers, body, stream, disconnect } = answered
  if (disconnect === 'truncate') {
    // Under MSW 3 the end of the connection is the end of a body without a length.
    const cut = { ...headers, 'content-length': String(body.length) }
    return new Response(brokenBody(body), { status, headers: cut })
  }
  // Fetch has no other form for a broken connection.
  if (disconnect) return Response.error()
  const content = stream ? streamOf(stream, signal ?? undefined) : status === 204 ? null : body
  return new Response(content, { status, headers })
}

async function bytesOf(body: BodyInit): Promise<Uint8Array> {
  return new Uint8Array(await new Response(body).arrayBuffer())
}

function streamOf(
  start: NonNullable<MockResponse['stream']>,
  signal: AbortSignal | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
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

/** Returns the first half of a body. Then its reader fails, as if the connection had broken. */
function brokenBody(body: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(body.slice(0, Math.ceil(body.length / 2)))
    },
    async pull(controller) {
      // MSW 3 closes the socket at once. The client must have read the status before.
      await nextTurn()
      controller.error(new TypeError('the connection closed in the middle of the body'))
    },
  })
}
