import { nextTurn } from '../lib/next-turn.js'
import { loadedSetTimeout, real, unref } from '../lib/real-globals.js'
import type { Steps } from '../lib/steps.js'
import { realTime } from './real-time.js'

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

interface TimedClock {
  /** The number of timers that wait. The others are jobs, which also run with the next request. */
  readonly pending: number
  /** Returns when a job or a timer is due next. Infinity if there is none. */
  nextDueAt(): number
  /** The same for timers alone. */
  nextTimerAt(): number
  /** Returns the real ms until a time of the clock. */
  realMsUntil(at: number): number
  /** Called when the timer for a time has waited, at most its longest delay. Returns whether `Date` is behind the real time. */
  onTimer(at: number, evidence: TimerEvidence): boolean
}

/** The evidence of a timer that has fired about the time, besides `Date`. */
export interface TimerEvidence {
  /** The global timer has fired, and its real time has passed. */
  readonly hasPassed: boolean
  /** The global timer has fired, and `Date` was set back meanwhile. */
  readonly wasSetBack: boolean
}

interface PlatformWait {
  readonly at: number
  readonly delayMs: number
  /** The global `setTimeout`, which a test may have replaced. */
  readonly setBy: typeof setTimeout
  /** A real timer fires for certain. */
  readonly isSure: boolean
  readonly startedAt: number
  /** The time of `Date` at the start. */
  readonly date: number
  /** The global timer has fired. */
  hasFired: boolean
  /** Its real time has passed. */
  hasPassed: boolean
  cancel(): void
}

/** A timer of the platform fires at most this much too early, in real ms. */
const earlyMs = 1

/** A timer that fires after less than this, before its time, is a stub. In ms of `Date`. */
const stubMs = 20

/** While `Date` stands still, the clock looks at most this often for jobs that are due, in real ms. */
const pollMs = 50

/**
 * One timer for the next job or timer of a clock. It does not keep the process alive. It is the global `setTimeout`, looked up on
 * each use, so fake timers drive it. If a test has replaced that, and requests wait, a real timer waits beside it, because the
 * global one may never fire. A global one that fires too early counts only if `Date` has moved.
 */
export class PlatformTimer {
  #wait: PlatformWait | undefined

  constructor(private readonly clock: TimedClock) {}

  /** Sets the timer for the next due time, unless it is set for that time or earlier. `leastMs` is the shortest wait. */
  arm(leastMs = 0): void {
    const at = this.clock.nextDueAt()
    const wait = this.#wait
    // A fake timer never fires after the fake timers were uninstalled.
    const willFire =
      wait !== undefined && wait.setBy === globalThis.setTimeout && (wait.isSure || this.clock.pending === 0)
    if (willFire && at >= wait.at && at !== never) return
    this.#cancel()
    if (at !== never) this.#set(at, leastMs)
  }

  /** Sets the timer again, after the clock has moved. */
  rearm(): void {
    this.#cancel()
    this.arm()
  }

  #set(at: number, leastMs: number): void {
    const delayMs = Math.min(Math.max(this.clock.realMsUntil(at), leastMs), longestDelayMs)
    const setBy = globalThis.setTimeout
    const isReal = setBy === loadedSetTimeout
    const isSure = isReal || this.clock.pending > 0
    const timer = isSure ? unref(real.setTimeout(() => this.#onTimer(wait, { isReal: true }), delayMs)) : undefined
    const cancel = () => real.clearTimeout(timer)
    const start = { startedAt: real.now(), date: realTime() }
    const wait: PlatformWait = { at, delayMs, setBy, isSure, ...start, hasFired: isReal, hasPassed: false, cancel }
    this.#wait = wait
    if (isReal) return
    try {
      const visible = unref(setBy(() => this.#onTimer(wait, { isReal: false }), delayMs))
      wait.cancel = () => {
        cancel()
        clearVisible(visible)
      }
    } catch {
      // A stub, and no fake timers: nobody else decides when it fires.
      wait.hasFired = true
    }
  }

  #cancel(): void {
    this.#wait?.cancel()
    this.#wait = undefined
  }

  #onTimer(wait: PlatformWait, { isReal }: { readonly isReal: boolean }): void {
    if (this.#wait !== wait) return
    if (!isReal) wait.hasFired = true
    if (isReal || real.now() - wait.startedAt >= Math.max(wait.delayMs - earlyMs, earlyMs)) wait.hasPassed = true
    const isReplaced = wait.setBy !== globalThis.setTimeout
    const hasPassed = wait.hasFired && wait.hasPassed && !isReplaced
    const movedMs = realTime() - wait.date
    const hasMoved = wait.hasPassed ? movedMs !== 0 : movedMs < 0 || movedMs >= stubMs
    // The other of the two timers decides.
    if (!hasPassed && !hasMoved && !isReplaced && this.clock.realMsUntil(wait.at) > 0) return
    this.#cancel()
    let isBehind = false
    try {
      isBehind = this.clock.onTimer(wait.at, {
        hasPassed,
        wasSetBack: wait.hasFired && movedMs < 0 && wait.delayMs < longestDelayMs,
      })
    } finally {
      const timerMs = this.clock.realMsUntil(this.clock.nextTimerAt())
      this.arm(isBehind ? Math.min(pollMs, timerMs) : 0)
    }
  }
}

function clearVisible(timer: ReturnType<typeof setTimeout>): void {
  try {
    globalThis.clearTimeout(timer)
  } catch {
    // A stub: the timer may still fire, and then does nothing.
  }
}

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

  /** The first `freeJobs` run whatever time they take. `now` returns real ms. */
  constructor(
    private freeJobs: number,
    now = real.now,
  ) {
    this.#now = now
    this.#startedAt = now()
  }

  /** Tells whether another job may run. Otherwise other work must run first: requests, timers, the signal to end. */
  admitsJob(): boolean {
    this.freeJobs -= 1
    return this.freeJobs >= 0 || busyMs + this.#now() - this.#startedAt < sliceMs
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
export async function runInSlices<Result>(steps: Steps<Result>, now = real.now): Promise<Result> {
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
