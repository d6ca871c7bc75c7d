import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { flatMapInSteps, forEachInSteps, runAtOnce, type Steps, sortInSteps } from '../../src/lib/steps.js'

/** Returns the result of steps, and the number of stops between them. */
function stopped<Result>(steps: Steps<Result>) {
  for (let stops = 0; ; stops += 1) {
    const { done, value } = steps.next()
    if (done) return { stops, result: value }
  }
}

const numbers = (length: number) => Array.from({ length }, (_, i) => i)

describe('a loop in steps', () => {
  it('runs for each item with its index, in order', () => {
    const seen: [string, number][] = []

    runAtOnce(forEachInSteps(['a', 'b'], (item, i) => void seen.push([item, i])))

    expect(seen).toEqual([
      ['a', 0],
      ['b', 1],
    ])
  })

  it('stops now and then, however many items there are', () => {
    const stopsFor = (length: number) => stopped(forEachInSteps(numbers(length), () => {})).stops

    expect(stopsFor(10)).toBe(0)
    expect(stopsFor(10_000)).toBeGreaterThan(50)
  })

  it('takes items that it adds itself', () => {
    const items = [1, 2]

    runAtOnce(forEachInSteps(items, item => void (item < 300 && items.push(item * 2))))

    expect(items.at(-1)).toBe(512)
  })

  it('joins lists in order', () => {
    const { result, stops } = stopped(flatMapInSteps(numbers(500), i => (i % 2 === 0 ? [i, -i] : [])))

    expect(result).toEqual(numbers(500).flatMap(i => (i % 2 === 0 ? [i, -i] : [])))
    expect(stops).toBeGreaterThan(3)
  })
})

describe('a sort in steps', () => {
  interface Item {
    readonly key: number
    readonly at: number
  }
  const byKey = (one: Item, other: Item) => one.key - other.key

  property.prop([fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 1, max: 5_000 })], { numRuns: 20 })(
    'gives what toSorted gives: equal items keep their order',
    (length, keys) => {
      const items = numbers(length).map((at): Item => ({ key: (at * 7_919) % keys, at }))

      const { result, stops } = stopped(sortInSteps(items, byKey))

      expect(result).toEqual(items.toSorted(byKey))
      expect(stops).toBe(length <= 8_192 ? 0 : Math.ceil(length / 8_192))
    },
  )
})
