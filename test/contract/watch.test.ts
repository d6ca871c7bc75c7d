import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { WatchIndex } from '../../src/contract/formats.js'

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
