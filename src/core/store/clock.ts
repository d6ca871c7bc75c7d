import * as z from 'zod'
import { isSignal } from '../lib/abort-signal.js'
import { parseInput } from '../lib/issues.js'
import { isDate, quoted, UsageError } from '../lib/messages.js'
import { dateOf, loadedSetTimeout, real } from '../lib/real-globals.js'
import { durationInCode, expectedDuration, formatInstant, instantFormat, latestMs, parseDuration } from '../lib/time.js'
import { parseInstant } from '../lib/time-schemas.js'
import { realTime } from './real-time.js'
import { BusySlice, PlatformTimer, type Timer, type TimerEvidence, yieldToEventLoop } from './timers.js'
import { createTree } from './tree.js'

/**
 * `running`: time passes by itself. `frozen`: only `advance` and `set` move the time and run jobs. If you write an overdue
 * job on a frozen clock, it waits for the next `advance`, or until the clock runs again.
 */
export type ClockMode = 'running' | 'frozen'

/** New settings of a clock. Absent settings stay the same. */
export interface ClockSetting {
  readonly mode?: ClockMode | undefined
  /** In ms since the epoch, a `Date`, or a date and time with a zone, as in `2026-11-20T20:00:00Z`. */
  readonly now?: number | string | Date | undefined
  /** Above 0, at most 1,000,000. */
  readonly rate?: number | undefined
}

/** The highest rate: eleven days in a second. */
export const maxRate = 1_000_000

export const Mode = z.enum(['running', 'frozen'] satisfies ClockMode[])

export const Rate = z
  .number()
  .refine(rate => rate > 0 && rate <= maxRate, `expected a number above 0, to ${maxRate}`)
  .meta({ exclusiveMinimum: 0, maximum: maxRate })

const expectedTime = `expected ms since the epoch, or ${instantFormat}`

export const ClockSettingSchema = z.strictObject({
  mode: Mode.optional(),
  now: z.union([z.number(expectedTime), z.string()], { error: expectedTime }).optional(),
  rate: Rate.optional(),
}) satisfies z.ZodType<ClockSetting>

/** Over HTTP a `Date` is a text. */
function withoutDate(setting: ClockSetting): ClockSetting {
  const { now } = Object(setting) as ClockSetting // JavaScript callers may pass anything
  return now !== undefined && isDate(now) ? { ...setting, now: now.getTime() } : setting
}

/** Options of a call that moves the clock. */
export interface ClockMoveOptions {
  /** Stops the clock on its way when it is aborted. Default: none. */
  readonly signal?: AbortSignal | undefined
}

const ClockMoveSchema = z.strictObject({
  signal: z.custom<AbortSignal>(isSignal, 'expected an AbortSignal').optional(),
}) satisfies z.ZodType<ClockMoveOptions>

/**
 * The clock of a world. A running clock follows the global `Date` and `setTimeout`, so fake timers drive it. It stands still while
 * `Date` does.
 */
export interface Clock {
  readonly mode: ClockMode
  /** The ms of the world that pass in one real ms while the clock runs. They are fewer if the jobs of that time take longer. */
  readonly rate: number
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Moves the time forward by ms, or by a duration such as `40s`. Jobs on the way run in order, each at its time. Overdue
   * jobs run first. The promise resolves after the last job. A reset or a load on the way ends the move.
   * Throws `UsageError` if `by` is not a duration. If `signal` is aborted, it rejects with the reason, and the time stays at
   * the last job that ran.
   */
  advance(by: number | string, options?: ClockMoveOptions): Promise<void>
  /**
   * Freezes, resumes, speeds up or moves the clock. Absent settings stay the same. Jobs on the way run as with
   * `advance`. If `now` is before the present time, it rejects with `UsageError` and changes nothing.
   */
  set(setting: ClockSetting, options?: ClockMoveOptions): Promise<void>
}

/** The state of a clock. `now` in ms since the epoch. */
export interface ClockState {
  readonly mode: ClockMode
  readonly rate: number
  readonly now: number
}

