/** The real time: fake timers replace `performance.now` later, and this measures how long other work really waits. */
const realNow = performance.now.bind(performance)

/** How long jobs may keep the event loop busy, in all worlds together, in real ms. */
const longestMs = 20

/** How long jobs have kept the event loop busy since its last turn, in real ms. */
let busyMs = 0
let isCounting = false
let queue: Promise<void> = Promise.resolve()

/** Counts the time that jobs keep the event loop busy, from now until the returned function is called. */
export function countBusyTime(): () => void {
  const startedAt = realNow()
  if (!isCounting) {
    isCounting = true
    void nextTurn().then(() => {
      isCounting = false
      busyMs = 0
    })
  }
  return () => {
    busyMs += realNow() - startedAt
  }
}

/** Whether jobs must let other work run now: requests, timers, and the signal to end. */
export function shouldYield(): boolean {
  return busyMs >= longestMs
}

/** Resolves when the event loop has run other work. Of several worlds that wait, one continues in each turn. */
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
