import { fc, it } from '@fast-check/vitest'
import { afterAll, afterEach, beforeEach, describe, expect, vi } from 'vitest'

type Callback = () => void

/** The real time of this file, which only `pass` moves, and its timers. */
const platform = { ms: 5_000, timers: new Map<object, { readonly at: number; readonly run: Callback }>() }
const loaded = {
  Date: Object.assign(function Loaded() {}, { now: () => platform.ms, parse: Date.parse }),
  setTimeout(run: Callback, ms: number) {
    const timer = { unref: () => timer }
    platform.timers.set(timer, { at: platform.ms + Math.max(1, ms), run })
    return timer
  },
  clearTimeout: (timer: object) => void platform.timers.delete(timer),
}

/** Lets real time pass, in ms. */
function pass(ms: number): void {
  for (const until = platform.ms + ms; platform.ms < until; ) {
    platform.ms += 1
    for (const [timer, { at, run }] of [...platform.timers]) {
      if (at > platform.ms || !platform.timers.delete(timer)) continue
      run()
    }
  }
}

// Modules take the globals when they load.
const own = { Date, setTimeout, clearTimeout }
const performanceNow = performance.now
const restore = () => Object.assign(globalThis, own)
performance.now = () => platform.ms
Object.assign(globalThis, loaded)
vi.resetModules()
const { LiveClock } = await import('../../../src/core/store/clock.js').finally(restore)
performance.now = performanceNow

beforeEach(() => void Object.assign(globalThis, loaded))
afterEach(() => {
  restore()
  platform.timers.clear()
})
afterAll(() => void vi.resetModules())

const startAt = 1_700_000_000_000
const broken = () => {
  throw new Error('a stub')
}

/** Ways to replace `Date`, and whether its time still passes. */
const dates = {
  'as it is': { replace() {}, passes: true },
  frozen: { replace: () => dateWith(() => frozenAt), passes: false },
  'frozen in the past': { replace: () => dateWith(() => 1), passes: false },
  'moved to another year': { replace: () => dateWith(() => loaded.Date.now() - 800_000_000_000), passes: true },
  'without a number': { replace: () => dateWith(() => Number.NaN), passes: true },
  'with a text': { replace: () => dateWith(() => 'now'), passes: true },
  'without now': { replace: () => dateWith(undefined), passes: true },
  throwing: { replace: () => dateWith(broken), passes: true },
  missing: { replace: () => Object.assign(globalThis, { Date: undefined }), passes: true },
} as const

const frozenAt = 1_000_000_000

const dateWith = (now: unknown) => Object.assign(globalThis, { Date: Object.assign(() => 'a stub', { now }) })

/** Ways to replace `setTimeout`, and whether that fires when its time has passed. */
const timers = {
  'as it is': { replace() {}, fires: true },
  'spied on': { replace: () => timerWith((run, ms) => loaded.setTimeout(run, ms)), fires: true },
  'firing at once': { replace: () => timerWith(run => void run()), fires: true },
  'firing in the next ms': { replace: () => timerWith(run => loaded.setTimeout(run, 1)), fires: true },
  'firing ten times too early': { replace: () => timerWith((run, ms) => loaded.setTimeout(run, ms / 10)), fires: true },
  'firing twice': {
    replace: () => timerWith((run, ms) => [loaded.setTimeout(run, ms / 2), loaded.setTimeout(run, ms)]),
    fires: true,
  },
  'never firing': { replace: () => timerWith(() => 0), fires: false },
  throwing: { replace: () => timerWith(broken), fires: true },
  missing: { replace: () => Object.assign(globalThis, { setTimeout: undefined }), fires: true },
} as const

const timerWith = (set: (run: Callback, ms: number) => unknown) =>
  Object.assign(globalThis, { setTimeout: set, clearTimeout: broken })

const ways = Object.keys(dates).flatMap(date =>
  Object.keys(timers).map(timer => [date, timer] as [keyof typeof dates, keyof typeof timers]),
)

describe.each(ways)('with Date %s and setTimeout %s', (date, timer) => {
  const { passes } = dates[date]
  // Fake timers do just that: they replace both, and fire when the test says so.
  const isFake = !passes && !timers[timer].fires
  // A wait does not know how long one before it has waited, if neither says so.
  const isExact = passes || timer === 'as it is'

  it.prop([fc.array(fc.record({ after: fc.nat(100), ms: fc.integer({ min: 1, max: 100 }) }), { maxLength: 4 })], {
    numRuns: 3,
  })('a wait ends when its real time has passed, not before, and the world has the time of Date', delays => {
    const clock = { pending: 0, passedMs: 0 }
    const lateMs: number[] = []
    try {
      Object.assign(globalThis, loaded)
      dates[date].replace()
      timers[timer].replace()
      const live = new LiveClock({ mode: 'running', now: startAt })
      for (let ms = 0; ms < 500; ms++) {
        for (const delay of delays)
          if (delay.after === ms) {
            const endsAt = loaded.Date.now() + delay.ms
            live.after(delay.ms, () => void lateMs.push(loaded.Date.now() - endsAt))
          }
        pass(1)
      }
      Object.assign(clock, { pending: live.pending, passedMs: live.now() - startAt })
    } finally {
      restore()
      platform.timers.clear()
    }

    expect(clock).toEqual({ pending: isFake ? delays.length : 0, passedMs: passes ? 500 : 0 })
    expect(lateMs.filter(ms => ms < -2 || (isExact && ms > 4))).toEqual([])
  })
})

describe('while Date stands still', () => {
  it('a wait ends although a job is due before it, which waits for Date', () => {
    dateWith(() => frozenAt)
    const clock = new LiveClock({ mode: 'running', now: startAt })
    const job = vi.fn()
    clock.runJobs({
      nextAt: () => (job.mock.calls.length === 0 ? startAt + 10 : Number.POSITIVE_INFINITY),
      runNext: job,
    })
    const ended = vi.fn()
    clock.after(30, ended)

    pass(100)
    const before = [ended.mock.calls.length, job.mock.calls.length]
    dateWith(() => frozenAt + 20)
    pass(100)

    expect([before, job.mock.calls.length]).toEqual([[1, 0], 1])
  })

  it.each([
    ['back', -3_600_000, 0],
    ['forward', 3_600_000, 3_600_000],
  ])('or is set %s and then frozen, a wait that has begun ends by real time', (_, byMs, passedMs) => {
    const clock = new LiveClock({ mode: 'running', now: startAt })
    const ended = vi.fn()
    clock.after(30, ended)
    const now = loaded.Date.now() + byMs
    dateWith(() => now)
    const seen = clock.now() - startAt

    pass(32)

    expect([seen, ended.mock.calls.length]).toEqual([passedMs, 1])
  })

  it('a frozen clock stands still too, and one that is set to run goes on', async () => {
    const clock = new LiveClock({ mode: 'frozen', now: startAt })
    const ended = vi.fn()
    clock.after(30, ended)
    dates.frozen.replace()
    pass(1_000)
    const before = ended.mock.calls.length
    await clock.set({ mode: 'running' })

    const counts = [25, 10].map(ms => {
      pass(ms)
      return ended.mock.calls.length
    })

    expect([before, counts]).toEqual([0, [0, 1]])
  })
})
