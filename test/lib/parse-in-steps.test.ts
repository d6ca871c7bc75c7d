import { fc, it as property } from '@fast-check/vitest'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { type Issue, listKnownKeys } from '../../src/lib/issues.js'
import { encodeInSteps, parseInSteps } from '../../src/lib/parse-in-steps.js'
import type { Steps } from '../../src/lib/steps.js'

const Inner = z.strictObject({
  name: z.string().optional(),
  size: z.union([z.number(), z.literal('all')]).optional(),
  parts: z.array(z.codec(z.string(), z.number(), { decode: Number, encode: String })).optional(),
})
const Outer = z.strictObject({
  title: z.string().optional(),
  inners: z.array(Inner).optional(),
  groups: z.array(z.strictObject({ inners: z.array(Inner).optional(), flag: z.boolean().optional() })).optional(),
  /** Its check needs the whole list. */
  few: z.array(z.number()).max(70).optional(),
})

const params = { jitless: true, error: listKnownKeys } as const

/** A value of which some parts are wrong. */
const often = <T>(right: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 30, arbitrary: right as fc.Arbitrary<unknown> },
    { weight: 1, arbitrary: fc.constantFrom(null, 7, 'x', [], {}) },
  )
const keys = (model: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .tuple(fc.record(model, { requiredKeys: [] }), fc.nat(40))
    .map(([value, n]) => (n === 0 ? { ...value, extra: 1 } : value))
/** A list that is sometimes longer than a step. */
const list = (item: fc.Arbitrary<unknown>) =>
  fc
    .tuple(fc.array(item, { maxLength: 3 }), fc.constantFrom(1, 1, 30))
    .map(([items, times]) => Array(times).fill(items).flat())

const inner = often(
  keys({
    name: often(fc.string()),
    size: often(fc.constantFrom(1, 'all')),
    parts: often(list(often(fc.constantFrom('1', '2')))),
  }),
)
const group = often(keys({ inners: often(list(inner)), flag: often(fc.boolean()) }))
const outer = often(
  keys({
    title: often(fc.string()),
    inners: often(list(inner)),
    groups: often(fc.array(group, { maxLength: 3 })),
    few: often(list(fc.integer())),
  }),
)

function stopped<Result>(steps: Steps<Result>) {
  for (let stops = 0; ; stops += 1) {
    const { done, value } = steps.next()
    if (done) return { stops, result: value }
  }
}

const inOrder = (issues: readonly Issue[]) => issues.map(issue => JSON.stringify(issue)).sort()

describe('a parse in steps', () => {
  property.prop([outer], { numRuns: 150 })('gives the value or the issues of a parse at once', input => {
    const before = JSON.stringify(input)

    const { data, issues } = stopped(parseInSteps(Outer, input, params)).result

    const expected = Outer.safeParse(input, params)
    expect(data).toEqual(expected.data)
    expect(JSON.stringify(data)).toBe(JSON.stringify(expected.data))
    expect(inOrder(issues)).toEqual(inOrder(expected.error?.issues ?? []))
    expect(JSON.stringify(input)).toBe(before)
  })

  it.each([
    ['a long list', { inners: Array(1_000).fill({ name: 'a' }) }],
    ['a long list in an item of another one', { groups: [...Array(100).fill({}), { inners: Array(1_000).fill({}) }] }],
    ['a wrong long list', { inners: Array(1_000).fill({ name: 1 }) }],
  ])('stops in %s', (_, input) => {
    expect(stopped(parseInSteps(Outer, input, params)).stops).toBeGreaterThan(10)
  })

  it('does not stop in short lists, and takes a list with a check whole', () => {
    const { stops, result } = stopped(parseInSteps(Outer, { inners: [{}, {}], few: Array(71).fill(1) }, params))

    expect([stops, result.issues.map(({ code, path }) => [code, path])]).toEqual([0, [['too_big', ['few']]]])
  })

  it('keeps a key called __proto__ unknown', () => {
    const input = JSON.parse(`{"__proto__":[],"inners":${JSON.stringify(Array(100).fill({}))}}`)

    const { issues } = stopped(parseInSteps(Outer, input, params)).result

    expect(issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['__proto__'] }])
  })
})

describe('an encoding in steps', () => {
  property.prop([outer.filter(input => Outer.safeParse(input).success)], { numRuns: 100 })(
    'gives the text of an encoding at once',
    input => {
      const output = Outer.parse(input)

      const encoded = stopped(encodeInSteps(Outer, output)).result

      expect(JSON.stringify(encoded)).toBe(JSON.stringify(z.encode(Outer, output)))
    },
  )

  it('stops in a long list', () => {
    const output = Outer.parse({ inners: Array(1_000).fill({ parts: ['1'] }) })

    expect(stopped(encodeInSteps(Outer, output)).stops).toBeGreaterThan(10)
  })

  it('says what it cannot encode', () => {
    const output = { inners: [...Array(100).fill({}), { name: 7 as never }] }

    expect(() => stopped(encodeInSteps(Outer, output))).toThrow(/^cannot encode a value: inners\.100\.name: /)
  })
})
