import { Response } from './real-globals.js'
/** The error of a body that is longer than its limit. */
export class BodyTooLong extends Error {
  override readonly name = 'BodyTooLong'
}

/**
 * Returns a response whose body fails with `BodyTooLong` after so many bytes, and with the reason of the signal when that
 * aborts. The `fetch` of Node may forget its own signal once the headers are there.
 */
export function limitedResponse(
  response: Response,
  { bytes, signal }: { readonly bytes: number; readonly signal: AbortSignal },
): Response {
  if (!response.body) return response
  let length = 0
  const limit = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      length += chunk.length
      if (length > bytes) throw new BodyTooLong(`the body is longer than ${bytes} bytes`)
      controller.enqueue(chunk)
    },
  })
  return new Response(response.body.pipeThrough(limit, { signal }), response)
}
