import { nextTurn } from '../lib/next-turn.js'
import type { Steps } from '../lib/steps.js'

/** A call that waits for its time on a world's clock. */
export interface Timer {
  /** In ms of that clock. */
  readonly at: number
  readonly run: () => void
  /** Timers of the same time run in this order. */
  readonly order: number
}

/** The longest delay that `setTimeout` takes, in ms. */
export const longestDelayMs = 2 ** 31 - 1

const never = Number.POSITIVE_INFINITY

/** The clock that a platform timer serves. Times are in ms of that clock. */
interface TimedClock {
  /** Returns when a job or a timer is due next. Infinity if there is none. */
  nextDueAt(): number
  /** Returns the real ms until a time of the clock. */
  realMsUntil(at: number): number
  /** Called when the timer has waited until `at`. -Infinity: the longest delay has passed, and the time is still ahead. */
  onTimer(at: number): void
}

/**
 * One `setTimeout` for the next job or timer of a clock. It looks up the global function on each use, so fake timers drive
 * it. It does not keep the process alive.
 */
export class PlatformTimer {
  readonly #clock: TimedClock
  #timer: ReturnType<typeof setTimeout> | undefined
  #timerAt = never
  /** The argument of the next `onTimer`. */
  #waitsUntil = never
  #setBy: unknown

  constructor(clock: TimedClock) {
    this.#clock = clock
  }

  /** Sets the timer for the next due time, unless it is set for that time or earlier. */
  arm(): void {
    const at = this.#clock.nextDueAt()
    // A fake timer never fires after the fake timers were uninstalled.
    const willFire = this.#setBy === globalThis.setTimeout
    if (willFire && at >= this.#timerAt && at !== never) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#setBy = globalThis.setTimeout
    const untilMs = Math.max(this.#clock.realMsUntil(at), 0)
    const delayMs = Math.min(untilMs, longestDelayMs)
    this.#waitsUntil = untilMs === delayMs ? at : -never
    this.#timer = at === never ? undefined : unref(setTimeout(this.#onTimeout, delayMs))
  }

  /** Sets the timer again, after the clock has moved. */
  rearm(): void {
    this.#timerAt = never
    this.arm()
  }

  readonly #onTimeout = () => {
    this.#timerAt = never
    try {
      this.#clock.onTimer(this.#waitsUntil)
    } finally {
      this.arm()
    }
  }
}

/** Lets the process end while the timer waits. In browsers, timers are numbers and need nothing. */
function unref(timer: ReturnType<typeof setTimeout>): ReturnType<typeof setTimeout> {
  if (typeof timer === 'object') timer.unref()
  return timer
}

/** The timers of the platform, taken at load: they take real time even if a test fakes the global ones. */
export const realTimers = {
  setTimeout: globalThis.setTimeout.bind(globalThis),
  clearTimeout: globalThis.clearTimeout.bind(globalThis),
}

/** Taken at load: it measures real time even if a test fakes `performance`. */
const realNow = performance.now.bind(performance)

/** The longest time that the jobs of all worlds may block the event loop, in real ms. */
const sliceMs = 20

/** The real ms that jobs have blocked the event loop since its last turn. */
let busyMs = 0
let isCounting = false
let queue: Promise<void> = Promise.resolve()

/** Limits how long jobs block the event loop, from its construction to `end`. */
export class BusySlice {
  readonly #now: () => number
  readonly #startedAt: number
  #freeJobs: number

  /** The first `freeJobs` run whatever time they take. `now` returns real ms. */
  constructor(freeJobs: number, now = realNow) {
    this.#now = now
    this.#startedAt = now()
    this.#freeJobs = freeJobs
  }

  /** Tells whether another job may run. Otherwise other work must run first: requests, timers, the signal to end. */
  admitsJob(): boolean {
    this.#freeJobs -= 1
    return this.#freeJobs >= 0 || busyMs + this.#now() - this.#startedAt < sliceMs
  }

  end(): void {
    busyMs += this.#now() - this.#startedAt
    if (isCounting) return
    isCounting = true
    void nextTurn().then(() => {
      isCounting = false
      busyMs = 0
    })
  }
}

/** Does work in the slices of real time that jobs share. Other work runs between them. */
export async function runInSlices<Result>(steps: Steps<Result>, now = realNow): Promise<Result> {
  // Most work is one step. A slice would cost more.
  for (let next = steps.next(); ; next = steps.next()) {
    if (next.done) return next.value
    const slice = new BusySlice(0, now)
    try {
      while (slice.admitsJob()) {
        next = steps.next()
        if (next.done) return next.value
      }
    } finally {
      slice.end()
    }
    await yieldToEventLoop()
  }
}

/** Resolves after the event loop has run other work. If several worlds wait, one continues in each turn. */
export function yieldToEventLoop(): Promise<void> {
  queue = queue.then(nextTurn)
  return queue
}