/** A new setting of a clock. Without `now`, the time continues. */
export type ClockChange = Omit<ClockState, 'now'> & { readonly now?: number | undefined }

/** Checks if the clock has reached a time, in ms since the epoch. It never reaches `undefined`. */
export function hasPassed(at: number | undefined, clock: Pick<Clock, 'now'>): boolean {
  return at !== undefined && clock.now() >= at
}

/** The jobs of a world: see `Scheduler`. */
export interface Jobs {
  /** Returns when the next job is due, in ms since the epoch. Infinity if no job waits. */
  nextAt(): number
  /** Runs the next job. Never throws. */
  runNext(): void
}

interface ClockOwner {
  /** Called with the former setting after each change. */
  onMove?(before: ClockState): void
  /** Throws if users may not move the clock. */
  checkMove?(): void
  /** Resolves when jobs may run. Until then, too many changes wait to be kept. `undefined` if they may run now. Does not reject. */
  drained?(): Promise<void> | undefined
}

const never = Number.POSITIVE_INFINITY

/**
 * The clock of a world. It counts the elapsed time since its creation, which never decreases. The world's time is an epoch plus
 * the elapsed time. It never passes a job that has not run. Timers, for which requests wait, use the count too. If a test freezes
 * `Date` alone, they go on by real time.
 */
export class LiveClock implements Clock {
  /** The earliest first. Those of the same time are in the order of their creation. */
  readonly #timers = createTree<Timer, undefined>((a, b) => a.at - b.at || a.order - b.order)
  #timersAdded = 0
  readonly #platformTimer = new PlatformTimer(this)
  #mode: ClockMode
  #rate: number
  /** The elapsed ms at the real time `#since`. */
  #elapsed = 0
  #since = realTime()
  /** The newest reading of the real time. */
  #lastRealTime = this.#since
  /** The ms by which timers are ahead of the elapsed time, because `Date` stood still. */
  #lead = 0
  /** The moment since which `Date` may be behind: in real ms, and in elapsed ms. */
  #lagSince = real.now()
  #lagFrom = 0
  #epoch: number
  #moving: Promise<void> | undefined
  #catchingUp: Promise<void> | undefined
  /** Counts the calls of `restore` that set the time. */
  #jumps = 0
  #jobs: Jobs | undefined
  /** The time inside a transaction. */
  #pinned: number | undefined
  /** The time of the newest transaction. A job with an earlier time does not take the clock back. */
  #reached: number
  #isRunningDue = false
  #haltedAt: number | undefined

