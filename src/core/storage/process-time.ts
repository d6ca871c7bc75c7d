/** The clocks and timers of a process. */
export interface ProcessTime {
  /** The time of the system, in ms since the epoch. It may jump. */
  now(): number
  /** A time in ms that never goes back. It may stand still while the machine sleeps. */
  monotonic(): number
  /** Calls a function once. The timer keeps no process alive. Returns a function that cancels it. */
  setTimer(run: () => void, ms: number): () => void
}

export const processTime: ProcessTime = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(run, ms) {
    const timer = setTimeout(run, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
