import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { Json, record } from '../../../src/core/contract/formats.js'
import { exceededLimit, nestsWithin, textNestsWithin } from '../../../src/core/lib/json.js'

/** Counts the levels of objects and arrays. */
function levelsOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0
}

const encoder = new TextEncoder()
const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

describe('JSON', () => {
  it.prop([fc.jsonValue({ depthSize: 'large' }), fc.nat(6)])(
    'nests within the levels that it has, and no fewer',
    (value, levels) => {
      expect(nestsWithin(value, levels)).toBe(levelsOf(value) <= levels)
    },
  )

  it.prop([fc.json({ depthSize: 'large' }), fc.nat(6), fc.nat(2)])(
    'nests as deep as a text as it does as a value, with any strings',
    (text, levels, indent) => {
      const spaced = JSON.stringify({ '[{"\\': JSON.parse(text), b: ']}\\' }, undefined, indent)

      expect(textNestsWithin(encoder.encode(spaced), levels)).toBe(nestsWithin(JSON.parse(spaced), levels))
    },
  )

  it.prop([fc.json({ depthSize: 'large' }), fc.nat(12), fc.nat(2)])(
    'as a text has as many values as it has objects, arrays and commas outside of strings',
    (text, values, indent) => {
      const spaced = JSON.stringify({ '[{,\\"': JSON.parse(text), b: ']},\\' }, undefined, indent)
      const count = spaced.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').replaceAll(/[^[{,]/g, '').length

      const exceeded = exceededLimit(encoder.encode(spaced), { levels: 1_000, values })

      expect(exceeded).toBe(count > values ? 'values' : undefined)
    },
  )

  it('as a text is read only until it is too deep', () => {
    const bytes = new Proxy(encoder.encode('['.repeat(1_000)), {
      get(text, key) {
        if (key === 'length') return text.length
        const i = Number(String(key))
        if (i > 64) throw new Error(`byte ${i} was read`)
        return text[i]
      },
    })

    expect(textNestsWithin(bytes, 64)).toBe(false)
  })

  it.each([
    [0, true],
    [60, true],
    [64, true],
    [65, false],
    [5000, false],
  ])('of %d levels is valid: %s', (levels, taken) => {
    expect(Json.safeParse(levels === 0 ? 'text' : nested(levels)).success).toBe(taken)
  })

  it('is invalid if only its last branch nests too deep', () => {
    expect(Json.safeParse([1, {}, [nested(64)]]).success).toBe(false)
  })

  it('is invalid if it nests too deep under a key __proto__', () => {
    const text = `{"__proto__":${JSON.stringify(nested(64))}}`

    expect(Json.safeParse(JSON.parse(text)).success).toBe(false)
  })
})

const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', ''), fc.string())
/** JSON objects with any keys. */
const texts = fc
  .uniqueArray(fc.tuple(key, fc.string()), { selector: ([name]) => name })
  .map(entries => Object.fromEntries(entries) as Record<string, string>)

describe('record', () => {
  it.prop([texts])('keeps every key with its value', given => {
    const parsed = record(z.string()).parse(given)

    expect(Object.entries(parsed).toSorted()).toEqual(Object.entries(given).toSorted())
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
  })

  it.each([
    ['{"__proto__":1}', ['__proto__']],
    ['{"a":1}', ['a']],
  ])('checks the values of %s', (text, path) => {
    const parsed = record(z.string()).safeParse(JSON.parse(text))

    expect(parsed.error?.issues).toMatchObject([{ code: 'invalid_type', path }])
  })

  it.each([[[]], [null], ['text'], [Object.assign([], { a: 'b' })]])('refuses %j', given => {
    expect(record(z.string()).safeParse(given).error?.issues).toMatchObject([{ expected: 'record', path: [] }])
  })

  it('has the JSON Schema of z.record', () => {
    expect(z.toJSONSchema(record(z.int()))).toEqual(z.toJSONSchema(z.record(z.string(), z.int())))
  })
})