  constructor(
    { mode = 'running', rate = 1, now }: { readonly [Key in keyof ClockState]?: ClockState[Key] | undefined } = {},
    private readonly owner: ClockOwner = {},
  ) {
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

  get pending(): number {
    return this.#timers.size
  }

  get state(): ClockState {
    const { mode, rate } = this
    return { mode, rate, now: this.now() }
  }

  now(): number {
    if (this.#pinned !== undefined) return this.#pinned
    return Math.max(this.#reached, Math.min(Math.floor(this.#epoch + this.#dueUntil()), latestMs, this.#nextJobAt()))
  }

  /** Returns the ms since the clock was created. They never decrease, even if the system clock goes back. */
  elapsed(): number {
    return Math.max(this.#reached - this.#epoch, Math.min(this.#dueUntil(), this.#nextJobAt() - this.#epoch))
  }

  /** Returns until when jobs and timers are due, in elapsed ms. Ahead of `elapsed` while jobs are overdue. */
  #dueUntil(): number {
    if (this.#haltedAt !== undefined) return this.#haltedAt
    return this.#elapsed + (this.#mode === 'running' ? (this.#realTime() - this.#since) * this.#rate : 0)
  }

  /** The time of the newest transaction, in ms since the epoch. */
  get reached(): number {
    return this.#reached
  }

  /** Takes back the time of a transaction that was rolled back. */
  unreach(reached: number): void {
    this.#reached = Math.min(this.#reached, reached)
  }

  /** True if the clock runs with the real time, give or take a second. */
  get showsRealTime(): boolean {
    const now = this.#epoch + this.#elapsed + (realTime() - this.#since)
    return this.#mode === 'running' && this.#rate === 1 && Math.abs(now - realTime()) < 1_000
  }

  /** True while the time stands still: see `halt`. */
  get isHalted(): boolean {
    return this.#haltedAt !== undefined
  }

  /** Stops the time, the jobs and the timers until `resume`, which adds the time that has passed meanwhile. */
  halt(): void {
    this.#haltedAt ??= this.#dueUntil()
    this.#platformTimer.rearm()
  }

  resume(): void {
    this.#haltedAt = undefined
    this.#platformTimer.rearm()
  }

  /** Stops the time until `unpin`. Returns it in ms since the epoch. */
  pin(at = this.now()): number {
    this.#pinned = at
    this.#reached = at
    return at
  }

  unpin(): void {
    this.#pinned = undefined
    this.#platformTimer.arm()
  }

  /** Runs these jobs at their times from now on. `undefined` stops all jobs. */
  runJobs(jobs: Jobs | undefined): void {
    this.#jobs = jobs
    this.#platformTimer.rearm()
  }

  /**
   * Runs the jobs and timers that are due. After 20 ms and 10 jobs it lets other work run, and returns a promise for the rest.
   * Does nothing on a frozen clock, inside a transaction, or while a job runs.
   */
  catchUp(): Promise<void> | undefined {
    if (this.#pinned !== undefined || this.#isRunningDue || this.#mode === 'frozen' || this.isHalted) return undefined
    if (this.#catchingUp) return this.#catchingUp
    // The target is fixed: on a fast clock, more jobs become due all the time.
    const target = this.#dueUntil()
    if (this.#nextAt() > target) return undefined
    const mustWait = this.owner.drained?.() !== undefined
    if (!mustWait && (this.#runDue(this.#untilJump(target), { freeJobs: 10 }) || this.isHalted)) return undefined
    this.#catchingUp = this.#runRest(target)
    return this.#catchingUp
  }

  advance(by: number | string, options: ClockMoveOptions = {}): Promise<void> {
    this.owner.checkMove?.()
    const ms = durationMsOf(by)
    const { signal } = parseInput(ClockMoveSchema, options, 'clock.advance')
    return this.#move(async () => {
      signal?.throwIfAborted()
      if (this.now() + ms > latestMs) throw tooLate(`clock.advance(${quoted(by)})`)
      await this.#advanceTo(this.#dueUntil() + ms, signal)
    })
  }

  set(setting: ClockSetting, options: ClockMoveOptions = {}): Promise<void> {
    this.owner.checkMove?.()
    return this.#move(async () => {
      const { signal } = parseInput(ClockMoveSchema, options, 'clock.set')
      signal?.throwIfAborted()
      // The jobs that are due come first. A fast clock gives up what it cannot reach.
      const rest = this.catchUp()
      if (rest) await rest
      // Read the setting here: a move that ran before this one may have changed it.
      const {
        mode = this.#mode,
        rate = this.#rate,
        now,
      } = parseInput(ClockSettingSchema, withoutDate(setting), 'clock')
      const target = now === undefined ? undefined : timeOf(now)
      if (target !== undefined && target < this.now())
        throw new UsageError(
          `clock.now is ${formatInstant(target)}, before the present time ${formatInstant(this.now())}: a clock only goes forward. Reset the world to go back to its start`,
        )
      if (target !== undefined && target > latestMs) throw tooLate(`clock.now is ${quoted(now)}`)
      const before = this.state
      if (mode !== before.mode || rate !== before.rate) this.#dropBacklog()
      this.#change({ mode, rate })
      if (mode !== before.mode || rate !== before.rate) this.owner.onMove?.(before)
      if (target !== undefined) await this.#advanceTo(target - this.#epoch, signal)
    })
  }

  /** Calls `run` once `ms` have elapsed on this clock. */
  after(ms: number, run: () => void): Timer {
    this.#countLag(globalThis.setTimeout === loadedSetTimeout)
    const timer: Timer = { at: this.elapsed() + this.#lead + ms, run, order: this.#timersAdded++ }
    this.#timers.set(timer, undefined)
    this.#platformTimer.arm()
    return timer
  }

  /** Cancels a timer. Does nothing if the timer has run or was cancelled. */
  cancel(timer: Timer): void {
    this.#timers.delete(timer)
    if (this.#timers.size === 0) this.#platformTimer.arm()
  }

  /** Sets the clock, also to an earlier time. Without `now`, the time continues. Timers keep their remaining time. */
  restore({ mode, rate, now }: ClockChange): void {
    // Change the mode first, so that a clock that freezes counts the time until now.
    this.#change({ mode, rate })
    if (now === undefined) return
    this.#dropBacklog()
    this.#epoch = now - this.#dueUntil()
    this.#reached = now
    this.#jumps += 1
    this.#platformTimer.rearm()
  }

  /** For the platform timer: returns when a job or a timer is due next, in elapsed ms. */
  nextDueAt(): number {
    return this.#mode === 'running' && !this.isHalted && !this.#catchingUp ? this.#nextAt() : never
  }

  /** For the platform timer. */
  realMsUntil(at: number): number {
    return Math.ceil((at - this.#dueUntil()) / this.#rate)
  }

  /** For the platform timer, which has waited for `at`. */
  onTimer(at: number, { hasPassed, wasSetBack }: TimerEvidence): boolean {
    const missingMs = (at - this.#dueUntil()) / this.#rate
    if (wasSetBack && missingMs > 0) this.#since -= missingMs
    const isBehind = hasPassed && !wasSetBack && missingMs > 0 && this.#countLag(true)
    void this.catchUp()
    return isBehind
  }

  /**
   * Looks whether `Date` is behind the real time. Timers then run ahead of it, unless fake timers decide when they fire: then
   * `isReal` is false.
   */
  #countLag(isReal: boolean): boolean {
    const [since, from] = [this.#lagSince, this.#lagFrom]
    const lag = (real.now() - since) * this.#rate - (this.#dueUntil() - from)
    // `Date` shows whole ms.
    if (Math.abs(lag) <= roundingMs * this.#rate) return false
    this.#restartLag()
    const isBehind = isReal && lag > 0 && this.#mode === 'running' && !this.isHalted
    if (isBehind) this.#lead += lag
    return isBehind
  }

  #restartLag(): void {
    this.#lagSince = real.now()
    this.#lagFrom = this.#dueUntil()
  }

  #nextAt(): number {
    return Math.min(this.nextTimerAt(), this.#nextJobAt() - this.#epoch)
  }

  nextTimerAt(): number {
    return (this.#timers.minKey()?.at ?? never) - this.#lead
  }

  #nextJobAt(): number {
    return this.#jobs?.nextAt() ?? never
  }

  /** Reads the system time. If someone set the system clock back, the elapsed time continues from the last reading. */
  #realTime(): number {
    const real = realTime()
    if (real < this.#lastRealTime) this.#since += real - this.#lastRealTime
    this.#lastRealTime = real
    return real
  }

  #change({ mode, rate }: Pick<ClockState, 'mode' | 'rate'>): void {
    if (mode !== this.#mode || rate !== this.#rate) {
      this.#elapsed = this.#dueUntil()
      this.#since = this.#realTime()
      this.#mode = mode
      this.#rate = rate
      this.#restartLag()
    }
    this.#platformTimer.rearm()
  }

  /** Drops what is overdue: the clock goes on from the time that it shows. */
  #dropBacklog(): void {
    this.#elapsed = this.elapsed()
    if (this.isHalted) this.#haltedAt = this.#elapsed
    this.#since = this.#realTime()
    this.#restartLag()
  }

  #move(move: () => Promise<void>): Promise<void> {
    if (this.#pinned !== undefined)
      return Promise.reject(new UsageError('a transaction cannot move the clock: move it after the transaction'))
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
    const before = this.state
    const isMove = target > this.#dueUntil()
    // A `restore` on the way ends the move. Jobs that are due then still run.
    const until = () => (this.#jumps === jumps ? target : this.#dueUntil())
    try {
      while (!this.#runDue(until, { signal })) {
        if (this.isHalted) this.owner.checkMove?.()
        await this.#nextSlice()
        signal?.throwIfAborted()
      }
      this.#elapsed += Math.max(0, until() - this.#dueUntil())
    } finally {
      this.#platformTimer.rearm()
      if (isMove && this.#jumps === jumps) this.owner.onMove?.(before)
    }
  }

  /**
   * Runs all jobs and timers until a time, each at its own time. Returns `false` if it stopped early: other work must run
   * first, or the signal was aborted.
   */
  #runDue(
    until: () => number,
    { signal, freeJobs = 0 }: { readonly signal?: AbortSignal | undefined; readonly freeJobs?: number } = {},
  ): boolean {
    if (this.#isRunningDue) return false
    this.#isRunningDue = true
    const slice = new BusySlice(freeJobs)
    try {
      for (let at = this.#nextAt(); at <= until(); at = this.#nextAt()) {
        if (signal?.aborted || this.isHalted || !slice.admitsJob()) return false
        this.#elapsed += Math.max(0, at - this.#dueUntil())
        this.#runFirst()
      }
      return true
    } finally {
      this.#isRunningDue = false
      slice.end()
    }
  }

  /** Returns until when jobs run that are due now, in elapsed ms. After a `restore`, none of them is due any more. */
  #untilJump(target: number): () => number {
    const jumps = this.#jumps
    return () => (this.#jumps === jumps ? target : -never)
  }

  /** Resolves when the next jobs may run. Other work runs before them. */
  async #nextSlice(): Promise<void> {
    await this.owner.drained?.()
    await yieldToEventLoop()
  }

  /** Runs the job or the timer that is due first. If both are due at once, it runs the job. */
  #runFirst(): void {
    const timer = this.#timers.minKey()
    if (!timer || this.#nextJobAt() - this.#epoch <= this.nextTimerAt()) {
      this.#jobs?.runNext()
      return
    }
    this.#timers.delete(timer)
    timer.run()
  }

  /** Runs the rest of the jobs that are due. A fast clock that cannot keep up gives them up. */
  async #runRest(target: number): Promise<void> {
    const [from, startedAt, rate, jumps] = [this.elapsed(), real.now(), this.#rate, this.#jumps]
    const until = this.#untilJump(target)
    const cannotKeepUp = () => {
      const realMs = real.now() - startedAt
      return rate > 1 && realMs > longestCatchUpMs && this.elapsed() - from < realMs * rate
    }
    try {
      // It must not end before `catchUp` has its promise.
      do await this.#nextSlice()
      while (!this.isHalted && !this.#runDue(until) && !cannotKeepUp())
      if (this.#jumps === jumps && cannotKeepUp()) this.#dropBacklog()
    } finally {
      this.#catchingUp = undefined
      this.#platformTimer.rearm()
    }
  }
}

/** A fast clock has this time to catch up, in real ms. Then it gives up what is overdue, unless it comes nearer. */
const longestCatchUpMs = 500

/** The most by which `Date` and the real time differ while both run, in ms. */
const roundingMs = 2

function timeOf(now: number | string): number {
  const ms = typeof now === 'string' ? parseInstant(now) : dateOf(now).getTime()
  if (ms !== undefined && !Number.isNaN(ms)) return ms
  throw new UsageError(`clock.now is ${quoted(now)}: ${expectedTime}`)
}

function durationMsOf(by: number | string): number {
  const ms = typeof by === 'string' ? parseDuration(by) : by
  if (ms !== undefined && Number.isFinite(ms) && ms >= 0) return ms
  throw new UsageError(
    `clock.advance(${typeof by === 'number' ? by : quoted(by)}): expected ${expectedDuration(by, durationInCode)}`,
  )
}

function tooLate(call: string): UsageError {
  return new UsageError(`${call}: the latest time of a clock is ${formatInstant(latestMs)}`)
}
