import type { Page, StreamClient } from '../server/exchange.js'
import type { Changes, ChangesOptions, MockEvent } from './changes.js'
import type { Steering } from './steering.js'

/** In bytes. A client that is further behind is cut off: it can come back with the id of the last event that it has read. */
const furthestBehind = 16 * 1024 * 1024

/** The events of a world as Server-Sent Events. */
export function eventStream(mock: Pick<Steering, 'changes'>, options: ChangesOptions): Page {
  const stream = (client: StreamClient) => {
    const changes = mock.changes(options)
    void send(changes, client)
    return () => void changes.return?.()
  }
  const headers = { 'content-type': 'text/event-stream', 'x-content-type-options': 'nosniff' }
  return { status: 200, headers, body: new Uint8Array(), readableBy: 'loopback', stream }
}

async function send(changes: Changes, client: StreamClient): Promise<void> {
  for await (const event of changes) {
    if (client.behind > furthestBehind) break
    client.send(eventText(event))
  }
  client.end()
}

/** An event as it stands in a stream: JSON has no line break that would end it. */
function eventText(event: MockEvent): string {
  const id = 'id' in event ? `id: ${event.id}\n` : ''
  return `event: ${event.type}\n${id}data: ${JSON.stringify(event.data)}\n\n`
}
