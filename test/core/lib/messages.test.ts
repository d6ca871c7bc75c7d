import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { didYouMean, matchesGlob, quoted } from '../../../src/core/lib/messages.js'

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

describe('didYouMean', () => {
  it('lists the choices, and suggests the nearest', () => {
    expect(didYouMean('lnd-frA', ['lnd-atl', 'lnd-fra', 'lnd-atl'])).toBe(
      ' Known: lnd-atl, lnd-fra. Did you mean lnd-fra?',
    )
  })

  it('suggests nothing if no choice is near', () => {
    expect(didYouMean('tokyo', ['lnd-atl', 'lnd-fra'])).toBe(' Known: lnd-atl, lnd-fra.')
  })

  it('lists 20 choices, and counts the rest', () => {
    const choices = Array.from({ length: 23 }, (_, i) => `region-${i}`)

    expect(didYouMean('x', choices)).toBe(` Known: ${choices.slice(0, 20).join(', ')} and 3 more.`)
  })

  it('is short, even for very long choices and words', () => {
    const choices = Array.from({ length: 100 }, (_, i) => `${i}`.repeat(1_000_000))

    expect(didYouMean('y'.repeat(8_000_000), choices).length).toBeLessThan(1_500)
  })
})

describe('matchesGlob', () => {
  it.each([
    ['lobbies.list', 'lobbies.list', true],
    ['lobbies.list', 'lobbies', false],
    ['lobbies.list', 'Lobbies.list', false],
    ['lobbies.list', 'lobbies.*', true],
    ['lobbies.list', '*.list', true],
    ['lobbies.list', '*', true],
    ['', '*', true],
    ['', '', true],
    ['a', '', false],
    ['lobbies.list', 'l*b*l*t', true],
    ['lobbies.list', 'lobbies?list', false],
    ['lobbiesXlist', 'lobbies.list', false],
    ['aba', 'ab*ba', false],
    ['abba', 'ab*ba', true],
    ['a*b', 'a*b', true],
    ['two\nlines', 'two*lines', true],
  ])('compares %j with %j: %j', (text, glob, expected) => {
    expect(matchesGlob(text, glob)).toBe(expected)
  })

  const words = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*'), maxLength: 8 })
  it.prop([words, words])('matches like the equivalent regular expression', (text, glob) => {
    const pattern = new RegExp(`^${glob.replaceAll('.', '\\.').replaceAll('*', '.*')}$`, 's')

    expect(matchesGlob(text, glob)).toBe(pattern.test(text))
  })

  it('takes only a moment for many stars', () => {
    expect(matchesGlob('a'.repeat(100_000), `${'*a'.repeat(1_000)}*b`)).toBe(false)
  })
})
