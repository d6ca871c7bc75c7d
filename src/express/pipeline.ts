import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How many requests of a connection are in hand behind the one whose answer is next (pipelining). */
const mostInHand = 32

/** How many more may wait before the connection is read no further. While it is read, the mock hears that a client has gone. */
const mostWaiting = 256

/** For how long the requests that have waited are begun at once, in real ms. Then other connections have their turn. */
const sliceMs = 5

const pipelines = new WeakMap<Socket, Pipeline>()

/**
 * Begins a request: at once, or when those ahead of it on its connection have been answered. Clients that send thousands of
 * requests without waiting for answers would otherwise keep the event loop, and everybody else, busy until all are answered.
 */
export function inTurn({ socket }: IncomingMessage, response: ServerResponse, begin: () => void): void {
  // Only a response that waits behind another one has no socket. Most clients send one request at a time.
  if (response.socket) {
    begin()
    return
  }
  const known = pipelines.get(socket)
  const pipeline = known ?? new Pipeline(socket)
  if (!known) pipelines.set(socket, pipeline)
  pipeline.add({ response, begin })
}

interface Turn {
  readonly response: ServerResponse
  begin(): void
}

/** The requests of one connection that came before the answers to earlier ones were written. */
class Pipeline {
  readonly #socket: Socket
  readonly #waiting: Turn[] = []
  #inHand = 0
  #paused = false
  #scheduled = false

  constructor(socket: Socket) {
    this.#socket = socket
    // Node resumes the socket by itself when it reads a body or drops one.
    socket.on('resume', () => void (this.#paused && socket.pause()))
  }

  add(turn: Turn): void {
    // In their order: an answer that is not begun holds up those behind it.
    if (this.#waiting.length === 0 && this.#inHand < mostInHand) this.#begin(turn)
    else this.#waiting.push(turn)
    if (this.#waiting.length < mostWaiting) return
    this.#paused = true
    this.#socket.pause()
  }

  #begin({ response, begin }: Turn): void {
    this.#inHand += 1
    response.once('close', () => {
      this.#inHand -= 1
      // What is left when the client has gone is never begun.
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
    while (this.#inHand < mostInHand && !this.#socket.destroyed) {
      const next = this.#waiting.shift()
      if (!next) break
      this.#begin(next)
      if (performance.now() < until) continue
      if (this.#waiting.length > 0) this.#schedule()
      break
    }
    if (!this.#paused || this.#waiting.length > mostWaiting / 2) return
    this.#paused = false
    this.#socket.resume()
  }
}
