import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { record } from '../../src/lib/json.js'

const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'toString', ''), fc.string())
/** Objects as JSON has them, whatever their keys are. */
const texts = fc
  .uniqueArray(fc.tuple(key, fc.string()), { selector: ([name]) => name })
  .map(entries => Object.fromEntries(entries) as Record<string, string>)

describe('a record', () => {
  it.prop([texts])('keeps every key with its value', given => {
    const parsed = record(z.string()).parse(given)

    expect(Object.entries(parsed).toSorted()).toEqual(Object.entries(given).toSorted())
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype)
  })

  it.prop([texts])('keeps them as a part of an object, optional and described', given => {
    const schema = z.object({ tags: record(z.string()).optional().describe('tags') })

    expect(JSON.parse(JSON.stringify(schema.parse({ tags: given }))).tags).toEqual(given)
  })

  it.each([
    ['{"__proto__":1}', ['__proto__']],
    ['{"a":1}', ['a']],
  ])('checks the values of %s', (text, path) => {
    const parsed = record(z.string()).safeParse(JSON.parse(text))

    expect(parsed.error?.issues).toMatchObject([{ code: 'invalid_type', path }])
  })

  it.each([[[]], [null], ['text'], [Object.assign([], { a: 'b' })]])('is not %j', given => {
    expect(record(z.string()).safeParse(given).error?.issues).toMatchObject([{ expected: 'record', path: [] }])
  })

  it('does not change what it is given', () => {
    const given = JSON.parse('{"__proto__":" a "}')

    record(z.string().trim()).parse(given)

    expect(JSON.stringify(given)).toBe('{"__proto__":" a "}')
  })

  it('has the JSON Schema that a record of zod has', () => {
    expect(z.toJSONSchema(record(z.int()))).toEqual(z.toJSONSchema(z.record(z.string(), z.int())))
  })
})
