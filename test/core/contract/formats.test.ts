import { fc, it } from '@fast-check/vitest'
import { describe, expect, inject } from 'vitest'
import { isDisplayName, isIdentifier, Uint32, utf8Length, WatchIndex } from '../../../src/core/contract/formats.js'
import { anyCharacter } from '../../support/any-character.js'

describe('an unsigned 32-bit integer', () => {
  it.prop([fc.nat(4_294_967_295)])('goes from 0 to 4294967295', value => {
    expect(Uint32.parse(value)).toBe(value)
  })

  it.each([-1, 4_294_967_296, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined, true, 1n])(
    'is not %s',
    value => {
      expect(Uint32.safeParse(value).success).toBe(false)
    },
  )
})

const idLetters = [...'0123456789abcdefghijklmnopqrstuvwxyz-']
const nearly = fc.string({
  unit: fc.constantFrom('a', 'z', '0', '9', '-', 'A', '_', ' ', '\n', 'ä', 'ſ', '٣'),
  maxLength: 18,
})
const proper = fc.string({ unit: fc.constantFrom(...idLetters), maxLength: 18 })

/** Follows PROTOCOL.md B5 word by word. */
function isIdByProtocol(text: string): boolean {
  if (text.length < 1 || text.length > 16) return false
  if ([...text].some(letter => !idLetters.includes(letter))) return false
  return !text.startsWith('-') && !text.endsWith('-') && !text.includes('--')
}

describe('an identifier', () => {
  it.prop([fc.oneof(nearly, proper, fc.string())], { numRuns: 20 * inject('runs') })(
    'is what PROTOCOL.md B5 says',
    text => {
      expect(isIdentifier(text)).toBe(isIdByProtocol(text))
    },
  )
})

/** Unicode's White_Space from PropList.txt, except U+0020. */
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

/** Follows PROTOCOL.md B5 letter by letter. */
function isNameByProtocol(text: string): boolean {
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
  it.prop([fc.oneof(short, long, fc.string({ unit: anyCharacter }))], { numRuns: 20 * inject('runs') })(
    'is what PROTOCOL.md B5 says',
    text => {
      expect(isDisplayName(text)).toBe(isNameByProtocol(text))
    },
  )

  it.prop([fc.string({ unit: anyCharacter })])('has a length in bytes of UTF-8', text => {
    expect(utf8Length(text)).toBe(bytes(text))
  })
})

describe('a watch index', () => {
  it.prop([fc.bigInt({ min: 0n, max: 9_999_999_999_999_999_999n })])(
    'is a whole number of up to 19 digits, to the last digit',
    index => {
      expect(WatchIndex.parse(String(index))).toBe(index)
    },
  )

  it.each(['', '-1', '+1', '1.0', '1e3', '0x10', ' 1', '1 ', '1\n', 'abc', '٣', '12345678901234567890'])(
    'is not %j',
    text => {
      expect(WatchIndex.safeParse(text).error?.issues.map(issue => issue.message)).toEqual([
        'expected the watch.index of an earlier answer, a decimal integer of 1 to 19 digits',
      ])
    },
  )
})
