import { isIPv6 } from 'node:net'
import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { latestMs } from '../../../src/core/lib/time.js'
import { addressOf } from '../../../src/core/simulation/simulated-players.js'
import { simulationStepMs } from '../../../src/core/store/matchmaker-rows.js'

// A step in four bytes suffices until the year 2650.
const step = fc.oneof(fc.nat(0xffffffff), fc.constantFrom(0, 0xffff, 0x10000))
const nth = fc.oneof(fc.nat(200_000), fc.constantFrom(0, 0xfffe, 0xffff, 0x10000))

describe('the address of a simulated player', () => {
  it.prop([step, nth, nth], { numRuns: 1000 })('is different for each player of a step', (step, one, other) => {
    const [here, there] = [one, other].map(nth => addressOf(step * simulationStepMs, nth))

    expect([here, there].map(address => isIPv6(address ?? ''))).toEqual([true, true])
    expect(here === there).toBe(one === other)
  })

  it.prop([step, step, nth], { numRuns: 1000 })('is different in each step', (one, other, nth) => {
    const [here, there] = [one, other].map(step => addressOf(step * simulationStepMs, nth))

    expect(here === there).toBe(one === other)
  })

  it('is valid even at the last time of a Date', () => {
    expect(isIPv6(addressOf(latestMs, 0))).toBe(true)
  })
})
