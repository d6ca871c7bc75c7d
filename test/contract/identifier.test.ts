import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { isIdentifier } from '../../src/contract/formats.js'

const letters = [...'0123456789abcdefghijklmnopqrstuvwxyz-']
const nearly = fc.string({
  unit: fc.constantFrom('a', 'z', '0', '9', '-', 'A', '_', ' ', '\n', 'ä', 'ſ', '٣'),
  maxLength: 18,
})
const proper = fc.string({ unit: fc.constantFrom(...letters), maxLength: 18 })

/** PROTOCOL.md B5, word by word. */
function obvious(text: string): boolean {
  if (text.length < 1 || text.length > 16) return false
  if ([...text].some(letter => !letters.includes(letter))) return false
  return !text.startsWith('-') && !text.endsWith('-') && !text.includes('--')
}

describe('an identifier', () => {
  it.prop([fc.oneof(nearly, proper, fc.string())], { numRuns: 2000 })('is what PROTOCOL.md B5 says', text => {
    expect(isIdentifier(text)).toBe(obvious(text))
  })

  it.each(['a', '0', 'a-b', 'prod', 'a-b-c-d-e-f-g-hi', '0123456789abcdef'])('may be %j', text => {
    expect(isIdentifier(text)).toBe(true)
  })

  it.each(['', '-', '-a', 'a-', 'a--b', 'A', 'a_b', 'a b', 'a\n', '\na', '0123456789abcdefg', 'é'])(
    'may not be %j',
    text => {
      expect(isIdentifier(text)).toBe(false)
    },
  )
})
