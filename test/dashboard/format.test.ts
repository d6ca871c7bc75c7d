import { expect, it } from 'vitest'
import { bytes } from '../../src/dashboard/ui/format.js'

it.each([
  [812, '812 B'],
  [106_400, '106 KB'],
  [2_130_000, '2.1 MB'],
  ['ice', '3 B'],
  ['日本', '6 B'],
])('the size of %j is %s', (of, size) => {
  expect(bytes(of)).toBe(size)
})
