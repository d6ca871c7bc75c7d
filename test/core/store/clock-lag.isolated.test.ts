import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

// Clocks take `performance.now` when their module loads.
const performanceNow = performance.now
const real = { ms: 0 }
performance.now = () => real.ms
vi.resetModules()
const clocks = await import('../../../src/core/store/clock.js')

afterAll(() => {
  performance.now = performanceNow
  vi.resetModules()
})

const startAt = 1_700_000_000_000

beforeEach(() => void vi.useFakeTimers({ now: 5_000, toFake: ['Date', 'setTimeout', 'clearTimeout'] }))

/** Lets real time pass, in ms. No timer fires. */
function pass(ms: number): void {
  real.ms += ms
  vi.setSystemTime(Date.now() + ms)
}

/** Returns a clock with a job in each second of its world, which takes so many real ms, and the number of those that ran. */
function busyClock({ rate, msOf = () => 30 }: { readonly rate: number; msOf?(job: number): number }) {
  const clock = new clocks.LiveClock({ mode: 'running', rate, now: startAt })
  const ran = { jobs: 0 }
  onTestFinished(() => clock.runJobs(undefined))
  clock.runJobs({
    nextAt: () => startAt + (ran.jobs + 1) * 1_000,
    runNext() {
      clock.pin(startAt + (ran.jobs + 1) * 1_000)
      ran.jobs += 1
      pass(msOf(ran.jobs))
      clock.unpin()
    },
  })
  return { clock, ran }
}

describe('a clock whose jobs are overdue', () => {
  it('stands still as soon as it is frozen', async () => {
    const { clock, ran } = busyClock({ rate: 1_000 })
    pass(1_000)
    const rest = clock.catchUp()
    await clock.set({ mode: 'frozen' })
    const before = [clock.now(), ran.jobs]

    await rest

    expect(before[0]).toBeLessThan(startAt + 100_000)
    expect([clock.now(), ran.jobs]).toEqual(before)
  })

  it('advances from the time that it shows', async () => {
    const { clock } = busyClock({ rate: 10 })
    pass(10_000)
    await clock.set({ mode: 'frozen' })
    const now = clock.now()
    await clock.advance(5_000)

    expect(clock.now()).toBe(now + 5_000)
  })

  it('does not go back when it is frozen while a timer is overdue', async () => {
    const clock = new clocks.LiveClock({ mode: 'running', now: startAt })
    clock.after(100, () => {})
    pass(10_000)
    const before = [clock.now(), clock.elapsed()]
    await clock.set({ mode: 'frozen' })

    expect([clock.now(), clock.elapsed()]).toEqual(before)
  })

  it('is slower than its rate if that is too fast for them, and nobody waits long', async () => {
    const { clock } = busyClock({ rate: 1_000 })
    pass(1_000)
    const before = Date.now()

    await clock.catchUp()
    const first = clock.now()
    await clock.catchUp()

    expect(Date.now() - before).toBeLessThan(2_000)
    expect(first).toBeGreaterThan(startAt + 10_000)
    expect(clock.now()).toBeGreaterThan(first)
  })

  it.each([1, 10])('runs all of them at rate %i if it can catch up', async rate => {
    const { clock } = busyClock({ rate })
    pass(1_000_000 / rate)

    await clock.catchUp()

    expect(clock.now()).toBeGreaterThanOrEqual(startAt + 1_000_000)
  })

  it('keeps the remaining time of a timer when it is restored', () => {
    const { clock } = busyClock({ rate: 1 })
    let rung = 0
    clock.after(5_000, () => {
      rung += 1
    })
    pass(60_000)
    // It shows the time of the first job, a second after the start.
    clock.restore({ mode: 'running', rate: 1, now: startAt })
    clock.runJobs(undefined)
    const counts = [3_999, 1].map(ms => {
      pass(ms)
      void clock.catchUp()
      return rung
    })

    expect(counts).toEqual([0, 1])
  })

  it.each(['running', 'frozen'] as const)('runs no job of the state that it is restored to: %s', async mode => {
    const { clock, ran } = busyClock({ rate: 1 })
    pass(60_000)
    const rest = clock.catchUp()
    clock.restore({ mode, rate: 1, now: startAt })
    const before = ran.jobs
    clock.runJobs({ nextAt: () => startAt + 5_000, runNext: () => expect.unreachable() })
    await rest

    expect(before).toBeLessThan(60)
    expect(clock.now()).toBe(startAt)
  })
})
