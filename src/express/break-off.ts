import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { MockResponse } from '../server/message.js'

/** For how long a client may leave a connection half closed, in ms. */
const halfClosedMs = 5_000

const breaks = { reset, empty } satisfies {
  readonly [how in NonNullable<MockResponse['disconnect']>]: (socket: Socket) => void
}

/** Breaks a connection off in the place of an answer. The answers ahead of it on the connection (pipelining) go out before. */
export function breakOff(how: keyof typeof breaks, response: ServerResponse): void {
  // One that waits behind others has no socket yet.
  if (response.socket) breaks[how](response.socket)
  else response.once('socket', breaks[how])
}

function reset(socket: Socket): void {
  try {
    socket.resetAndDestroy()
  } catch {
    // Only TCP has a reset: TLS and local sockets have none.
    socket.destroy()
  }
}

/** Says that nothing comes any more, and reads on until the client ends: to close at once would reset what it is sending. */
function empty(socket: Socket): void {
  socket.end()
  socket.setTimeout(halfClosedMs, () => socket.destroy())
}
