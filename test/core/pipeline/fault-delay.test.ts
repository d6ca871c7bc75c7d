import { describe, expect, it } from 'vitest'
import type { FaultDelay } from '../../../src/core/contract/faults.js'
import { drawDelay } from '../../../src/core/pipeline/faults.js'
import { Random } from '../../../src/core/store/random.js'

/** Returns 10,000 delays, shortest first. */
function drawn(delay: FaultDelay, seed = 7): number[] {
  const random = new Random(seed, 'faults')
  return Array.from({ length: 10_000 }, () => drawDelay(delay, () => random)).toSorted((a, b) => a - b)
}

const quantile = (delays: readonly number[], part: number) => delays[Math.floor(delays.length * part)] ?? 0

describe('a delay', () => {
  it('of one duration is always exact, and draws no random number', () => {
    const chance = () => {
      throw new Error('drawn')
    }

    expect(drawDelay('1.5s', chance)).toBe(1_500)
  })

  it('of a range includes both ends, and is uniform', () => {
    const delays = drawn({ min: '100ms', max: '109ms' })

    const counts = Array.from({ length: 10 }, (_, i) => delays.filter(ms => ms === 100 + i).length)
    expect(counts.reduce((sum, count) => sum + count)).toBe(10_000)
    for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150)
  })

  it.each([
    ['100ms', '400ms'],
    ['2s', '3s'],
    ['50ms', '10s'],
  ])('with a median of %s and a p95 of %s follows that distribution', (median, p95) => {
    const delays = drawn({ median, p95 })

    const [wantedMedian, wantedP95] = [drawDelay(median, never), drawDelay(p95, never)]
    expect(Math.abs(quantile(delays, 0.5) / wantedMedian - 1)).toBeLessThan(0.05)
    expect(Math.abs(quantile(delays, 0.95) / wantedP95 - 1)).toBeLessThan(0.1)
    expect(delays.every(ms => Number.isInteger(ms) && ms >= 0)).toBe(true)
  })

  it('whose median equals its p95 is always the same', () => {
    expect(new Set(drawn({ median: '300ms', p95: '300ms' }))).toEqual(new Set([300]))
  })

  it('repeats with the same seed, and differs with another', () => {
    const delay = { median: '1s', p95: '9s' }

    expect(drawn(delay)).toEqual(drawn(delay))
    expect(drawn(delay)).not.toEqual(drawn(delay, 8))
  })
})

const never = (): never => {
  throw new Error('a plain duration draws nothing')
}
