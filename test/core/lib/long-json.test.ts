import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { jsonBytes, jsonPieces } from '../../../src/core/lib/long-json.js'
import { runAtOnce } from '../../../src/core/lib/steps.js'

/** A value of any JSON many times, in lists and under keys, some of which are absent. */
const heavy = fc.tuple(fc.jsonValue(), fc.nat(2_000), fc.string()).map(([value, times, key]) => ({
  list: Array.from({ length: times }, (_, i) => (i % 3 === 0 ? undefined : value)),
  [key]: Object.fromEntries(Array.from({ length: times }, (_, i) => [`${key}${i}`, i % 3 === 0 ? undefined : [value]])),
  absent: undefined,
}))

describe('a long JSON text', () => {
  it.prop([heavy], { numRuns: inject('runs') })('is the one of JSON.stringify', value => {
    const text = JSON.stringify(value)

    expect(runAtOnce(jsonPieces(value)).join('')).toBe(text)
    expect(new TextDecoder().decode(runAtOnce(jsonBytes(value)))).toBe(text)
  })

  it('is written in steps of few values', () => {
    const steps = jsonBytes(Array.from({ length: 10_000 }, (_, i) => ({ i })))

    expect([...steps].length).toBeGreaterThan(10_000)
  })
})
