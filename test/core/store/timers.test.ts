import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { type Timer, TimerQueue } from '../../../src/core/store/timers.js'

type Step = { readonly add: number } | { readonly remove: number } | 'take'
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat() }) },
  { weight: 1, arbitrary: fc.constant('take' as const) },
)

describe('a queue of timers', () => {
  it.prop([fc.array(step, { maxLength: 200 })])('behaves like a list that is sorted after each step', steps => {
    const timers = new TimerQueue()
    const added: Timer[] = []
    const kept: Timer[] = []

    for (const step of steps) {
      if (step === 'take') {
        const first = timers.first()
        if (first) timers.remove(first)
        kept.shift()
      } else if ('add' in step) {
        const timer = timers.add({ at: step.add, run: () => {} })
        added.push(timer)
        kept.push(timer)
        // Sorting is stable.
        kept.sort((a, b) => a.at - b.at)
      } else if (added.length > 0) {
        const removed = added[step.remove % added.length] as Timer
        if (kept.includes(removed)) kept.splice(kept.indexOf(removed), 1)
        timers.remove(removed)
      }
      expect([timers.first(), timers.size]).toEqual([kept[0], kept.length])
      expect(timers.first()).toBe(kept[0])
    }
  })

  it.prop([fc.array(fc.nat(9))])(
    'returns the earliest first, and those of one time in the order of their creation',
    times => {
      const timers = new TimerQueue()
      const added = times.map(at => timers.add({ at, run: () => {} }))

      const taken = added.map(() => {
        const first = timers.first() as Timer
        timers.remove(first)
        return added.indexOf(first)
      })

      const sorted = times.map((at, i) => ({ at, i })).sort((a, b) => a.at - b.at || a.i - b.i)
      expect(taken).toEqual(sorted.map(({ i }) => i))
    },
  )

  it.prop([fc.array(fc.tuple(fc.integer({ min: 0, max: 999 }), fc.boolean()), { minLength: 20, maxLength: 60 })], {
    numRuns: 500,
  })('stays in order when some are removed from the middle', entries => {
    const timers = new TimerQueue()
    const added = entries.map(([at, leaves]) => ({ leaves, timer: timers.add({ at, run: () => {} }) }))
    for (const { leaves, timer } of added) if (leaves) timers.remove(timer)
    const staying = added.filter(({ leaves }) => !leaves)

    const taken = staying.map(() => {
      const first = timers.first() as Timer
      timers.remove(first)
      return first.at
    })

    expect(taken).toEqual(staying.map(({ timer }) => timer.at).sort((a, b) => a - b))
  })
})
