import { fc, it } from '@fast-check/vitest'
import { Collection, type Condition, Query } from '@mswjs/data'
import { describe, expect } from 'vitest'
import * as z from 'zod'
import type { Predicate } from '../../src/store/query.js'
import { Records } from '../../src/store/records.js'
import { type ReadTable, readTable } from '../../src/store/table.js'
import { Tracking } from '../../src/store/tracker.js'

const Thing = z.object({
  thing_id: z.string(),
  colour: z.string(),
  size: z.number(),
  words: z.array(z.object({ text: z.string() })),
  place: z.object({ city: z.string() }).optional(),
})
type Thing = z.output<typeof Thing>

const id = fc.constantFrom('a', 'b', 'c', 'd')
const colour = fc.constantFrom('red', 'green', '')
const size = fc.constantFrom(1, 2)
const city = fc.constantFrom('Rome', 'Bonn')
const thing: fc.Arbitrary<Thing> = fc
  .record({ thing_id: id, colour, size, words: fc.array(fc.record({ text: colour }), { maxLength: 2 }) })
  .chain(row => fc.option(city, { nil: undefined }).map(city => (city ? { ...row, place: { city } } : row)))
const things = fc.uniqueArray(thing, { selector: ({ thing_id }) => thing_id })

const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown) =>
    values.includes(value)
const selector = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 4, arbitrary: value },
    { weight: 1, arbitrary: fc.tuple(value, value).map(both => isOneOf(...both)) },
  )
const condition = fc.oneof(
  fc.record(
    {
      thing_id: selector(id),
      colour: selector(colour),
      size: selector(size),
      words: fc.record({ text: selector(colour) }),
      place: fc.record({ city: selector(city) }),
    },
    { requiredKeys: [] },
  ),
  fc.record({ thing_id: id }),
  fc.record({ colour }),
  fc.record({ colour, size }),
) as fc.Arbitrary<Condition<Thing>>
const test = size.map(size => (thing: Thing) => thing.size === size)
const instance = fc.oneof(
  test.map(test => new Query<Thing>(test)),
  condition.map(condition => new Query<Thing>().where(condition)),
)

type Step = (query: Query<Thing>) => Query<Thing>
const simpleStep: fc.Arbitrary<Step> = fc.oneof(
  condition.map(
    (one): Step =>
      query =>
        query.where(one),
  ),
  test.map(
    (one): Step =>
      query =>
        query.where(one),
  ),
  fc.array(fc.oneof(condition, test, instance), { maxLength: 2 }).map(
    (many): Step =>
      query =>
        query.and(...many),
  ),
  fc.array(fc.oneof(condition, test, instance), { maxLength: 2 }).map(
    (many): Step =>
      query =>
        query.or(...many),
  ),
)
/** One that asks within: for another query that begins with the same. */
const nestedStep: fc.Arbitrary<Step> = fc.tuple(fc.constantFrom('and' as const, 'or' as const), simpleStep).map(
  ([word, step]): Step =>
    query =>
      query[word](step(query)),
)
const chain = fc
  .array(fc.oneof({ weight: 4, arbitrary: simpleStep }, { weight: 1, arbitrary: nestedStep }), { maxLength: 3 })
  .map(
    (steps): Step =>
      query =>
        steps.reduce((built, step) => step(built), query),
  )
const predicate = fc.oneof(fc.constant(undefined), chain, instance)

async function libraryOf(rows: readonly Thing[]) {
  const library = new Collection({ schema: Thing })
  for (const row of rows) await library.create(row)
  return library
}

function tableOf(rows: readonly Thing[]): ReadTable<Thing> {
  const records = Records.of<Thing>(
    rows.map(row => [row.thing_id, row] as const),
    { table: 'things', tracking: new Tracking(), revision: 1 },
  )
  return readTable<Thing>(records, { key: ['thing_id'], indexes: ['colour'] })
}

describe('a query of a table', () => {
  it.prop([things, predicate], { numRuns: 300 })(
    'finds what the data library finds, in the same order',
    async (rows, predicate) => {
      const library = await libraryOf(rows)
      const table = tableOf(rows)

      // The library's records are the rows with symbols of its own on them.
      const asLibrary = predicate as Parameters<typeof library.findMany>[0]

      expect([table.findMany(predicate), table.findFirst(predicate)]).toEqual([
        library.findMany(asLibrary).map(row => ({ ...row })),
        copyOf(library.findFirst(asLibrary)),
      ])
    },
  )

  it.prop([things, predicate])('counts what it finds', (rows, predicate) => {
    const table = tableOf(rows)

    expect(table.count(predicate)).toBe(table.findMany(predicate).length)
  })

  it.prop([things, chain])('can be kept and asked again', (rows, chain) => {
    const table = tableOf(rows)

    const found = table.findMany(chain)

    expect(table.findMany(chain)).toEqual(found)
  })

  it.each<readonly [how: string, predicate: (other: Query<Thing>) => Predicate<Thing>]>([
    ['as it is', other => other],
    ['in a where', other => q => q.where(other as never)],
    ['in an and', other => q => q.where({ colour: 'red' }).and(other)],
    ['in an or', other => q => q.where({ colour: 'blue' }).or(other)],
  ])('of another copy of the library is taken %s', (_, predicate) => {
    // Another copy's instances pass for none of ours: only what they do tells what they are.
    const other = { test: (thing: Thing) => thing.size === 2 } as unknown as Query<Thing>
    const small = { thing_id: 'a', colour: 'red', size: 1, words: [] }
    const large = { ...small, thing_id: 'b', size: 2 }

    expect(tableOf([small, large]).findMany(predicate(other))).toEqual([large])
  })

  it('that names a key looks at that record only', () => {
    const tracking = new Tracking()
    const records = Records.of([['a', { thing_id: 'a' }]], { table: 'things', tracking, revision: 1 })
    const table = readTable(records, { key: ['thing_id'], indexes: [] })

    const { tracker } = tracking.track(() => table.findMany(q => q.where({ thing_id: 'a' }).and(() => true)))

    expect([...tracker.tags]).toEqual(['things#a'])
  })

  it('that names a key does not find it where another condition is against it', () => {
    const table = tableOf([{ thing_id: 'a', colour: 'red', size: 1, words: [], place: { city: 'Rome' } }])

    const found = [
      table.findFirst(q => q.where({ thing_id: 'a' }).where({ thing_id: 'b' })),
      table.findFirst(q => q.where({ thing_id: 'a' }).and(() => false)),
      table.findFirst(q => q.where({ thing_id: 'a', colour: 'blue' })),
      table.findFirst(q => q.where({ thing_id: 'a' }).and({ colour: 'blue' })),
    ]

    expect(found).toEqual([undefined, undefined, undefined, undefined])
  })

  it('with an or looks at all records', () => {
    const tracking = new Tracking()
    const records = Records.of([['a', { thing_id: 'a' }]], { table: 'things', tracking, revision: 1 })
    const table = readTable(records, { key: ['thing_id'], indexes: [] })

    const { tracker } = tracking.track(() => table.findMany(q => q.where({ thing_id: 'a' }).or({ thing_id: 'b' })))

    expect([...tracker.tags]).toEqual(['things'])
  })
})

function copyOf(row: Thing | undefined): Thing | undefined {
  return row && { ...row }
}
