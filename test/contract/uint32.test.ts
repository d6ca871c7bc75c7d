import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { Uint32 } from '../../src/contract/formats.js'

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
