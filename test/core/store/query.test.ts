import { fc, it } from '@fast-check/vitest'
import { Collection, type Condition, Query } from '@mswjs/data'
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { Dependencies } from '../../../src/core/store/dependencies.js'
import type { FieldConditions, Predicate, RowQuery } from '../../../src/core/store/query.js'
import { Table } from '../../../src/core/store/table.js'
import { TableState } from '../../../src/core/store/table-state.js'

const Thing = z.object({
  thing_id: z.string(),
  colour: z.string(),
  size: z.number(),
  owner: z.string().optional(),
  words: z.array(z.object({ text: z.string() })),
  place: z.object({ city: z.string() }).optional(),
})
type Thing = z.output<typeof Thing>

const id = fc.constantFrom('a', 'b', 'c', 'd')
const colour = fc.constantFrom('red', 'green', '')
const size = fc.constantFrom(1, 2)
const owner = id.map(id => `owner ${id}`)
const city = fc.constantFrom('Rome', 'Bonn')
const thing: fc.Arbitrary<Thing> = fc
  .record({ thing_id: id, colour, size, words: fc.array(fc.record({ text: colour }), { maxLength: 2 }) })
  .chain(row => fc.option(city, { nil: undefined }).map(city => (city ? { ...row, place: { city } } : row)))
const things = fc
  .uniqueArray(thing, { selector: ({ thing_id }) => thing_id })
  // Every second row has an owner, who owns no other row.
  .map(rows => rows.map((row, i) => (i % 2 ? row : { ...row, owner: `owner ${row.thing_id}` })))

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
  fc.record({ owner }),
  fc.record({ owner, colour }),
  fc.record({ colour }),
  fc.record({ colour, size }),
) as fc.Arbitrary<FieldConditions<Thing>>
const test = size.map(size => (thing: Thing) => thing.size === size)
const instance = fc.oneof(
  test.map(test => new Query<Thing>(test)),
  condition.map(condition => new Query<Thing>().where(condition as Condition<Thing>)),
)

type Step = (query: RowQuery<Thing>) => RowQuery<Thing>
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
/** A query that contains the continuation of another one. */
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

const shape = {
  name: 'things',
  key: ['thing_id'],
  idOf: ({ thing_id }: Thing) => thing_id,
  indexes: { colour: { columns: ['colour' as const] }, ranked: { columns: [], rank: ({ size }: Thing) => -size } },
  unique: { owner: { column: 'owner' as const, values: ({ owner }: Thing) => (owner === undefined ? [] : [owner]) } },
  sums: {},
  views: {},
}

function tableOf(rows: readonly Thing[], dependencies = new Dependencies()): Table<Thing> {
  return new Table(TableState.fromRows<Thing>(shape, rows, 1), { dependencies, openTransaction: undefined })
}

/** Returns the dependencies of a query. */
function tagsOf(predicate: Predicate<Thing>): string[] {
  const dependencies = new Dependencies()
  const table = tableOf([red], dependencies)
  return [...dependencies.track(() => table.findMany(predicate)).tags]
}

const red: Thing = { thing_id: 'a', colour: 'red', size: 1, words: [], place: { city: 'Rome' } }

describe('a query of a table', () => {
  it.prop([things, predicate], { numRuns: 300 })(
    'finds the same rows as the data library, in the same order',
    async (rows, predicate) => {
      const library = await libraryOf(rows)
      const table = tableOf(rows)

      // The library's records are the rows with extra symbols.
      const asLibrary = predicate as Parameters<typeof library.findMany>[0]

      expect([table.findMany(predicate), table.findFirst(predicate)]).toEqual([
        library.findMany(asLibrary).map(row => ({ ...row })),
        copyOf(library.findFirst(asLibrary)),
      ])
    },
  )

  it.prop([things, chain])('can be kept and used again', (rows, chain) => {
    const table = tableOf(rows)

    const found = table.findMany(chain)

    expect(table.findMany(chain)).toEqual(found)
  })

  it.each<readonly [how: string, predicate: (other: Query<Thing>) => Predicate<Thing>]>([
    ['as it is', other => other],
    ['in a where', other => q => q.where(other as never)],
    ['in an and', other => q => q.where({ colour: 'red' }).and(other)],
    ['in an or', other => q => q.where({ colour: 'blue' }).or(other)],
  ])('of another copy of the library is accepted %s', (_, predicate) => {
    // Instances of another copy fail `instanceof`, so only their behaviour identifies them.
    const other = { test: (thing: Thing) => thing.size === 2 } as unknown as Query<Thing>
    const small = { thing_id: 'a', colour: 'red', size: 1, words: [] }
    const large = { ...small, thing_id: 'b', size: 2 }

    expect(tableOf([small, large]).findMany(predicate(other))).toEqual([large])
  })

  it.each<readonly [string, Predicate<Thing>, string]>([
    ['a key looks at that row only', q => q.where({ thing_id: 'a' }).and(() => true), 'things#a'],
    ['an indexed column looks at that group only', q => q.where({ colour: 'red', size: 1 }), 'things.colour=red'],
    ['a key or another looks at all rows', q => q.where({ thing_id: 'a' }).or({ thing_id: 'b' }), 'things'],
    ['a column without an index looks at all rows', q => q.where({ size: 1 }), 'things'],
    ['a missing row looks at its place', q => q.where({ thing_id: 'b' }), 'things#b'],
  ])('that names %s', (_, predicate, tag) => {
    expect(tagsOf(predicate)).toEqual([tag])
  })

  it('with a key and a condition against that row finds nothing', () => {
    const table = tableOf([red])

    const found = [
      table.findFirst(q => q.where({ thing_id: 'a' }).where({ thing_id: 'b' })),
      table.findFirst(q => q.where({ thing_id: 'a' }).and(() => false)),
      table.findFirst(q => q.where({ thing_id: 'a', colour: 'blue' })),
      table.findFirst(q => q.where({ thing_id: 'a' }).and({ colour: 'blue' })),
    ]

    expect(found).toEqual([undefined, undefined, undefined, undefined])
  })
})

function copyOf(row: Thing | undefined): Thing | undefined {
  return row && { ...row }
}
