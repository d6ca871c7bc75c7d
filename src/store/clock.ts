import { UsageError } from '../contract/usage-error.js'
import { createAlarmTimer } from './alarm-timer.js'
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

/** Whether a time has come, in ms since the epoch; `undefined` never comes. */
export function hasPassed(at: number | undefined, clock: Pick<Clock, 'now'>): boolean {
  return at !== undefined && clock.now() >= at
}

/** Whether the time goes by itself, or only where it is advanced. */
export type ClockMode = 'running' | 'frozen'

/** How a clock begins. */
interface ClockOptions {
  /** Default `running`. */
  readonly mode?: ClockMode
  /** Where the time starts, in ms since the epoch. Default: the real time. */
  readonly start?: number | undefined
}

/** What the rooms above use of a clock beyond the time itself. */
export interface WorldClock extends Clock {
  /** Runs the alarm when so many ms have passed. */
  after(ms: number, alarm: Deadline['alarm']): Deadline
  /** Gives a deadline up. Does nothing for one that has run, or was given up. */
  giveUp(deadline: Deadline): void
  /** Back to the start. Deadlines keep the time they have left. */
  reset(): void
  /** A clock that shows the same time, and begins there. */
  fork(): WorldClock
  /** How many deadlines wait. */
  readonly pending: number
}

/**
 * The time of a world: `now` begins at `start`, and goes with the real time or stands still until it is advanced.
 * Deadlines are kept in the time that has passed since the clock was made, which never goes back;
 * `now` is that time added to where the world's time started.
 */
export function createClock(options: ClockOptions = {}): WorldClock {
  const created = Date.now()
  const { mode = 'running', start = created } = options
  const deadlines = createDeadlines()
  let advanced = 0
  let epoch = start
  let advancing: Promise<void> = Promise.resolve()
  const passed = () => (mode === 'running' ? Date.now() - created : 0) + advanced
  const next = () => (mode === 'running' ? deadlines.first()?.at : undefined) ?? Number.POSITIVE_INFINITY
  const ring = () => {
    for (const { alarm } of takeDue(deadlines, passed)) void alarm()
  }
  const { arm, rearm } = createAlarmTimer({ passed, next, ring })
  const advanceTo = async (target: number) => {
    try {
      for (const { at, alarm } of takeDue(deadlines, () => target)) {
        advanced += Math.max(0, at - passed())
        await alarm()
      }
      advanced += Math.max(0, target - passed())
    } finally {
      rearm()
    }
  }
  return {
    mode,
    now: () => Math.floor(epoch + passed()),
    get pending() {
      return deadlines.size
    },
    advance(ms) {
      checkForward(ms)
      const moved = advancing.then(() => advanceTo(passed() + ms))
      advancing = moved.catch(() => {})
      return moved
    },
    after(ms, alarm) {
      const deadline = deadlines.add({ at: passed() + ms, alarm })
      arm()
      return deadline
    },
    giveUp(deadline) {
      deadlines.remove(deadline)
      if (deadlines.size === 0) arm()
    },
    fork: () => createClock({ mode, start: epoch + passed() }),
    reset() {
      epoch = start - passed()
      rearm()
    },
  }
}

function checkForward(ms: number): void {
  if (Number.isFinite(ms) && ms >= 0) return
  throw new UsageError(`clock.advance(${ms}): time only goes forward, by a finite number of ms from 0`)
}

/** Takes the deadlines that are due out, earliest first, those that an alarm adds on the way too. */
function* takeDue(deadlines: Deadlines, time: () => number): Iterable<Deadline> {
  for (let due = deadlines.first(); due && due.at <= time(); due = deadlines.first()) {
    deadlines.remove(due)
    yield due
  }
}
