import { fc, it } from '@fast-check/vitest'
import { beforeEach, describe, expect, vi } from 'vitest'
import { LiveClock } from '../../../src/core/store/clock.js'

// A clock stops after 20 ms of real time to let other work run. On a busy machine, synchronous tests would see that.
vi.hoisted(() => {
  performance.now = () => 0
})

const startAt = 1_700_000_000_000
const dayMs = 86_400_000

beforeEach(() => void vi.useFakeTimers({ now: 5_000 }))
const running = () => new LiveClock({ mode: 'running', now: startAt })

describe('a running clock', () => {
  it('starts at the real time', () => {
    expect(new LiveClock().now()).toBe(5_000)
  })

  it('runs its timers after a fake setTimeout has lost one', () => {
    const clock = running()
    clock.after(100, () => {})
    vi.useRealTimers()
    vi.useFakeTimers({ now: 5_000 })
    const callback = vi.fn()

    clock.after(200, callback)
    vi.advanceTimersByTime(200)

    expect(callback).toHaveBeenCalledOnce()
  })

  it.prop([fc.array(fc.nat(2000)), fc.array(fc.integer({ min: 1, max: 400 }))])(
    'runs each timer at its time, in order, in steps of any length',
    (delays, steps) => {
      const clock = running()
      const rung: number[] = []
      for (const ms of delays) clock.after(ms, () => void rung.push(clock.now() - startAt))

      for (const ms of steps) vi.advanceTimersByTime(ms)

      const passed = steps.reduce((sum, ms) => sum + ms, 0)
      // setTimeout treats a delay of 0 as 1.
      const due = delays.filter(ms => Math.max(ms, 1) <= passed).sort((a, b) => a - b)
      vi.clearAllTimers()
      expect(rung.map(at => (at === 1 ? 0 : at))).toEqual(due.map(at => (at === 1 ? 0 : at)))
    },
  )

  it('runs a timer beyond the longest delay of setTimeout', () => {
    const clock = running()
    const callback = vi.fn()
    clock.after(30 * dayMs, callback)

    vi.advanceTimersByTime(30 * dayMs - 1)
    const before = callback.mock.calls.length
    vi.advanceTimersByTime(1)

    expect([before, callback.mock.calls.length]).toEqual([0, 1])
  })

  it('runs the other timers when a callback throws', () => {
    const clock = running()
    const callback = vi.fn()
    clock.after(10, () => {
      throw new Error('a bug of a callback')
    })
    clock.after(10, callback)
    clock.after(20, callback)

    expect(() => vi.advanceTimersByTime(10)).toThrow('a bug of a callback')
    vi.advanceTimersByTime(10)

    expect(callback).toHaveBeenCalledTimes(2)
  })
})
