import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { isDisplayName, utf8Length } from '../../src/contract/formats.js'

/** All of Unicode's White_Space, from PropList.txt, but for U+0020. */
const whiteSpace = [
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x85, 0xa0, 0x1680],
  ...[0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
]
const noWhiteSpace = [0xfeff, 0x200b, 0x180e, 0x2060]
const asText = (point: number) => String.fromCodePoint(point)

function bytes(text: string): number {
  return [...text].reduce((sum, letter) => {
    const point = letter.codePointAt(0) ?? 0
    return sum + (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)
  }, 0)
}

/** PROTOCOL.md B5, letter by letter. */
function obvious(text: string): boolean {
  const points = [...text].map(letter => letter.codePointAt(0) ?? 0)
  const inner = points.every(
    (point, i) =>
      point !== 0x20 || (i > 0 && i < points.length - 1 && points[i - 1] !== 0x20 && points[i + 1] !== 0x20),
  )
  return bytes(text) >= 1 && bytes(text) <= 128 && inner && !points.some(point => whiteSpace.includes(point))
}

const letter = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'Z', '0', 'é', '水', '👾', '‍') },
  { weight: 3, arbitrary: fc.constant(' ') },
  { weight: 1, arbitrary: fc.constantFrom(...[...whiteSpace, ...noWhiteSpace].map(asText)) },
)
const short = fc.string({ unit: letter, maxLength: 6 })
const long = fc.string({ unit: fc.constantFrom('a', 'é', '水', '👾'), minLength: 20, maxLength: 140 })

describe('a display name', () => {
  it.prop([fc.oneof(short, long, fc.string({ unit: 'binary' }))], { numRuns: 3000 })(
    'is what PROTOCOL.md B5 says',
    text => {
      expect(isDisplayName(text)).toBe(obvious(text))
    },
  )

  it.prop([fc.string({ unit: 'binary' })])('is measured in bytes of UTF-8', text => {
    expect(utf8Length(text)).toBe(bytes(text))
  })

  it.each(whiteSpace.map(point => [point.toString(16)]))('has no U+%s', hex => {
    expect(isDisplayName(`a${asText(Number.parseInt(hex, 16))}b`)).toBe(false)
  })

  it.each(noWhiteSpace.map(point => [point.toString(16)]))('may have U+%s, which is no white space', hex => {
    expect(isDisplayName(`a${asText(Number.parseInt(hex, 16))}b`)).toBe(true)
  })

  it.each([
    ['a single inner space', 'Friday night', true],
    ['two inner spaces', 'Friday  night', false],
    ['a space before', ' Friday', false],
    ['a space after', 'Friday ', false],
    ['a space alone', ' ', false],
    ['nothing', '', false],
    ['128 bytes of one each', 'a'.repeat(128), true],
    ['129 bytes of one each', 'a'.repeat(129), false],
    ['128 bytes of four each', '👾'.repeat(32), true],
    ['128 letters of two bytes each', 'é'.repeat(128), false],
  ])('with %s is told apart', (_what, text, is) => {
    expect(isDisplayName(text)).toBe(is)
  })
})
