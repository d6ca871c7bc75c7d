import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { issueText, issueTexts, listKnownKeys, pathText } from '../../../src/core/lib/issues.js'

const Shape = z.object({
  name: z.string().min(2).max(4),
  kind: z.enum(['one', 'two']),
  only: z.literal('settings'),
  items: z.array(z.object({ size: z.int().min(1).max(9) })).max(2),
  id: z.string().regex(/^\w+$/, 'expected letters'),
})
const fine = { name: 'Ann', kind: 'one', only: 'settings', items: [{ size: 1 }], id: 'a' }

/** Formats the issues of a valid shape with some changed values. */
function textsOf(changed: object): readonly string[] {
  const input = { ...fine, ...changed }
  return Shape.safeParse(input).error?.issues.map(issue => issueText(issue, input)) ?? []
}

describe('issueText', () => {
  it.each([
    [{ name: 5 }, 'name is 5: expected string'],
    [{ name: undefined }, 'name is missing: expected string'],
    [{ name: null }, 'name is null: expected string'],
    [{ name: 'A' }, 'name is "A": expected a length of at least 2'],
    [{ name: 'Annika' }, 'name is "Annika": expected a length of at most 4'],
    [{ kind: 'three' }, 'kind is "three": expected "one" or "two"'],
    [{ only: '' }, 'only is "": expected "settings"'],
    [{ items: {} }, 'items is {}: expected array'],
    [
      { items: [1, 2, 3].map(size => ({ size })) },
      'items is [{"size":1},{"size":2},{"size":3}]: expected a length of at most 2',
    ],
    [{ items: [{ size: 1 }, { size: 0 }] }, 'items[1].size is 0: expected at least 1'],
    [{ items: [{ size: 10 }] }, 'items[0].size is 10: expected at most 9'],
    [{ items: [{ size: 1.5 }] }, 'items[0].size is 1.5: expected int'],
    [{ items: [{}] }, 'items[0].size is missing: expected number'],
    [{ id: 'a b' }, 'id is "a b": expected letters'],
  ])('for %j names the path, the value and what was expected', (changed, text) => {
    expect(textsOf(changed)).toEqual([text])
  })

  it('names no path for the whole value', () => {
    const issue = Shape.safeParse([]).error?.issues[0] as z.core.$ZodIssue

    expect(issueText(issue, [])).toBe('is []: expected object')
  })
})

describe('pathText', () => {
  it.each([
    [['games', 0, 'lobbies', 3, 'region_id'], 'games[0].lobbies[3].region_id'],
    [['name'], 'name'],
    [[2], '[2]'],
    [[2, 'x'], '[2].x'],
    [[], ''],
    [['tags', 'two words'], 'tags["two words"]'],
    [['a.b', 'c'], '["a.b"].c'],
    [['x', 'y'.repeat(8_000_000)], `x["${'y'.repeat(76)}…]`],
  ])('writes %j as %s', (path, text) => {
    expect(pathText(path)).toBe(text)
  })

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

  it('describes the first twenty problems, and counts the others up to a limit', () => {
    const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key${i}`, i]))
    const Schema = z.strictObject({ a: z.array(z.string()).optional() })

    expect(textsOfInput(Schema, many(22))?.slice(19)).toEqual(['key19 is an unknown key. Known: a.', '… and 2 more'])
    expect(textsOfInput(Schema, many(50_000))?.slice(20)).toEqual(['… and at least 980 more'])
    expect(textsOfInput(Schema, { a: Array(50_000).fill(1) })?.slice(20)).toEqual(['… and at least 980 more'])
  })

  it('writes the narrowest limit inside a branch of a union', () => {
    const Union = z.union([z.strictObject({ a: z.int().max(9) }), z.strictObject({ b: z.int(), c: z.int() })])

    expect(textsOfInput(Union, { a: 1e20, d: 1 })).toEqual([
      'a is 100000000000000000000: expected at most 9',
      'd is an unknown key. Known: a.',
    ])
  })
})
