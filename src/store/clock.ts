import { parseInput } from '../lib/issues.js'
import { quoted } from '../lib/text.js'
import { durationFormat, parseDuration } from '../lib/time.js'
import { UsageError } from '../lib/usage-error.js'
import { AlarmTimer } from './alarm-timer.js'
import {
  type ClockMode,
  type ClockMoveOptions,
  ClockMoveSchema,
  type ClockSetting,
  ClockSettingSchema,
  timeOf,
} from './clock-setting.js'
import { type Alarm, type Deadline, Deadlines } from './deadlines.js'
import { BusySlice, yieldToEventLoop } from './event-loop.js'
import { latestMs } from './time.js'

/** The time of a world. A running clock follows the global `Date` and `setTimeout`, so that fake timers drive it. */
export interface Clock {
  readonly mode: ClockMode
  /** How many ms of the world pass in one real ms while the clock runs. */
  readonly rate: number
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Moves the time forward by ms, or by a duration such as `40s`. What is due on the way happens in its order, each at
   * its time, before the promise resolves. A reset, a scenario or a snapshot on the way ends the move. Throws `UsageError`
   * for what is no such length of time. Rejects with the reason of `signal` when that is aborted: the time stays there.
   */
  advance(by: number | string, options?: ClockMoveOptions): Promise<void>
  /**
   * Freezes, resumes, speeds up or moves the clock forward; settings that are left out stay. What is due on the way
   * happens as with `advance`. Rejects with `UsageError`, and changes nothing, where the time would go back.
   */
  set(setting: ClockSetting, options?: ClockMoveOptions): Promise<void>
}

/** The setting of a clock, and its time in ms since the epoch. */
export interface ClockState {
  readonly mode: ClockMode
  readonly rate: number
  readonly now: number
}

/** A setting of a clock; without `now` its time goes on. */
export type ClockChange = Omit<ClockState, 'now'> & { readonly now?: number | undefined }

/** Whether a time has come, in ms since the epoch; `undefined` never comes. */
export function hasPassed(at: number | undefined, clock: Pick<Clock, 'now'>): boolean {
  return at !== undefined && clock.now() >= at
}

/** Things that happen to rows at their time: see `Scheduler`. */
export interface Jobs {
  /** When the next job is due, in ms since the epoch; Infinity: never. */
  nextAt(): number
  /** Runs the next job. Never throws. */
  runNext(): void
}

const never = Number.POSITIVE_INFINITY

/**
 * The clock of a world. Deadlines are kept in the time that has passed since the clock was made, which never goes back.
 * The time of the world is that, added to where it began; it never passes a job that has not run.
 */
export class WorldClock implements Clock {
  readonly #deadlines = new Deadlines()
  readonly #timer = new AlarmTimer(this)
  #mode: ClockMode
  #rate: number
  /** How much had passed at the real time `#since`. */
  #passed = 0
  #since = Date.now()
  /** The newest real time that was read. */
  #read = this.#since
  #epoch: number
  #moving: Promise<void> | undefined
  #catchingUp: Promise<void> | undefined
  /** How often the time was replaced. */
  #jumps = 0
  #jobs: Jobs | undefined
  /** The time inside a transaction. */
  #pinned: number | undefined
  /** The time of the newest transaction. A job may be written for an earlier time, and time does not go back to it. */
  #reached: number
  #isRunningDue = false

  constructor({
    mode = 'running',
    rate = 1,
    now,
  }: { readonly [Key in keyof ClockState]?: ClockState[Key] | undefined } = {}) {
    this.#mode = mode
    this.#rate = rate
    this.#epoch = now ?? this.#since
    this.#reached = this.#epoch
  }

  get mode(): ClockMode {
    return this.#mode
  }

  get rate(): number {
    return this.#rate
  }

  /** How many deadlines wait. */
  get pending(): number {
    return this.#deadlines.size
  }

  get state(): ClockState {
    const { mode, rate } = this
    return { mode, rate, now: this.now() }
  }

