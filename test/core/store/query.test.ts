import { it } from '@fast-check/vitest'
import type { Query } from '@mswjs/data'
import { describe, expect } from 'vitest'
import * as z from 'zod'
import { Dependencies } from '../../../src/core/store/dependencies.js'
import type { Predicate } from '../../../src/core/store/query.js'
import { TreeTable } from '../../../src/core/store/table.js'
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

const shape = {
  name: 'things',
  key: ['thing_id'],
  idOf: ({ thing_id }: Thing) => thing_id,
  indexes: { colour: { columns: ['colour' as const] }, ranked: { columns: [], rank: ({ size }: Thing) => -size } },
  unique: { owner: { column: 'owner' as const, values: ({ owner }: Thing) => (owner === undefined ? [] : [owner]) } },
  sums: {},
  views: {},
}

function tableOf(rows: readonly Thing[], dependencies = new Dependencies()): TreeTable<Thing> {
  return new TreeTable(TableState.fromRows<Thing>(shape, rows, 1), { dependencies, openTransaction: undefined })
}

/** Returns the dependencies of a query. */
function tagsOf(predicate: Predicate<Thing>): string[] {
  const dependencies = new Dependencies()
  const table = tableOf([red], dependencies)
  return [...dependencies.track(() => table.findMany(predicate)).tags]
}

const red: Thing = { thing_id: 'a', colour: 'red', size: 1, words: [], place: { city: 'Rome' } }

describe('a query of a table', () => {
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
