import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { Json, nestsWithin, textNestsWithin } from '../../src/lib/json.js'

/** How many levels of objects and arrays a value has. */
function levelsOf(value: unknown): number {
  return typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(levelsOf)) : 0
}

const encoder = new TextEncoder()
const nested = (levels: number): unknown => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

describe('JSON', () => {
  it.prop([fc.jsonValue({ depthSize: 'large' }), fc.nat(6)])(
    'nests within as many levels as it has',
    (value, levels) => {
      expect(nestsWithin(value, levels)).toBe(levelsOf(value) <= levels)
    },
  )

  it.prop([fc.json({ depthSize: 'large' }), fc.nat(6), fc.nat(2)])(
    'is as deep as a text as it is as a value, whatever its strings hold',
    (text, levels, indent) => {
      const spaced = JSON.stringify({ '[{"\\': JSON.parse(text), b: ']}\\' }, undefined, indent)

      expect(textNestsWithin(encoder.encode(spaced), levels)).toBe(nestsWithin(JSON.parse(spaced), levels))
    },
  )

  it('as a text is read no further than to where it is too deep', () => {
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
  ])('of %d levels is taken: %s', (levels, taken) => {
    expect(Json.safeParse(levels === 0 ? 'text' : nested(levels)).success).toBe(taken)
  })

  it('that nests too deep only in its last branch is refused', () => {
    expect(Json.safeParse([1, {}, [nested(64)]]).success).toBe(false)
  })

  it('that is too deep under a key __proto__ is refused', () => {
    const text = `{"__proto__":${JSON.stringify(nested(64))}}`

    expect(Json.safeParse(JSON.parse(text)).success).toBe(false)
  })
})
