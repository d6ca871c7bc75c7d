import { fc, it } from '@fast-check/vitest'
import { beforeEach, describe, expect, vi } from 'vitest'
import { UsageError } from '../../../src/core/lib/messages.js'
import { LiveClock } from '../../../src/core/store/clock.js'

const startAt = 1_700_000_000_000

beforeEach(() => void vi.useFakeTimers({ now: 5_000 }))

const frozen = () => new LiveClock({ mode: 'frozen', now: startAt })
const running = () => new LiveClock({ mode: 'running', now: startAt })

describe('clock.advance', () => {
  it.prop([fc.array(fc.nat(50)), fc.nat(50)])(
    'runs the timers on the way in order, each at its time',
    async (delays, ms) => {
      const clock = frozen()
      const rung: [number, number][] = []
      for (const [i, delay] of delays.entries()) clock.after(delay, () => void rung.push([clock.now() - startAt, i]))

      await clock.advance(ms)

      const due = delays.map((delay, i): [number, number] => [delay, i]).filter(([delay]) => delay <= ms)
      const sorted = due.sort(([a, i], [b, j]) => a - b || i - j)
      expect([rung, clock.now(), clock.pending]).toEqual([sorted, startAt + ms, delays.length - due.length])
    },
  )

  it('rejects with the error of a callback, and works again afterwards', async () => {
    const clock = frozen()
    const callback = vi.fn()
    clock.after(5, () => {
      throw new Error('a bug of a callback')
    })
    clock.after(8, callback)

    const [failed] = await Promise.allSettled([clock.advance(10)])
    await clock.advance(10)

    expect([failed?.status, callback.mock.calls.length]).toEqual(['rejected', 1])
  })

  it.each(['advance', 'set'] as const)('stops at once when the signal of %s is aborted', async how => {
    const clock = frozen()
    const controller = new AbortController()
    const callback = vi.fn()
    clock.after(5, () => controller.abort(new Error('nobody waits')))
    clock.after(8, callback)

    const { signal } = controller
    const stopped = how === 'set' ? clock.set({ now: startAt + 10 }, { signal }) : clock.advance(10, { signal })

    await expect(stopped).rejects.toThrow('nobody waits')
    expect([clock.now(), callback.mock.calls.length]).toEqual([startAt + 5, 0])
    await expect(clock.advance(10, { signal })).rejects.toThrow('nobody waits')
    expect(clock.now()).toBe(startAt + 5)
    await clock.advance(5)
    expect([clock.now(), callback.mock.calls.length]).toEqual([startAt + 10, 1])
  })
})

describe('a timer of a clock', () => {
  it('does not run if it is cancelled', async () => {
    const clock = frozen()
    const callback = vi.fn()
    clock.cancel(clock.after(10, callback))

    await clock.advance(20)

    expect(callback).not.toHaveBeenCalled()
  })

  it('does not run if its time is beyond the last Date, and the clock keeps its time', async () => {
    const clock = frozen()

    const advance = clock.advance(8.64e15)

    await expect(advance).rejects.toThrow(
      new UsageError('clock.advance(8640000000000000): the latest time of a clock is +274760-09-13T12:00:00.000Z'),
    )
    expect(clock.now()).toBe(startAt)
  })

  it.each([
    ['frozen', frozen],
    ['running', running],
  ])('keeps its remaining time when a %s clock is reset', async (_mode, create) => {
    const clock = create()
    const callback = vi.fn()
    clock.after(10, callback)
    await clock.advance(6)

    clock.restore({ mode: clock.mode, rate: 1, now: startAt })
    await clock.advance(3)
    const before = callback.mock.calls.length
    await clock.advance(1)

    expect([before, callback.mock.calls.length, clock.now()]).toEqual([0, 1, startAt + 4])
  })
})
