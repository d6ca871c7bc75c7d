import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { didYouMean, matchesGlob, nearest, quoted } from '../../../src/core/lib/text.js'

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

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'A'), maxLength: 7 })
const words = fc.array(
  word.filter(text => text !== ''),
  { maxLength: 5 },
)

/** Counts the letters to change, add or remove. */
function distance(one: string, other: string): number {
  if (one === '' || other === '') return one.length + other.length
  if (one[0] === other[0]) return distance(one.slice(1), other.slice(1))
  const [a, b] = [one.slice(1), other.slice(1)]
  return 1 + Math.min(distance(a, b), distance(a, other), distance(one, b))
}

/** Counts the same, and two neighbours that are swapped as one letter. */
function lettersBetween(one: string, other: string): number {
  const swaps = [...one].map((letter, i) => `${one.slice(0, i)}${one[i + 1] ?? ''}${letter}${one.slice(i + 2)}`)
  return one !== other && swaps.includes(other) ? 1 : distance(one, other)
}

describe('the nearest choice', () => {
  it.prop([word, words])(
    'is the first with the fewest different letters, of which at most a third differ',
    (text, choices) => {
      const near = choices
        .map(choice => ({ choice, letters: lettersBetween(text.toLowerCase(), choice.toLowerCase()) }))
        .filter(({ choice, letters }) => letters <= Math.floor(Math.max(text.length, choice.length) / 3))
      const least = Math.min(...near.map(({ letters }) => letters))

      const expected = text === '' ? undefined : near.find(({ letters }) => letters === least)?.choice
      expect(nearest(text, choices)).toBe(expected)
    },
  )

  it.each([
    ['lnd-frA', 'lnd-fra'],
    ['lnd-frx', 'lnd-fra'],
    ['LND-ATL', 'lnd-atl'],
    ['lndatl', 'lnd-atl'],
    ['dule', 'duel'],
  ])('to %s is %s', (text, expected) => {
    expect(nearest(text, ['lnd-atl', 'lnd-fra', 'duel'])).toBe(expected)
  })

  it.each(['', 'tokyo', 'l', 'lnd'])('to %j is undefined', text => {
    expect(nearest(text, ['lnd-atl', 'lnd-fra'])).toBeUndefined()
  })

  it.each([
    ['fra', 'lnd-fra'],
    ['FRA', 'lnd-fra'],
    ['required', 'CAPTCHA_CAPTCHA_REQUIRED'],
  ])('to %s is the only choice that contains it, %s', (text, expected) => {
    expect(nearest(text, ['lnd-atl', 'lnd-fra', 'CAPTCHA_CAPTCHA_REQUIRED'])).toBe(expected)
  })

  it('to a part of several choices is undefined', () => {
    expect(nearest('fra', ['lnd-fra', 'own-fra'])).toBeUndefined()
  })

  it('to a word of megabytes is undefined, and no choice is read', () => {
    const long = 'x'.repeat(8_000_000)
    const looked: string[] = []

    expect(nearest(long, counted([long, 'lnd-fra'], looked))).toBeUndefined()
    expect(looked).toEqual([])
  })

  it('is one of the first 10,000 choices', () => {
    const choices = Array.from({ length: 30_000 }, (_, i) => `lnd-${i}`)
    const looked: string[] = []

    nearest('lnd-fra', counted(choices, looked))

    expect(looked.length).toBeLessThanOrEqual(2_001)
  })

  it('among no choices is undefined', () => {
    expect(nearest('duel', [])).toBeUndefined()
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

  it('says that there are no choices', () => {
    expect(didYouMean('tokyo', [])).toBe(' There are none.')
  })

  it('lists 20 choices, and counts the rest', () => {
    const choices = Array.from({ length: 23 }, (_, i) => `region-${i}`)

    expect(didYouMean('x', choices)).toBe(` Known: ${choices.slice(0, 20).join(', ')} and 3 more.`)
  })

  it('suggests a choice beyond the listed ones', () => {
    const choices = [...Array.from({ length: 20 }, (_, i) => `region-${i}`), 'attic']

    expect(didYouMean('atic', choices)).toMatch(/ and 1 more\. Did you mean attic\?$/)
  })

  it('is short, even for very long choices and words', () => {
    const choices = Array.from({ length: 100 }, (_, i) => `${i}`.repeat(1_000_000))

    expect(didYouMean('y'.repeat(8_000_000), choices).length).toBeLessThan(1_500)
  })
})

/** Records the choices that are read. */
function* counted(choices: readonly string[], looked: string[]): Iterable<string> {
  for (const choice of choices) {
    looked.push(choice)
    yield choice
  }
}

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
