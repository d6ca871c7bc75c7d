import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { createDeadlines, type Deadline } from '../../src/store/deadlines.js'

type Step = { readonly add: number } | { readonly remove: number } | 'take'
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat() }) },
  { weight: 1, arbitrary: fc.constant('take' as const) },
)

describe('deadlines', () => {
  it.prop([fc.array(step, { maxLength: 200 })])('do as a list would that is sorted after each step', steps => {
    const deadlines = createDeadlines()
    const added: Deadline[] = []
    const kept: Deadline[] = []

    for (const step of steps) {
      if (step === 'take') {
        const first = deadlines.first()
        if (first) deadlines.remove(first)
        kept.shift()
      } else if ('add' in step) {
        const deadline = { at: step.add, alarm: () => {} }
        added.push(deadline)
        kept.push(deadline)
        // Sorting keeps the order of what is equal.
        kept.sort((a, b) => a.at - b.at)
        deadlines.add(deadline)
      } else if (added.length > 0) {
        const removed = added[step.remove % added.length] as Deadline
        if (kept.includes(removed)) kept.splice(kept.indexOf(removed), 1)
        deadlines.remove(removed)
      }
      expect([deadlines.first(), deadlines.size]).toEqual([kept[0], kept.length])
      expect(deadlines.first()).toBe(kept[0])
    }
  })

  it.prop([fc.array(fc.nat(9))])('come out earliest first, those of one time as they were added', times => {
    const deadlines = createDeadlines()
    const added = times.map(at => ({ at, alarm: () => {} }))
    for (const deadline of added) deadlines.add(deadline)

    const taken = added.map(() => {
      const first = deadlines.first() as Deadline
      deadlines.remove(first)
      return added.indexOf(first as (typeof added)[number])
    })

    const sorted = times.map((at, i) => ({ at, i })).sort((a, b) => a.at - b.at || a.i - b.i)
    expect(taken).toEqual(sorted.map(({ i }) => i))
  })

  it.prop([fc.array(fc.tuple(fc.integer({ min: 0, max: 999 }), fc.boolean()), { minLength: 20, maxLength: 60 })], {
    numRuns: 500,
  })('come out in order also when some have left from their midst', entries => {
    const deadlines = createDeadlines()
    const added = entries.map(([at, leaves]) => ({ at, leaves, alarm: () => {} }))
    for (const deadline of added) deadlines.add(deadline)
    for (const deadline of added) if (deadline.leaves) deadlines.remove(deadline)
    const staying = added.filter(({ leaves }) => !leaves)

    const taken = staying.map(() => {
      const first = deadlines.first() as Deadline
      deadlines.remove(first)
      return first.at
    })

    expect(taken).toEqual(staying.map(({ at }) => at).sort((a, b) => a - b))
  })
})
