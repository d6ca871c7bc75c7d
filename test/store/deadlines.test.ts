import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { type Deadline, Deadlines } from '../../src/store/deadlines.js'

type Step = { readonly add: number } | { readonly remove: number } | 'take'
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ add: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.record({ remove: fc.nat() }) },
  { weight: 1, arbitrary: fc.constant('take' as const) },
)

describe('deadlines', () => {
  it.prop([fc.array(step, { maxLength: 200 })])('do as a list would that is sorted after each step', steps => {
    const deadlines = new Deadlines()
    const added: Deadline[] = []
    const kept: Deadline[] = []

    for (const step of steps) {
      if (step === 'take') {
        const first = deadlines.first()
        if (first) deadlines.remove(first)
        kept.shift()
      } else if ('add' in step) {
        const deadline = deadlines.add({ at: step.add, due: () => {} })
        added.push(deadline)
        kept.push(deadline)
        // Sorting keeps the order of what is equal.
        kept.sort((a, b) => a.at - b.at)
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
    const deadlines = new Deadlines()
    const added = times.map(at => deadlines.add({ at, due: () => {} }))

    const taken = added.map(() => {
      const first = deadlines.first() as Deadline
      deadlines.remove(first)
      return added.indexOf(first)
    })

    const sorted = times.map((at, i) => ({ at, i })).sort((a, b) => a.at - b.at || a.i - b.i)
    expect(taken).toEqual(sorted.map(({ i }) => i))
  })

  it.prop([fc.array(fc.tuple(fc.integer({ min: 0, max: 999 }), fc.boolean()), { minLength: 20, maxLength: 60 })], {
    numRuns: 500,
  })('come out in order also when some have left from their midst', entries => {
    const deadlines = new Deadlines()
    const added = entries.map(([at, leaves]) => ({ leaves, deadline: deadlines.add({ at, due: () => {} }) }))
    for (const { leaves, deadline } of added) if (leaves) deadlines.remove(deadline)
    const staying = added.filter(({ leaves }) => !leaves)

    const taken = staying.map(() => {
      const first = deadlines.first() as Deadline
      deadlines.remove(first)
      return first.at
    })

    expect(taken).toEqual(staying.map(({ deadline }) => deadline.at).sort((a, b) => a - b))
  })
})
