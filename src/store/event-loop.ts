/** The real time, also after a test has faked `performance`: this measures how long other work really waits. */
const realNow = performance.now.bind(performance)

/** How long jobs of all worlds together may keep the event loop busy, in real ms. */
const sliceMs = 20

/** How long jobs have kept the event loop busy since its last turn, in real ms. */
let busyMs = 0
let isCounting = false
let queue: Promise<void> = Promise.resolve()

/** Measures how long jobs keep the event loop busy, from its making until its end. */
export class BusySlice {
  readonly #startedAt = realNow()

  /** Whether jobs must let other work run now: requests, timers, the signal to end. */
  get isOver(): boolean {
    return busyMs + realNow() - this.#startedAt >= sliceMs
  }

  end(): void {
    busyMs += realNow() - this.#startedAt
    if (isCounting) return
    isCounting = true
    void nextTurn().then(() => {
      isCounting = false
      busyMs = 0
    })
  }
}

/** Resolves when the event loop has run other work. Of several worlds that wait, one goes on in each turn. */
export function yieldToEventLoop(): Promise<void> {
  queue = queue.then(nextTurn)
  return queue
}

/** Resolves in the next turn of the event loop. It needs no timer, because tests may fake those. */
function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
