/** The real time: fake timers replace `performance.now` later, and this measures what other work really waits. */
const realNow = performance.now.bind(performance)

/** For how long all else waits while much is due, in ms. */
const longestMs = 20

/** Lets all else have its turn where much is due one after the other: requests, timers, and the signal to end. */
export class Breather {
  #since = realNow()

  /** Waits for all that is ready to run, where nothing else has run for long. */
  async breathe(): Promise<void> {
    if (realNow() - this.#since < longestMs) return
    await allElse()
    this.#since = realNow()
  }
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
