import type { ProcessTime } from '../../../src/core/storage/process-time.js'

interface Timer {
  readonly at: number
  readonly run: () => void
  /** True while its process is stopped. */
  isHeld(): boolean
}

/** The clocks of a process. */
interface SimulatedEnvironment extends ProcessTime {
  /** The time that its system clock is ahead, in ms. */
  skewMs: number
  /** The time that its machine has slept. The monotonic clock stands still meanwhile. */
  sleptMs: number
  /** True while the process is stopped: its timers run when it goes on. */
  isStopped: boolean
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
  environment(skewMs = 0): SimulatedEnvironment {
    const environment: SimulatedEnvironment = {
      skewMs,
      sleptMs: 0,
      isStopped: false,
      now: () => start + this.#now + environment.skewMs,
      monotonic: () => this.#now - environment.sleptMs,
      setTimer: (run, ms) => {
        const timer = { at: this.#now + Math.max(0, ms), run, isHeld: () => environment.isStopped }
        this.#timers.add(timer)
        return () => void this.#timers.delete(timer)
      },
    }
    return environment
  }

  /** Calls a function after a time. Returns a function that cancels it. */
  after(ms: number, run: () => void): () => void {
    return this.environment().setTimer(run, ms)
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
    for (const timer of this.#timers) if (!timer.isHeld() && (!next || timer.at < next.at)) next = timer
    return next
  }
}

const start = Date.parse('2026-11-20T20:00:00Z')

/** Lets all promises settle that can. */
function settle(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
