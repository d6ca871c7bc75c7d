import { fc } from '@fast-check/vitest'

/** Any code point. The unit `binary` of the library means the same, and takes a second to build in each worker. */
export const anyCharacter = fc.nat(0x10_ff_ff - 0x8_00).map(
  n => String.fromCodePoint(n < 0xd8_00 ? n : n + 0x8_00),
  text => {
    const point = typeof text === 'string' && [...text].length === 1 ? (text.codePointAt(0) ?? 0) : Number.NaN
    if (Number.isNaN(point) || (point >= 0xd8_00 && point < 0xe0_00)) throw new Error('not one code point')
    return point < 0xd8_00 ? point : point - 0x8_00
  },
)
