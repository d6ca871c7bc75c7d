import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ChangesOptions, MockEvent } from '../control/changes.js'
import { ClientError, type Remote, respond } from './call.js'

/**
 * The events of a world as they happen. After a cut it asks again, from where it has left off. It ends with the signal,
 * with the `for await` that reads it, and with the mock. Rejects with `ClientError` where the mock refuses, or none answers.
 */
export async function* readChanges(
  remote: Remote,
  { since, signal, ...from }: ChangesOptions = {},
): AsyncGenerator<MockEvent, undefined> {
  let { lastEventId } = from
  for (let first = true; !signal?.aborted; first = false) {
    const stream = await open(remote, { since, lastEventId, signal }).catch(error => {
      // It has answered before, and is gone.
      if (!first && error instanceof ClientError && error.status === 0) return undefined
      throw error
    })
    if (!stream) return undefined
    for await (const event of eventsIn(stream, signal)) {
      lastEventId = 'id' in event ? event.id : undefined
      yield event
    }
  }
  return undefined
}

async function open(
  remote: Remote,
  { since, lastEventId, signal }: ChangesOptions,
): Promise<ReadableStream<Uint8Array> | null> {
  const headers = {
    accept: 'text/event-stream',
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  }
  const { body } = await respond(remote, { method: 'GET', path: '/changes', query: { since }, headers, signal })
  return body
}

/** The events of one answer, until it ends, be it in the middle of one. */
async function* eventsIn(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<MockEvent> {
  // One type of stream with two declarations.
  const decoded = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
  const reader = decoded.pipeThrough(new EventSourceParserStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      // The mock sends these and no others.
      const { event: type, id, data } = value
      yield { type, ...(id === undefined ? {} : { id }), data: JSON.parse(data) } as MockEvent
    }
  } catch (error) {
    // A cut, or the signal: whoever reads on asks again.
    if (!(error instanceof TypeError) && !signal?.aborted) throw error
  } finally {
    await reader.cancel().catch(() => {})
  }
}
