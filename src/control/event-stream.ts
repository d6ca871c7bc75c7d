import type { MockResponseInit, StreamClient } from '../server/message.js'
import type { World } from '../store/world.js'
import type { Changes, ChangesOptions, MockEvent } from './changes.js'
import type { Steering } from './steering.js'

/** The events of a world as Server-Sent Events. */
export function eventStream(
  { changes, world }: Pick<Steering, 'changes' | 'world'>,
  options: ChangesOptions,
): MockResponseInit {
  const stream = (client: StreamClient) => {
    const events = changes(options)
    // What cannot be told ends the stream: whoever reads it comes back, or looks why.
    send(events, { client, world }).catch(() => {
      void events.return?.()
      client.end()
    })
    return () => void events.return?.()
  }
  const headers = { 'content-type': 'text/event-stream', 'x-content-type-options': 'nosniff' }
  return { status: 200, headers, body: new Uint8Array(), cors: 'loopback', stream }
}

/** Who is sent the events, and the world that they are of. */
interface Receiver {
  readonly client: StreamClient
  readonly world: Pick<World, 'revision'>
}

/** First where it begins, so that a client that is cut off before the first event comes back to there. */
async function send(events: Changes, { client, world }: Receiver): Promise<void> {
  client.send(textOf({ type: 'begin', id: events.after, data: {} }))
  for await (const event of events) {
    client.send(eventText(event, world))
    // What a slow client has not taken waits where it costs nothing; also, others want to be answered in between.
    await client.drained()
  }
  client.send(textOf({ type: 'end', data: {} }))
  client.end()
}

/** An event, or that it was there where it is longer than a text can be. */
function eventText(event: MockEvent, { revision }: Pick<World, 'revision'>): string {
  try {
    return textOf(event)
  } catch {
    const message = 'what happened is too long to be told: read the world anew'
    return textOf({ type: 'gone', id: event.id, data: { message, revision } })
  }
}

interface Sent {
  readonly type: string
  readonly id?: string
  readonly data: object
}

/** An event as it stands in a stream: JSON has no line break that would end it. */
function textOf({ type, id, data }: Sent): string {
  return `event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`
}
