import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { setRealTimeOffset } from '../../../src/core/store/real-time.js'
import { createMockmaker } from '../../../src/index.js'

const start = Date.parse('2026-11-20T20:00:00Z')
const hour = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ now: start, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
})

afterEach(() => {
  setRealTimeOffset(0)
  vi.useRealTimers()
})

describe('the real time of worlds', () => {
  it('is that of a server, if that is ahead', () => {
    setRealTimeOffset(hour)

    expect(createMockmaker().clock.now()).toBe(start + hour)
  })

  it('goes on if the server is found to be ahead, and never back', () => {
    const { clock } = createMockmaker()
    const seen: number[] = []
    for (const offset of [0, 5, 2, 2, -3]) {
      setRealTimeOffset(offset)
      vi.advanceTimersByTime(1)
      seen.push(clock.now() - start)
    }

    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(seen[1]).toBe(7)
  })

  it('is where a reset without a time begins', async () => {
    const mock = createMockmaker()
    setRealTimeOffset(hour)

    await mock.reset()

    expect(mock.clock.now()).toBe(start + hour)
  })
})
