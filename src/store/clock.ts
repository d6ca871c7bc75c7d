import { parseInput } from '../lib/issues.js'
import { quoted } from '../lib/quote.js'
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
import { latestMs } from './time.js'

/** The time of a world. A running clock follows the global `Date` and `setTimeout`, so that fake timers drive it. */
export interface Clock {
  readonly mode: ClockMode
  /** How many of the world's ms pass in one real ms while it runs. */
  readonly rate: number
  /** Milliseconds since the epoch. */
  now(): number
  /**
   * Moves the time forward, by so many ms or by a duration such as `40s`. Deadlines that fall in between happen in their
   * order, each at its time and with what they write, before the promise resolves: inside a turn it waits for itself. A
   * reset, a scenario or a snapshot on the way ends it there. Throws `UsageError` for what is no such length of time.
   * Rejects with the reason of `signal` when that is aborted: the time stays where it is then.
   */
  advance(by: number | string, options?: ClockMoveOptions): Promise<void>
  /**
   * Has it run or stand still, faster or slower, and go forward to a time; what is absent stays. Deadlines that fall in
   * between happen as in `advance`. Rejects with `UsageError`, and changes nothing, where the time would go backwards.
   * `signal` stops it as it stops `advance`.
   */
  set(setting: ClockSetting, options?: ClockMoveOptions): Promise<void>
}

/** Whether a time has come, in ms since the epoch; `undefined` never comes. */
export function hasPassed(at: number | undefined, clock: Pick<Clock, 'now'>): boolean {
  return at !== undefined && clock.now() >= at
}

/** Where a clock stands, and how it goes. */
export interface ClockStanding {
  readonly mode: ClockMode
  readonly rate: number
  /** In ms since the epoch. */
  readonly now: number
}

/** How a clock shall go; without `now` from where it is. */
export type ClockGoing = Omit<ClockStanding, 'now'> & { readonly now?: number | undefined }

/** How a clock begins. Default: running as fast as the real time, from it. */
type ClockBeginning = { readonly [Key in keyof ClockStanding]?: ClockStanding[Key] | undefined }

/**
 * The time of a world. Deadlines are kept in the time that has passed since the clock was made, which never goes back;
 * the time of the world is that added to where it began.
 */
export class WorldClock implements Clock {
  readonly #deadlines = new Deadlines()
  readonly #timer = new AlarmTimer(this)
  #mode: ClockMode
  #rate: number
  /** What had passed at the real time `#since`. */
  #passed = 0
  #since = Date.now()
  /** The newest real time that was read. */
  #read = this.#since
  #epoch: number
  #advancing: Promise<void> | undefined
  /** How often it was told another time. */
  #restored = 0
  /** The first time of which something has not happened yet that no record tells of, in ms since the epoch; `undefined` for none. */
  owed: (() => number | undefined) | undefined
  /** Does what is due by now, and resolves then. Returns `undefined` where nothing is due. */
  catchUp: (() => Promise<void> | undefined) | undefined

  constructor({ mode = 'running', rate = 1, now }: ClockBeginning = {}) {
    this.#mode = mode
    this.#rate = rate
    this.#epoch = now ?? this.#since
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

  get state(): ClockStanding {
    const { mode, rate } = this
    return { mode, rate, now: this.now() }
  }

  /** Where a world stands in time that is taken as it is: before what is owed. */
  get standing(): ClockStanding {
    const owed = this.owed?.() ?? Number.POSITIVE_INFINITY
    return { ...this.state, now: Math.min(this.now(), owed - 1) }
  }

  now(): number {
    return Math.min(Math.floor(this.#epoch + this.elapsed()), latestMs)
  }

  /** The ms that have passed since the clock was made. They never go back: not with the time that it shows, nor with the system clock. */
  elapsed(): number {
    return this.#passed + (this.#mode === 'running' ? (this.#realTime() - this.#since) * this.#rate : 0)
  }

  /** The system time. Where the system clock was set back, time goes on from the newest reading. */
  #realTime(): number {
    const real = Date.now()
    if (real < this.#read) this.#since += real - this.#read
    this.#read = real
    return real
  }

  advance(by: number | string, options: ClockMoveOptions = {}): Promise<void> {
    const ms = lengthMs(by)
    const { signal } = parseInput(ClockMoveSchema, options, 'clock.advance')
    return this.#inTurn(async () => {
      signal?.throwIfAborted()
      if (this.now() + ms > latestMs) throw beyond(`clock.advance(${quoted(by)})`)
      await this.#advanceTo(this.elapsed() + ms, signal)
    })
  }

  set(setting: ClockSetting, options: ClockMoveOptions = {}): Promise<void> {
    return this.#inTurn(async () => {
      const { signal } = parseInput(ClockMoveSchema, options, 'clock.set')
      signal?.throwIfAborted()
      // As they are then: another one may set them before.
      const { mode = this.#mode, rate = this.#rate, now } = parseInput(ClockSettingSchema, setting, 'clock')
      const target = now === undefined ? undefined : timeOf(now)
      if (target !== undefined && target < this.now()) throw backwards(target, this.now())
      if (target !== undefined && target > latestMs) throw beyond(`clock.now is ${quoted(now)}`)
      this.#go({ mode, rate })
      if (target !== undefined) await this.#advanceTo(target - this.#epoch, signal)
    })
  }

