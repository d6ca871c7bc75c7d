import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { sameJson } from '../../src/store/same-json.js'

const json = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc
    .json({ depthSize: 'small', stringUnit: fc.constantFrom('a', 'b', '__proto__', 'constructor') })
    .map(text => JSON.parse(text)),
)

describe('two values are the same JSON', () => {
  it.prop([json, json])('exactly where their texts are the same', (one, other) => {
    expect(sameJson(one, other)).toBe(JSON.stringify(one) === JSON.stringify(other))
  })

  it.prop([json])('where one is a copy of the other', value => {
    expect(sameJson(value, JSON.parse(JSON.stringify(value)))).toBe(true)
  })
})
