import { describe, expect, it } from 'vitest'
import { quoted } from '../../src/lib/text.js'

describe('quoted', () => {
  it.each([
    ['a "b"', '"a \\"b\\""'],
    [undefined, 'undefined'],
    [null, 'null'],
    [Number.NaN, 'NaN'],
    ['x'.repeat(78), `"${'x'.repeat(78)}"`],
    ['x'.repeat(79), `"${'x'.repeat(76)}…`],
    [`x${'😀'.repeat(60)}`, `"x${'😀'.repeat(37)}…`],
  ])('writes %j in at most 80 characters', (value, text) => {
    expect(quoted(value)).toBe(text)
  })
})

describe('quoted, for a value of megabytes', () => {
  const letters = 'x'.repeat(8_000_000)

  it.each([
    ['a text', letters, '"xxxxx'],
    ['a key', { [letters]: 1 }, '{"xxxx'],
    ['a list', Array.from({ length: 1_000_000 }, (_, i) => i), '[0,1,2'],
    ['lists of lists', Array(1_000_000).fill(Array(100).fill(letters)), '[["xxx'],
    ['a text of surrogate pairs', '😀'.repeat(4_000_000), '"😀'],
  ])('writes at most 80 characters: %s', (_, value, start) => {
    expect(quoted(value).length).toBeLessThanOrEqual(80)
    expect(quoted(value).startsWith(start)).toBe(true)
  })
})
