import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { ChangesOptions, MockEvent } from '../control/events.js'
import { ClientError, type Remote, respond } from './call.js'

/** For how long it waits before it asks again, in ms. */
const pauseMs = 100

/**
 * The events of a world as they happen, from when the promise resolves. After a cut it asks again, from where it has left
 * off. They end with the signal, with the `for await` that reads them, and with the world. Rejects with `ClientError` where
 * the mock refuses, or none answers.
 */
export async function readChanges(
  remote: Remote,
  { since, signal, lastEventId }: ChangesOptions = {},
): Promise<AsyncGenerator<MockEvent, undefined>> {
  const ask = (after: string | undefined) => open(remote, { since, lastEventId: after, signal })
  const stream = await ask(lastEventId)
  const events = stream && eventsIn(stream, signal)
  // The first one says where it begins, which is sent when the mock listens.
  const begun = await events?.next()
  return goOn(events, { ask, signal, lastEventId: begun?.value?.id ?? lastEventId })
}

/** How the events go on after a cut. */
interface GoingOn {
  ask(lastEventId: string | undefined): Promise<ReadableStream<Uint8Array> | null>
  readonly signal: AbortSignal | undefined
  /** Of what came before. */
  readonly lastEventId: string | undefined
}

async function* goOn(
  first: AsyncGenerator<StreamEvent> | null,
  { ask, signal, lastEventId }: GoingOn,
): AsyncGenerator<MockEvent, undefined> {
  let last = lastEventId
  for (let events: AsyncIterable<StreamEvent> | null = first; events && !signal?.aborted; ) {
    for await (const { type, id, data } of events) {
      if (type === 'end') return undefined
      last = id ?? last
      // Beside these the mock sends only those of `MockEvent`.
      if (type !== 'begin') yield { type, id, data: JSON.parse(data) } as MockEvent
    }
    await new Promise(resolve => setTimeout(resolve, pauseMs))
    const stream = await ask(last).catch(error => {
      // It has answered before, and is gone.
      if (signal?.aborted || (error instanceof ClientError && error.status === 0)) return null
      throw error
    })
    events = stream && eventsIn(stream, signal)
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

interface StreamEvent {
  readonly type: string
  readonly id: string | undefined
  readonly data: string
}

/** The events of one answer, until it ends, be it in the middle of one. */
async function* eventsIn(
  stream: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamEvent> {
  // One type of stream with two declarations.
  const decoded = stream.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
  const reader = decoded.pipeThrough(new EventSourceParserStream()).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield { type: value.event ?? 'message', id: value.id, data: value.data }
    }
  } catch (error) {
    // A cut, or the signal: whoever reads on asks again.
    if (!(error instanceof TypeError) && !signal?.aborted) throw error
  } finally {
    await reader.cancel().catch(() => {})
  }
}