  now(): number {
    if (this.#pinned !== undefined) return this.#pinned
    return Math.max(this.#reached, Math.min(Math.floor(this.#epoch + this.elapsed()), latestMs, this.#nextJobAt()))
  }

  /** The ms that have passed since the clock was made. They never go back: not with the time that it shows, nor with the system clock. */
  elapsed(): number {
    return this.#passed + (this.#mode === 'running' ? (this.#realTime() - this.#since) * this.#rate : 0)
  }

  /** Stops the time until `unpin`, at a time or at the present one, and returns it in ms since the epoch. */
  pin(at = this.now()): number {
    this.#pinned = at
    this.#reached = at
    return at
  }

  unpin(): void {
    this.#pinned = undefined
    this.#timer.arm()
  }

  /** Runs these jobs at their times from now on. */
  runJobs(jobs: Jobs | undefined): void {
    this.#jobs = jobs
    this.#timer.rearm()
  }

  /**
   * Runs what is due by now. Returns a promise where that takes more than 20 ms: it goes on then, and lets others work
   * meanwhile. Does nothing inside a transaction, or while something due runs.
   */
  catchUp(): Promise<void> | undefined {
    // A frozen clock makes nothing due: `advance` and `set` run what is on their way.
    if (this.#pinned !== undefined || this.#isRunningDue || this.#mode === 'frozen') return undefined
    if (this.#catchingUp) return this.#catchingUp
    // Only what is due by now: a fast clock would add to it for ever.
    const target = this.elapsed()
    if (this.#nextAt() > target || this.#runDue(() => target)) return undefined
    this.#catchingUp = this.#runRest(target)
    return this.#catchingUp
  }

  advance(by: number | string, options: ClockMoveOptions = {}): Promise<void> {
    const ms = lengthMs(by)
    const { signal } = parseInput(ClockMoveSchema, options, 'clock.advance')
    return this.#move(async () => {
      signal?.throwIfAborted()
      if (this.now() + ms > latestMs) throw beyond(`clock.advance(${quoted(by)})`)
      await this.#advanceTo(this.elapsed() + ms, signal)
    })
  }

  set(setting: ClockSetting, options: ClockMoveOptions = {}): Promise<void> {
    return this.#move(async () => {
      const { signal } = parseInput(ClockMoveSchema, options, 'clock.set')
      signal?.throwIfAborted()
      // The present setting is the default: an earlier move may have changed it.
      const { mode = this.#mode, rate = this.#rate, now } = parseInput(ClockSettingSchema, setting, 'clock')
      const target = now === undefined ? undefined : timeOf(now)
      if (target !== undefined && target < this.now()) throw backwards(target, this.now())
      if (target !== undefined && target > latestMs) throw beyond(`clock.now is ${quoted(now)}`)
      this.#change({ mode, rate })
      if (target !== undefined) await this.#advanceTo(target - this.#epoch, signal)
    })
  }

  /** Calls back when so many ms have passed. */
  after(ms: number, due: Alarm): Deadline {
    const deadline = this.#deadlines.add({ at: this.elapsed() + ms, due })
    this.#timer.arm()
    return deadline
  }

  /** Cancels a deadline. Does nothing for one that has passed, or was cancelled. */
  cancel(deadline: Deadline): void {
    this.#deadlines.remove(deadline)
    if (this.#deadlines.size === 0) this.#timer.arm()
  }

  /** Sets the clock, also to an earlier time; without a time it goes on. Deadlines keep the time that they have left. */
  restore({ mode, rate, now }: ClockChange): void {
    // First, so that a clock that freezes keeps what has passed by now.
    this.#change({ mode, rate })
    if (now === undefined) return
    this.#epoch = now - this.elapsed()
    this.#reached = now
    this.#jumps += 1
    this.#timer.rearm()
  }

  /** For the timer: when it has to ring, in elapsed ms. */
  nextAlarmAt(): number {
    return this.#mode === 'running' ? this.#nextAt() : never
  }

  /** For the timer. */
  realMsUntil(at: number): number {
    return Math.ceil((at - this.elapsed()) / this.#rate)
  }

  /** For the timer, which has waited until `at`. */
  ring(at: number): void {
    // If time is missing, the system clock was set back while the timer measured it.
    const missingMs = (at - this.elapsed()) / this.#rate
    if (missingMs > timerToleranceMs) this.#since -= missingMs
    void this.catchUp()
  }

  /** When the next job or deadline is due, in elapsed ms. */
  #nextAt(): number {
    return Math.min(this.#deadlines.first()?.at ?? never, this.#nextJobAt() - this.#epoch)
  }

  #nextJobAt(): number {
    return this.#jobs?.nextAt() ?? never
  }

  /** The system time. Where the system clock was set back, time goes on from the newest reading. */
  #realTime(): number {
    const real = Date.now()
    if (real < this.#read) this.#since += real - this.#read
    this.#read = real
    return real
  }

  #change({ mode, rate }: Pick<ClockState, 'mode' | 'rate'>): void {
    if (mode !== this.#mode || rate !== this.#rate) {
      this.#passed = this.elapsed()
      this.#since = this.#realTime()
      this.#mode = mode
      this.#rate = rate
    }
    this.#timer.rearm()
  }

  /** One move of the time waits for the one before it. */
  #move(move: () => Promise<void>): Promise<void> {
    if (this.#pinned !== undefined)
      return Promise.reject(new UsageError('time stands still in a transaction: move the clock after it'))
    const moved = this.#moving ? this.#moving.then(move) : move()
    const settled = moved
      .catch(() => {})
      .then(() => {
        if (this.#moving === settled) this.#moving = undefined
      })
    this.#moving = settled
    return moved
  }

  async #advanceTo(target: number, signal: AbortSignal | undefined): Promise<void> {
    const jumps = this.#jumps
    // A jump on the way ends the move. What is due by then still happens.
    const until = () => (this.#jumps === jumps ? target : this.elapsed())
    try {
      while (!this.#runDue(until)) {
        await yieldToEventLoop()
        signal?.throwIfAborted()
      }
      this.#passed += Math.max(0, until() - this.elapsed())
    } finally {
      this.#timer.rearm()
    }
  }

  /** Runs what is due until a time, each thing at its own. Returns `false` where some is left, because 20 ms are over. */
  #runDue(until: () => number): boolean {
    if (this.#isRunningDue) return false
    this.#isRunningDue = true
    const slice = new BusySlice()
    try {
      for (let at = this.#nextAt(); at <= until(); at = this.#nextAt()) {
        if (slice.isOver) return false
        this.#passed += Math.max(0, at - this.elapsed())
        this.#runFirst()
      }
      return true
    } finally {
      this.#isRunningDue = false
      slice.end()
    }
  }

  /** Runs the job or the deadline that is due first; the job, where both are. */
  #runFirst(): void {
    const deadline = this.#deadlines.first()
    if (!deadline || this.#nextJobAt() - this.#epoch <= deadline.at) {
      this.#jobs?.runNext()
      return
    }
    this.#deadlines.remove(deadline)
    deadline.due()
  }

  async #runRest(target: number): Promise<void> {
    try {
      while (!this.#runDue(() => target)) await yieldToEventLoop()
    } finally {
      this.#catchingUp = undefined
      this.#timer.rearm()
    }
  }
}

/** How much too early a timer of the platform may ring, in real ms. */
const timerToleranceMs = 50

function lengthMs(by: number | string): number {
  const ms = typeof by === 'string' ? parseDuration(by) : by
  if (ms !== undefined && Number.isFinite(ms) && ms >= 0) return ms
  throw new UsageError(
    `clock.advance(${typeof by === 'number' ? by : quoted(by)}): time only goes forward, by a finite number of ms from 0 or by ${durationFormat}`,
  )
}

function beyond(call: string): UsageError {
  return new UsageError(`${call}: time ends at ${new Date(latestMs).toISOString()}`)
}

function backwards(target: number, now: number): UsageError {
  return new UsageError(
    `clock.now is ${new Date(target).toISOString()}, and it is ${new Date(now).toISOString()} already: time only goes forward; a reset goes back to the start`,
  )
}
