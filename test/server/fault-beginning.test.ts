import { describe, expect, it } from 'vitest'
import type { FaultEntry } from '../../src/contract/faults.js'
import { createMockmaker } from '../../src/index.js'
import { WorldFaults } from '../../src/server/faults.js'
import { list } from '../support/faults.js'
import { tanks } from '../support/tanks.js'
import { live } from '../support/worlds.js'

/** The faults of a world of tanks that begins with some. */
function begun(faults: readonly FaultEntry[], chance?: WorldFaults['chance']) {
  const world = live(createMockmaker({ scenario: tanks }).world)
  const all = new WorldFaults(world)
  all.begin(faults, chance)
  const strike = () => all.strike({ ...list, headers: {} })?.fault.id
  return { world, all, strike }
}

const reset = { effect: { reset: true } } as const
const times = (count: number, strike: () => string | undefined) => Array.from({ length: count }, strike)

describe('faults that a world begins with', () => {
  it('are numbered from 1, and come back on a reset', () => {
    const { all, strike } = begun([{ ...reset, times: 1 }, reset])
    const first = times(2, strike)
    all.remove('2')
    all.add(reset)

    all.reset()

    expect([first, times(2, strike), all.list().map(({ id }) => id)]).toEqual([
      ['1', '2'],
      ['1', '2'],
      ['1', '2'],
    ])
  })

  it('go on where they were: what is listed can be given back', async () => {
    const { all, world, strike } = begun([
      { ...reset, times: 3, after: 2 },
      { ...reset, after: '5s', for: '10s' },
      { ...reset, after: 4, for: '10s' },
      { effect: { hold: true }, chance: 0.5 },
    ])
    all.remove('2')
    all.add({ ...reset, after: '5s', for: '10s' })
    times(4, strike)
    await world.clock.advance(7_000)
    const saved = all.list()
    const again = new WorldFaults(world)
    again.begin(saved, all.chance)

    const both = [again, all].map(one => {
      const struck = times(20, () => one.strike({ ...list, headers: {} })?.fault.id)
      return { struck, list: one.list(), next: one.add(reset).id }
    })

    expect(saved).toMatchObject([{ id: '1', matched: 4, struck: 2 }, { id: '3' }, { id: '4' }, { id: '5' }])
    expect(both[0]).toEqual(both[1])
    expect(both[0]?.next).toBe('6')
  })

  it('keep their age on each reset, whatever the clock shows by then', async () => {
    const aged = { ...reset, for: '10s', id: '1', added_at: '2026-11-20T19:59:55.000Z' }
    const { all, world, strike } = begun([aged])
    await world.clock.advance(60_000)
    const over = strike()

    all.reset()
    const [anew] = times(1, strike)
    await world.clock.advance(4_999)
    const late = strike()
    await world.clock.advance(1)

    expect([over, anew, late, strike()]).toEqual([undefined, '1', '1', undefined])
  })

  it('draw the same from the seed after a reset', () => {
    const { all, strike } = begun([{ ...reset, chance: 0.5 }])
    const first = times(50, strike)

    all.reset()

    expect(times(50, strike)).toEqual(first)
  })

  it('may not have one id twice, by the scenario', () => {
    const fault = { id: '7', effect: { reset: true } } as const

    expect(() => createMockmaker({ scenario: { faults: [fault, fault] } })).toThrow('faults[1].id is "7"')
  })

  it('begin where more have matched than had to pass', () => {
    const { strike } = begun([{ ...reset, after: 2, matched: 5 }])

    expect(times(2, strike)).toEqual([undefined, '1'])
  })

  it('are numbered beyond those that have their ids', () => {
    const { all } = begun([reset, { ...reset, id: '7' }, reset])

    expect(all.list().map(({ id }) => id)).toEqual(['8', '7', '9'])
  })
})