  /** Runs the alarm when so many ms have passed. */
  after(ms: number, due: Alarm): Deadline {
    const deadline = this.#deadlines.add({ at: this.elapsed() + ms, due })
    this.#timer.arm()
    return deadline
  }

  /** Gives a deadline up. Does nothing for one that has run, or was given up. */
  giveUp(deadline: Deadline): void {
    this.#deadlines.remove(deadline)
    if (this.#deadlines.size === 0) this.#timer.arm()
  }

  /** Goes as told, and shows another time from now on, be it an earlier one; where none is told, it goes on. Deadlines keep the time they have left. */
  restore({ mode, rate, now }: ClockGoing): void {
    // First, so that a clock that stands still has what had passed when it stopped.
    this.#go({ mode, rate })
    if (now === undefined) return
    this.#epoch = now - this.elapsed()
    this.#restored += 1
  }

  /** For the timer. */
  nextAlarmAt(): number {
    return (this.#mode === 'running' ? this.#deadlines.first()?.at : undefined) ?? Number.POSITIVE_INFINITY
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
    for (const { due } of this.#takeDue(() => this.elapsed())) void due()
  }

  #go({ mode, rate }: Pick<ClockStanding, 'mode' | 'rate'>): void {
    if (mode !== this.#mode || rate !== this.#rate) {
      this.#passed = this.elapsed()
      this.#since = this.#realTime()
      this.#mode = mode
      this.#rate = rate
    }
    this.#timer.rearm()
  }

  /** One move of the time waits for the one before it. */
  #inTurn(move: () => Promise<void>): Promise<void> {
    const moved = (this.#advancing ?? Promise.resolve()).then(move)
    this.#advancing = moved.catch(() => {})
    return moved
  }

  async #advanceTo(target: number, signal: AbortSignal | undefined): Promise<void> {
    const restored = this.#restored
    // Told another time on the way, it goes no further: what is due by then still happens.
    const until = () => (this.#restored === restored ? target : this.elapsed())
    try {
      for (const { at, due } of this.#takeDue(until)) {
        this.#passed += Math.max(0, at - this.elapsed())
        await unlessAborted(due(), signal)
      }
      this.#passed += Math.max(0, until() - this.elapsed())
    } finally {
      this.#timer.rearm()
    }
  }

  /** Takes the deadlines that are due out, earliest first, those that an alarm adds on the way too. */
  *#takeDue(time: () => number): Iterable<Deadline> {
    const deadlines = this.#deadlines
    for (let due = deadlines.first(); due && due.at <= time(); due = deadlines.first()) {
      deadlines.remove(due)
      yield due
    }
  }
}

/** Waits for work, which goes on by itself when the signal is aborted. Rejects with the reason of the signal then. */
async function unlessAborted(work: void | Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return work
  let abort = () => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
  })
  signal.addEventListener('abort', abort)
  if (signal.aborted) abort()
  try {
    await Promise.race([aborted, work])
  } finally {
    signal.removeEventListener('abort', abort)
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
    `clock.now is ${new Date(target).toISOString()}, and it is ${new Date(now).toISOString()} already: time only goes forward; a reset brings the beginning back`,
  )
}
