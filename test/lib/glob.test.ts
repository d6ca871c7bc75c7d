import { fc, it as prop } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import { matchesGlob } from '../../src/lib/text.js'

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
  prop.prop([words, words])('matches like the equivalent regular expression', (text, glob) => {
    const pattern = new RegExp(`^${glob.replaceAll('.', '\\.').replaceAll('*', '.*')}$`, 's')

    expect(matchesGlob(text, glob)).toBe(pattern.test(text))
  })

  it('takes only a moment for many stars', () => {
    expect(matchesGlob('a'.repeat(100_000), `${'*a'.repeat(1_000)}*b`)).toBe(false)
  })
})
