import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How many pipelined requests of a connection may be in flight, behind the one whose response is next. */
const maxInFlight = 32

/** How many more may wait before the mock stops reading the connection. While it reads, it learns that the client has disconnected. */
const maxWaiting = 256

/** How long one connection may start waiting requests in a row, in real ms. Then it is the turn of other connections. */
const sliceMs = 5

const pipelines = new WeakMap<Socket, Pipeline>()

/**
 * Starts a request: at once, or when the mock has answered enough of those ahead of it on its connection. Otherwise a
 * client that sends thousands of requests without waiting for responses would keep the event loop busy until the last one.
 */
export function startInOrder({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): void {
  // Only a response that waits behind another one has no socket.
  if (response.socket) {
    begin()
    return
  }
  const known = pipelines.get(socket)
  const pipeline = known ?? new Pipeline(socket)
  if (!known) pipelines.set(socket, pipeline)
  pipeline.add({ response, begin })
}

interface WaitingRequest {
  readonly response: ServerResponse
  begin(): void
}

/** The requests of one connection that arrived before the responses to earlier ones were written. */
class Pipeline {
  readonly #socket: Socket
  readonly #waiting: WaitingRequest[] = []
  #inFlight = 0
  #paused = false
  #scheduled = false

  constructor(socket: Socket) {
    this.#socket = socket
    // Node itself resumes the socket when it reads or drops a body.
    socket.on('resume', () => void (this.#paused && socket.pause()))
  }

  add(request: WaitingRequest): void {
    // In order: a request that has not started holds up the responses behind it.
    if (this.#waiting.length === 0 && this.#inFlight < maxInFlight) this.#begin(request)
    else this.#waiting.push(request)
    if (this.#waiting.length < maxWaiting) return
    this.#paused = true
    this.#socket.pause()
  }

  #begin({ response, begin }: WaitingRequest): void {
    this.#inFlight += 1
    response.once('close', () => {
      this.#inFlight -= 1
      // After a disconnect, the rest never starts.
      if (this.#waiting.length > 0) this.#schedule()
    })
    begin()
  }

  #schedule(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#beginWaiting()
    })
  }

  #beginWaiting(): void {
    const until = performance.now() + sliceMs
    while (this.#inFlight < maxInFlight && !this.#socket.destroyed) {
      const next = this.#waiting.shift()
      if (!next) break
      this.#begin(next)
      if (performance.now() < until) continue
      if (this.#waiting.length > 0) this.#schedule()
      break
    }
    if (!this.#paused || this.#waiting.length > maxWaiting / 2) return
    this.#paused = false
    this.#socket.resume()
  }
}
