import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { simulate } from './simulated-replicas.js'

describe('a simulation of replicas', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval'] }))
  afterEach(() => void vi.useRealTimers())

  it('leaves no timer, which would keep its worlds in memory', async () => {
    const troubles = (['kill', 'leave', 'cut'] as const).map((kind, replica) => ({
      kind,
      at: 1_000,
      ms: 3_000,
      replica,
    }))
    const { calls } = await simulate({ seed: 1, troubles })

    expect(calls.length).toBeGreaterThan(100)
    expect(vi.getTimerCount()).toBe(0)
  })
})
