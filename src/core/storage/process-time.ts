import { real, unref } from '../lib/real-globals.js'

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
  // As worlds do, whose offset to other replicas is measured by it.
  now: () => globalThis.Date.now(),
  monotonic: () => real.now(),
  setTimer(run, ms) {
    const timer = unref(real.setTimeout(run, ms))
    return () => real.clearTimeout(timer)
  },
}
