import { describe, expect, it, vi } from 'vitest'
import { list, mockWithFaults } from '../../support/faults.js'
import { ask } from '../../support/http.js'
import { tanks } from '../../support/tanks.js'
import { isBusy } from '../../support/worlds.js'

describe('a delay on a running clock', () => {
  const running = { scenario: { ...tanks, clock: 'running' } } as const

  it('follows fake timers, and leaves none', async () => {
    vi.useFakeTimers()
    const { mock, world } = mockWithFaults([{ effect: { delay: '300ms' } }], running)
    const answer = ask(mock, list)

    await vi.advanceTimersByTimeAsync(299)
    const before = isBusy(mock)
    await vi.advanceTimersByTimeAsync(1)

    expect([before, (await answer).status, isBusy(mock), world.clock.pending]).toEqual([true, 200, false, 0])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is logged with its own length if a timer of the platform is late', async () => {
    vi.useFakeTimers()
    const { mock, records } = mockWithFaults([{ effect: { delay: '300ms' } }], running)
    const answer = ask(mock, list)

    vi.setSystemTime(Date.now() + 5_000)
    await vi.advanceTimersByTimeAsync(300)
    await answer

    expect(records).toMatchObject([{ faultEffect: 'delayed 300 ms' }])
  })
})
