import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { CoordinatesHeader } from '../../../src/core/contract/regions.js'

const parse = (text: string) => CoordinatesHeader().safeParse(text)
const spaces = fc.string({ unit: fc.constant(' '), maxLength: 2 })
const degrees = (most: number) =>
  fc.integer({ min: -most * 1000, max: most * 1000 }).map(thousandths => thousandths / 1000)

describe('the header x-coords', () => {
  it.prop([degrees(90), degrees(180), fc.tuple(spaces, spaces, spaces, spaces)])(
    'is latitude and longitude, with or without spaces',
    (latitude, longitude, [a, b, c, d]) => {
      const { data } = parse(`${a}${latitude}${b},${c}${longitude}${d}`)

      expect(data).toEqual({ latitude, longitude })
    },
  )

  it.each(['90,180', '-90,-180', '+52.52,13.40', '0,0', '.5,5.', '90.1,0', '0,-180.1', '100,200'])(
    'may be %j',
    text => {
      expect(parse(text).success).toBe(true)
    },
  )

  it.each([
    ...['', ',', '1', '1,', ',1', '1,2,3', '1;2', '1 2'],
    `${'9'.repeat(400)},0`,
    ...['NaN,0', 'Infinity,0', '1e1,0', '0x1,0', '1,2\n', '\t1,2', '--1,0', '1..2,0', '.,.', '1_0,0', '٣,0', 'a,b'],
  ])('may not be %j', text => {
    expect(parse(text).error?.issues.map(issue => issue.message)).toEqual([
      'expected "latitude,longitude" in degrees, as in 52.52,13.40',
    ])
  })
})
