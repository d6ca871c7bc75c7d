import { describe, expect, it } from 'vitest'
import type { FaultEntry } from '../../../src/core/contract/faults.js'
import { mockOf } from '../../../src/core/mock/facade.js'
import { createMockmaker, type Mockmaker, type ScenarioInput } from '../../../src/index.js'
import { list } from '../../support/faults.js'
import { tanks } from '../../support/tanks.js'

/** A mock of tanks with faults. `strike` returns the id of the fault that applies to a request. */
function createMock(faults: readonly FaultEntry[]) {
  return withStrikes(createMockmaker({ scenario: { ...tanks, faults } as ScenarioInput }))
}

function withStrikes(mock: Mockmaker) {
  const { faults: all } = mockOf(mock, 'test').default
  const strike = () => all.select({ ...list, headers: {} }, () => ({ cause: { kind: 'code' } }))?.id
  return { mock, all, strike }
}

const reset = { effect: { reset: true } } as const
const times = (count: number, strike: () => string | undefined) => Array.from({ length: count }, strike)

describe('the faults of a scenario', () => {
  it('are numbered from 1, and return on a reset', async () => {
    const { mock, all, strike } = createMock([{ ...reset, times: 1 }, reset])
    const first = times(2, strike)
    all.remove('2')
    all.add(reset)

    await mock.reset()

    expect([first, times(2, strike), all.list().map(({ id }) => id)]).toEqual([
      ['1', '2'],
      ['1', '2'],
      ['1', '2'],
    ])
  })

  it('continue from the counters of a listed fault', async () => {
    const { all, mock, strike } = createMock([
      { ...reset, times: 3, after: 2 },
      { ...reset, after: '5s', for: '10s' },
      { ...reset, after: 4, for: '10s' },
      { effect: { hold: true }, chance: 0.5 },
    ])
    all.remove('2')
    all.add({ ...reset, after: '5s', for: '10s' })
    times(4, strike)
    await mock.clock.advance(7_000)
    const saved = all.list()
    const again = withStrikes(createMockmaker({ scenario: mock.snapshot({ with: ['faults'] }) }))

    const both = [again, { all, strike }].map(one => {
      const struck = times(20, one.strike)
      return { struck, list: one.all.list(), next: one.all.add(reset).id }
    })

    expect(saved).toMatchObject([{ id: '1', matched: 4, struck: 2 }, { id: '3' }, { id: '4' }, { id: '5' }])
    expect(both[0]).toEqual(both[1])
    expect(both[0]?.next).toBe('6')
  })

  it('keep their age on each reset, whatever time the clock shows', async () => {
    const aged = { ...reset, for: '10s', id: '1', added_at: '2026-11-20T19:59:55.000Z' }
    const { mock, strike } = createMock([aged])
    await mock.clock.advance(60_000)
    const over = strike()

    await mock.reset({ keep: ['clock'] })
    const [anew] = times(1, strike)
    await mock.clock.advance(4_999)
    const late = strike()
    await mock.clock.advance(1)

    expect([over, anew, late, strike()]).toEqual([undefined, '1', '1', undefined])
  })

  it('draw the same random numbers after a reset', async () => {
    const { mock, strike } = createMock([{ ...reset, chance: 0.5 }])
    const first = times(50, strike)

    await mock.reset()

    expect(times(50, strike)).toEqual(first)
  })

  it('may not have the same id twice', () => {
    const fault = { id: '7', effect: { reset: true } } as const

    expect(() => createMockmaker({ scenario: { faults: [fault, fault] } })).toThrow('faults[1].id is "7"')
  })

  it('start at once if `after` is already used up', () => {
    const { strike } = createMock([{ ...reset, after: 2, matched: 5 }])

    expect(times(2, strike)).toEqual([undefined, '1'])
  })

  it('do not share their ids with faults that are added later', () => {
    const { all } = createMock([reset, { ...reset, id: '7' }, reset])

    expect(all.list().map(({ id }) => id)).toEqual(['8', '7', '9'])
  })
})
