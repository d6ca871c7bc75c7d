import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { latestMs } from '../../../src/core/lib/time.js'
import { Random } from '../../../src/core/store/random.js'
import { devPlayerExpiry, devPlayerToken } from '../../../src/core/store/tokens.js'

const seeds = fc.maxSafeInteger()
const minted = fc.record({ seed: seeds, now: fc.integer({ min: 0, max: latestMs }), stream: fc.string() })

describe('a token of a player of a development server', () => {
  it.prop([minted, seeds])('is valid only in worlds of its seed', ({ seed, now, stream }, other) => {
    fc.pre(other !== seed)
    const token = devPlayerToken(new Random(seed, stream), { seed, now })

    expect(devPlayerExpiry(token, other)).toBeUndefined()
  })

  it.prop([minted, fc.nat(), fc.constantFrom(...'0123456789abcdefghijklmnopqrstuvwxyz.A')])(
    'is invalid with a changed, added or missing character',
    ({ seed, now, stream }, at, letter) => {
      const token = devPlayerToken(new Random(seed, stream), { seed, now })
      const place = at % token.length
      const [head, tail] = [token.slice(0, place), token.slice(place + 1)]

      expect(devPlayerExpiry(head + tail, seed)).toBeUndefined()
      expect(devPlayerExpiry(token + letter, seed)).toBeUndefined()
      if (token[place] !== letter) expect(devPlayerExpiry(head + letter + tail, seed)).toBeUndefined()
    },
  )
})
