import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { issueTexts, listKnownKeys, pathText } from '../../../src/core/lib/issues.js'

describe('pathText', () => {
  it('writes the beginning and the end of a very long path', () => {
    const text = pathText(['first', ...Array.from({ length: 100 }, (_, i) => `key${i}`), 'last'])

    expect(text).toHaveLength(240)
    expect(text).toMatch(/^first\.key0.*….*\.last$/)
  })
})

describe('issueTexts', () => {
  const textsOfInput = (schema: z.ZodType, input: unknown) => {
    const { error } = schema.safeParse(input, { error: listKnownKeys })
    return error && issueTexts(error, input)
  }

  it('writes the narrowest limit of each number', () => {
    const Limits = z.strictObject({
      a: z.int().max(9),
      b: z.number().max(5).int(),
      c: z.int().min(1),
      d: z.int().min(1),
    })

    expect(textsOfInput(Limits, { a: 1e20, b: 1e20, c: -1e20, d: 0 })).toEqual([
      'a is 100000000000000000000: expected at most 9',
      'b is 100000000000000000000: expected at most 5',
      'c is -100000000000000000000: expected at least 1',
      'd is 0: expected at least 1',
    ])
  })

  it('writes the narrowest limit inside a branch of a union', () => {
    const Union = z.union([z.strictObject({ a: z.int().max(9) }), z.strictObject({ b: z.int(), c: z.int() })])

    expect(textsOfInput(Union, { a: 1e20, d: 1 })).toEqual([
      'a is 100000000000000000000: expected at most 9',
      'd is an unknown key. Known: a.',
    ])
  })
})
