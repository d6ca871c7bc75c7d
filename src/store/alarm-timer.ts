/** One timer of the platform, for the alarm that comes first. */
interface AlarmTimer {
  /** Sees to it that it rings when the next alarm is due; leaves it where it rings sooner already. */
  arm(): void
  /** The same after time has moved: sets the timer anew. */
  rearm(): void
}

/** What the timer follows. Times are in ms of one clock. */
interface AlarmTimerOptions {
  passed(): number
  /** When the next alarm is due; Infinity: never. */
  next(): number
  /** Called when the next alarm may be due. A far one is asked for more than once: a timer waits for 24 days at most. */
  ring(): void
}

/** The longest delay that `setTimeout` takes, in ms. */
const longestDelayMs = 2 ** 31 - 1

/** Rings on the global `setTimeout`, found when it is used, so that fake timers drive it. Keeps no process alive. */
export function createAlarmTimer({ passed, next, ring }: AlarmTimerOptions): AlarmTimer {
  let timer: ReturnType<typeof setTimeout> | undefined
  let timerAt = Number.POSITIVE_INFINITY
  let setBy: unknown
  const arm = () => {
    const at = next()
    // A timer that fake timers have set never rings after they are gone.
    const rings = setBy === globalThis.setTimeout
    if (rings && at >= timerAt && at !== Number.POSITIVE_INFINITY) return
    clearTimeout(timer)
    timerAt = at
    setBy = globalThis.setTimeout
    const delayMs = Math.min(Math.max(at - passed(), 0), longestDelayMs)
    timer = at === Number.POSITIVE_INFINITY ? undefined : unref(setTimeout(expire, delayMs))
  }
  const expire = () => {
    timerAt = Number.POSITIVE_INFINITY
    try {
      ring()
    } finally {
      arm()
    }
  }
  return {
    arm,
    rearm() {
      timerAt = Number.POSITIVE_INFINITY
      arm()
    },
  }
}

/** A waiting world must not keep the process alive. Browsers' timers are numbers and have nothing to unref. */
function unref(timer: ReturnType<typeof setTimeout>): ReturnType<typeof setTimeout> {
  if (typeof timer === 'object') timer.unref()
  return timer
}
