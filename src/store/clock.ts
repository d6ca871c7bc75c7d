import { UsageError } from '../contract/usage-error.js'
import { createDeadlines, type Deadline, type Deadlines } from './deadlines.js'

/** The time of a world. A running clock follows the global `Date` and `setTimeout`, so that fake timers drive it. */
export interface Clock {
  readonly mode: ClockMode
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Moves the time forward by so many ms. Deadlines that fall in between happen in their order, each at its time,
   * before the promise resolves. Throws `UsageError` for anything but a finite number from 0.
   */
  advance(ms: number): Promise<void>
}

export type ClockMode = 'running' | 'frozen'

export interface ClockOptions {
  /** Default `running`. */
  readonly mode?: ClockMode
  /** Where the time starts, in ms since the epoch. Default: the real time. */
  readonly start?: number | undefined
}

/** What the rooms above use of a clock beyond the time itself. */
export interface WorldClock extends Clock {
  /** Runs the alarm when so many ms have passed. The function that comes back gives it up; calling that again does nothing. */
  after(ms: number, alarm: Deadline['alarm']): () => void
  /** Back to the start. Deadlines keep the time they have left. */
  reset(): void
  /** How many deadlines wait. */
  readonly pending: number
}

/** The longest delay that `setTimeout` takes, in ms. */
const longestDelay = 2 ** 31 - 1

/**
 * Deadlines are kept in the time that has passed since the clock was made, which never goes back;
 * `now` is that time added to where the world's time started.
 */
export function createClock(options: ClockOptions = {}): WorldClock {
  const { mode = 'running' } = options
  const created = Date.now()
  const deadlines = createDeadlines()
  let advanced = 0
  const start = options.start ?? created
  let epoch = start
  let timer: ReturnType<typeof setTimeout> | undefined
  let timerAt = Number.POSITIVE_INFINITY
  let advancing: Promise<void> = Promise.resolve()

  const passed = () => (mode === 'running' ? Date.now() - created : 0) + advanced
  const arm = () => {
    const at = deadlines.first()?.at ?? Number.POSITIVE_INFINITY
    if (mode === 'frozen' || (at >= timerAt && at !== Number.POSITIVE_INFINITY)) return
    clearTimeout(timer)
    timerAt = at
    const delay = Math.min(Math.max(at - passed(), 0), longestDelay)
    timer = at === Number.POSITIVE_INFINITY ? undefined : unref(setTimeout(ring, delay))
  }
  const ring = () => {
    timerAt = Number.POSITIVE_INFINITY
    try {
      for (const { alarm } of takeDue(deadlines, passed)) void alarm()
    } finally {
      arm()
    }
  }
  const advanceTo = async (target: number) => {
    try {
      for (const { at, alarm } of takeDue(deadlines, () => target)) {
        advanced += Math.max(0, at - passed())
        await alarm()
      }
      advanced += Math.max(0, target - passed())
    } finally {
      timerAt = Number.POSITIVE_INFINITY
      arm()
    }
  }
  return {
    mode,
    now: () => Math.floor(epoch + passed()),
    get pending() {
      return deadlines.size
    },
    advance(ms) {
      if (!(Number.isFinite(ms) && ms >= 0))
        throw new UsageError(`clock.advance(${ms}): time only goes forward, by a finite number of ms from 0`)
      const moved = advancing.then(() => advanceTo(passed() + ms))
      advancing = moved.catch(() => {})
      return moved
    },
    after(ms, alarm) {
      const deadline = { at: passed() + ms, alarm }
      deadlines.add(deadline)
      arm()
      return () => {
        deadlines.remove(deadline)
        if (deadlines.size === 0) arm()
      }
    },
    reset() {
      epoch = start - passed()
    },
  }
}

/** Takes the deadlines that are due out, earliest first, those that an alarm adds on the way too. */
function* takeDue(deadlines: Deadlines, time: () => number): Iterable<Deadline> {
  for (let due = deadlines.first(); due && due.at <= time(); due = deadlines.first()) {
    deadlines.remove(due)
    yield due
  }
}

/** A waiting world must not keep the process alive. Browsers' timers are numbers and have nothing to unref. */
function unref(timer: ReturnType<typeof setTimeout>): ReturnType<typeof setTimeout> {
  if (typeof timer === 'object') timer.unref()
  return timer
}
