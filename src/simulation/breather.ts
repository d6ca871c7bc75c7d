/** The real time: fake timers replace `performance.now` later, and this measures how long other work really waits. */
const realNow = performance.now.bind(performance)

/** For how long what happens by itself may keep the event loop, in all worlds together, in real ms. */
const longestMs = 20

/** For how long it has kept the event loop since that had its last turn. */
let spentMs = 0
let isCounting = false
let queue: Promise<void> = Promise.resolve()

/** Counts what happens by itself from now until the function that comes back is called. */
export function spend(): () => void {
  const startedAt = realNow()
  if (!isCounting) {
    isCounting = true
    void allElse().then(() => {
      isCounting = false
      spentMs = 0
    })
  }
  return () => {
    spentMs += realNow() - startedAt
  }
}

/** Whether the event loop has to have a turn: requests, timers, and the signal to end. */
export function isOutOfBreath(): boolean {
  return spentMs >= longestMs
}

/** Waits until the event loop has had a turn. Of several worlds that wait, one goes on in each turn. */
export function breathe(): Promise<void> {
  queue = queue.then(allElse)
  return queue
}

/** Resolves after what is ready to run. Not a timer: those may be fake, and this is no matter of the time. */
function allElse(): Promise<void> {
  return new Promise(resolve => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
