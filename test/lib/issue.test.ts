import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { issueText, pathText, valueAt } from '../../src/lib/issues.js'
import { quoted } from '../../src/lib/quote.js'

const Shape = z.object({
  name: z.string().min(2).max(4),
  kind: z.enum(['one', 'two']),
  only: z.literal('settings'),
  items: z.array(z.object({ size: z.int().min(1).max(9) })).max(2),
  id: z.string().regex(/^\w+$/, 'expected letters'),
})
const fine = { name: 'Ann', kind: 'one', only: 'settings', items: [{ size: 1 }], id: 'a' }

/** What is said of a shape with some values changed. */
function said(changed: object): readonly string[] {
  const input = { ...fine, ...changed }
  return Shape.safeParse(input).error?.issues.map(issue => issueText(issue, input)) ?? []
}

describe('the text of an issue', () => {
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
  ])('for %j says where, what, and what would be right', (changed, text) => {
    expect(said(changed)).toEqual([text])
  })

  it('says of a whole value what it is', () => {
    const issue = Shape.safeParse([]).error?.issues[0] as z.core.$ZodIssue

    expect(issueText(issue, [])).toBe('is []: expected object')
  })
})

describe('a path in a message', () => {
  it.each([
    [['games', 0, 'lobbies', 3, 'region_id'], 'games[0].lobbies[3].region_id'],
    [['name'], 'name'],
    [[2], '[2]'],
    [[2, 'x'], '[2].x'],
    [[], ''],
    [['tags', 'two words'], 'tags["two words"]'],
    [['a.b', 'c'], '["a.b"].c'],
    [['x', 'y'.repeat(8_000_000)], `x["${'y'.repeat(76)}…]`],
  ])('of %j is %s', (path, text) => {
    expect(pathText(path)).toBe(text)
  })

  it('of very many keys says how it begins and ends', () => {
    const text = pathText(['first', ...Array.from({ length: 100 }, (_, i) => `key${i}`), 'last'])

    expect(text).toHaveLength(240)
    expect(text).toMatch(/^first\.key0.*….*\.last$/)
  })
})

describe('a quoted value', () => {
  it.each([
    ['a "b"', '"a \\"b\\""'],
    [undefined, 'undefined'],
    [null, 'null'],
    [Number.NaN, 'NaN'],
    ['x'.repeat(78), `"${'x'.repeat(78)}"`],
    ['x'.repeat(79), `"${'x'.repeat(76)}…`],
    [`x${'😀'.repeat(60)}`, `"x${'😀'.repeat(37)}…`],
  ])('%j is no longer than a line', (value, text) => {
    expect(quoted(value)).toBe(text)
  })
})

describe('a value of megabytes', () => {
  const letters = 'x'.repeat(8_000_000)

  it.each([
    ['a text', letters, '"xxxxx'],
    ['a key', { [letters]: 1 }, '{"xxxx'],
    ['a list', Array.from({ length: 1_000_000 }, (_, i) => i), '[0,1,2'],
    ['lists of lists', Array(1_000_000).fill(Array(100).fill(letters)), '[["xxx'],
    ['a text of surrogate pairs', '😀'.repeat(4_000_000), '"😀'],
  ])('is quoted in no more than a line: %s', (_, value, start) => {
    expect(quoted(value).length).toBeLessThanOrEqual(80)
    expect(quoted(value).startsWith(start)).toBe(true)
  })
})

describe('the value at a path', () => {
  it.each([
    [['a', 0, 'b'], 5],
    [['a', 1, 'b'], undefined],
    [['a', 0, 'b', 'c'], undefined],
    [['toString'], undefined],
    [['__proto__'], undefined],
    [['a', 'length'], 1],
  ])('%j is an own one', (path, value) => {
    expect(valueAt({ a: [{ b: 5 }] }, path)).toBe(value)
  })

  it('is the whole where the path is empty', () => {
    expect(valueAt('all', [])).toBe('all')
  })
})
