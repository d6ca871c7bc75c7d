import { describe, expect, it } from 'vitest'
import { parseUrl } from '../../../src/core/lib/url.js'

describe('parseUrl', () => {
  it('parses a URL', () => {
    expect(parseUrl('https://Bücher.example:443/a')?.href).toBe('https://xn--bcher-kva.example/a')
  })

  it.each(['', 'example.org', 'https://', 'https://a:b'])('returns undefined for %j', text => {
    expect(parseUrl(text)).toBeUndefined()
  })

  // The optimized code of `URL.canParse` refuses these letters in Node 20 and 22.
  it('accepts letters such as ü also in hot code', () => {
    const parsed = Array.from({ length: 20_000 }, () => parseUrl('https://bücher.example'))

    expect(parsed.filter(url => url === undefined)).toHaveLength(0)
  })
})
