/** What a timer follows. Times are in ms of one clock. */
interface Followed {
  /** When the next alarm is due; Infinity: never. */
  nextAlarmAt(): number
  /** For how many real ms to wait for a time. */
  realMsUntil(at: number): number
  /** Called when the timer has waited until `at`; -Infinity where the alarm is too far for it, which waits for 24 days at most. */
  ring(at: number): void
}

/** The longest delay that `setTimeout` takes, in ms. */
export const longestDelayMs = 2 ** 31 - 1

const never = Number.POSITIVE_INFINITY

/**
 * One timer of the platform, for the alarm that comes first. Rings on the global `setTimeout`, found when it is used, so
 * that fake timers drive it. Keeps no process alive.
 */
export class AlarmTimer {
  readonly #followed: Followed
  #timer: ReturnType<typeof setTimeout> | undefined
  #timerAt = never
  /** What it tells when it rings. */
  #waitsUntil = never
  #setBy: unknown

  constructor(followed: Followed) {
    this.#followed = followed
  }

  /** Sees to it that it rings when the next alarm is due; leaves it where it rings sooner already. */
  arm(): void {
    const at = this.#followed.nextAlarmAt()
    // A timer that fake timers have set never rings after they are gone.
    const rings = this.#setBy === globalThis.setTimeout
    if (rings && at >= this.#timerAt && at !== never) return
    clearTimeout(this.#timer)
    this.#timerAt = at
    this.#setBy = globalThis.setTimeout
    const untilMs = Math.max(this.#followed.realMsUntil(at), 0)
    const delayMs = Math.min(untilMs, longestDelayMs)
    this.#waitsUntil = untilMs === delayMs ? at : -never
    this.#timer = at === never ? undefined : unref(setTimeout(this.#expire, delayMs))
  }

  /** The same after time has moved: sets the timer anew. */
  rearm(): void {
    this.#timerAt = never
    this.arm()
  }

  readonly #expire = () => {
    this.#timerAt = never
    try {
      this.#followed.ring(this.#waitsUntil)
    } finally {
      this.arm()
    }
  }
}

/** A waiting world must not keep the process alive. Browsers' timers are numbers and have nothing to unref. */
function unref(timer: ReturnType<typeof setTimeout>): ReturnType<typeof setTimeout> {
  if (typeof timer === 'object') timer.unref()
  return timer
}
