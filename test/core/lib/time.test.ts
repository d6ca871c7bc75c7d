import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import { elapsedText, formatDuration, parseDuration } from '../../../src/core/lib/time.js'

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const unit = fc.constantFrom('ms' as const, 's' as const, 'm' as const, 'h' as const, 'd' as const)

describe('a duration', () => {
  it.prop([fc.nat(36_525), unit])('of one unit is the amount times the unit', (amount, unit) => {
    expect(parseDuration(`${amount}${unit}`)).toBe(amount * unitMs[unit])
  })

  it.each([
    ['250ms', 250],
    ['40s', 40_000],
    ['1m', 60_000],
    ['1.5h', 5_400_000],
    ['0.5s', 500],
    ['2d', 172_800_000],
    ['0s', 0],
    ['0.4ms', 0],
    ['1h30m', 5_400_000],
    ['1m30s', 90_000],
    ['1d2h3m4s5ms', 93_784_005],
    ['1m5ms', 60_005],
    ['1.5h30m', 7_200_000],
  ])('%s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each([
    '',
    '40',
    's',
    '-1s',
    '1 s',
    '1s\n',
    '1.s',
    '1e3s',
    '30m1h',
    '1h1h',
    '1h30',
    '36525d1ms',
    '٣s',
    '36526d',
    `${'9'.repeat(400)}ms`,
  ])('is not %j', text => {
    expect(parseDuration(text)).toBeUndefined()
  })
})

describe('a duration of several units', () => {
  const amounts = fc.tuple(fc.nat(365), fc.nat(100), fc.nat(100), fc.nat(100), fc.nat(5000))

  it.prop([amounts, fc.subarray(['d', 'h', 'm', 's', 'ms'] as const, { minLength: 1 })])(
    'is the sum of its parts',
    (amounts, units) => {
      const parts = units.map((unit, i) => [amounts[i] ?? 0, unit] as const)

      expect(parseDuration(parts.map(part => part.join('')).join(''))).toBe(
        parts.reduce((sum, [amount, unit]) => sum + amount * unitMs[unit], 0),
      )
    },
  )
})

describe('formatDuration', () => {
  it.prop([fc.nat(36_525 * 86_400_000)])('writes durations that parseDuration reads', ms => {
    expect(parseDuration(formatDuration(ms))).toBe(ms)
  })

  it.each([
    [0, '0ms'],
    [999, '999ms'],
    [1000, '1s'],
    [90_000, '90s'],
    [720_000, '12m'],
    [604_800_000, '7d'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text)
  })
})

describe('a time that has passed, for people,', () => {
  it.each([
    [0, '0 ms'],
    [0.24, '0.2 ms'],
    [9.94, '9.9 ms'],
    [9.96, '10 ms'],
    [999.4, '999 ms'],
    [999.6, '1 s'],
    [18_420, '18.4 s'],
    [59_960, '1 min'],
    [302_000, '5 min 2 s'],
    [3_599_600, '1 h'],
    [29_100_000, '8 h 5 min'],
    [183_600_000, '2 d 3 h'],
    [86_400_000 * 1_234, '1,234 d'],
  ])('of %d ms is %s', (ms, text) => {
    expect(elapsedText(ms)).toBe(text)
  })
})
