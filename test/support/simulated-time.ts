import type { Environment } from '../../src/storage/engine.js'

interface Timer {
  readonly at: number
  readonly run: () => void
}

/** A time that passes only when a test says so. Each process has clocks of its own. */
export class SimulatedTime {
  #now = 0
  readonly #timers = new Set<Timer>()

  /** The time since the beginning, in ms. */
  get now(): number {
    return this.#now
  }

  /** Returns the clocks of a process. `skewMs`: the time that its system clock is ahead. */
  environment(skewMs = 0): Environment & { skewMs: number; sleptMs: number } {
    const time = this
    return {
      skewMs,
      // The monotonic clock stands still while a machine sleeps.
      sleptMs: 0,
      now() {
        return start + time.#now + this.skewMs
      },
      monotonic() {
        return time.#now - this.sleptMs
      },
      setTimer: (run, ms) => {
        const timer = { at: this.#now + Math.max(0, ms), run }
        this.#timers.add(timer)
        return () => void this.#timers.delete(timer)
      },
    }
  }

  /** Lets time pass, and runs the timers at their times. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    for (;;) {
      await settle()
      const next = this.#next()
      if (!next || next.at > end) break
      this.#timers.delete(next)
      this.#now = Math.max(this.#now, next.at)
      next.run()
    }
    this.#now = end
  }

  #next(): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) if (!next || timer.at < next.at) next = timer
    return next
  }
}

const start = Date.parse('2026-11-20T20:00:00Z')

/** Lets all promises settle that can. */
function settle(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
