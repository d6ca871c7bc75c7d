import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { draftOf, frozenCopy } from '../../src/store/json-copy.js'

const json = fc.jsonValue({ maxDepth: 6 })

/** A value and all that it holds. */
function within(value: unknown): object[] {
  return typeof value === 'object' && value !== null ? [value, ...Object.values(value).flatMap(within)] : []
}

describe('a frozen copy', () => {
  it.prop([json])('is the same JSON to the byte', value => {
    expect(JSON.stringify(frozenCopy(value))).toBe(JSON.stringify(value))
  })

  it.prop([json])('is frozen in all its depth', value => {
    expect(within(frozenCopy(value)).every(Object.isFrozen)).toBe(true)
  })

  it.prop([json])('leaves what it copies as it was', value => {
    frozenCopy(value)

    expect(within(value).some(Object.isFrozen)).toBe(false)
  })

  it('is frozen also within what was frozen, but not in all its depth', () => {
    const copy = frozenCopy(Object.freeze({ inner: { map: 'dust' } }))

    expect(Object.isFrozen(copy.inner)).toBe(true)
  })

  it('keeps keys named __proto__ and constructor', () => {
    const text = '{"__proto__":{"admin":true},"constructor":{"a":1}}'

    expect(JSON.stringify(frozenCopy(JSON.parse(text)))).toBe(text)
  })

  it('leaves out a key whose value is undefined', () => {
    expect(Object.keys(frozenCopy({ here: 1, absent: undefined }))).toEqual(['here'])
  })
})

describe('a draft', () => {
  it.prop([json])('is the same JSON to the byte', value => {
    expect(JSON.stringify(draftOf(value))).toBe(JSON.stringify(value))
  })

  it.prop([json])('may be changed in all its depth, and leaves what it copies as it was', value => {
    const frozen = frozenCopy(value)
    const text = JSON.stringify(frozen)

    for (const inner of within(draftOf(frozen))) Object.assign(inner, { 0: 'changed' })

    expect(JSON.stringify(frozen)).toBe(text)
  })
})
