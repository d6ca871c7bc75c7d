import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import {
  draftOf,
  exactValue,
  frozenCopy,
  keepAllDigits,
  parseJson,
  setKey,
  withBigInts,
  withoutBigInts,
  writeJson,
} from '../../../src/core/lib/json.js'
import { jsonPieces } from '../../../src/core/lib/long-json.js'
import { runAtOnce } from '../../../src/core/lib/steps.js'
import { anyJsonObjectText, anyJsonText } from '../../support/exact-json.js'

const runs = { numRuns: inject('runs') }

/** Parses a text as the value of a key. */
function holding(text: string): { readonly value: unknown } {
  const holder = { value: undefined }
  setKey(holder, 'value', parseJson(text))
  return holder
}

describe('a JSON text with integers of any length', () => {
  it.prop([anyJsonText], runs)('is for code what JSON.parse makes of it', ({ sent }) => {
    const { value } = holding(sent)

    expect(value).toEqual(JSON.parse(sent))
    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(sent)))
  })

  it.prop([anyJsonText], runs)('is written with its digits', ({ sent, answered }) => {
    const parsed = holding(sent)

    expect([writeJson(parseJson(sent)), writeJson(exactValue(parsed, 'value'))]).toEqual([answered, answered])
    expect(writeJson(parsed)).toBe(`{"value":${answered}}`)
    expect(writeJson(parseJson(writeJson([parsed], { space: 2 })))).toBe(`[{"value":${answered}}]`)
  })

  it.prop([anyJsonObjectText], runs)('keeps its digits in copies', ({ sent, answered }) => {
    const value = parseJson(sent)
    const copies = [
      frozenCopy(value),
      draftOf(value),
      keepAllDigits(JSON.parse(sent), value),
      withoutBigInts(withBigInts(value)),
    ]

    expect(copies.map(copy => writeJson(copy))).toEqual(copies.map(() => answered))
  })

  it.prop([anyJsonText, fc.constantFrom(1, 700)], runs)('is written in steps', ({ sent, answered }, times) => {
    const parsed = parseJson(`[${Array.from({ length: times }, () => sent)}]`) as unknown[]
    const value = { list: parsed }
    setKey(value, 'last', parseJson(sent))

    const text = runAtOnce(jsonPieces({ value, parsed })).join('')

    expect(text).toBe(writeJson({ value, parsed }))
    expect(text).toContain(`[${Array.from({ length: times }, () => answered)}]`)
  })

  it('replaces texts, and keeps digits beside them', () => {
    const value = parseJson('{"a":[76561197960287678,"a"],"n1":"b"}')

    expect(writeJson(value, { textOf: text => `${text}${text}` })).toBe('{"a":[76561197960287678,"aa"],"n1":"bb"}')
  })
})
