import { fc, it } from '@fast-check/vitest'
import { describe, expect } from 'vitest'
import type { Change } from '../../src/store/landing.js'
import { Records } from '../../src/store/records.js'
import { Tracking } from '../../src/store/tracker.js'

interface Row {
  readonly id: string
  readonly colour: string
}
type Entry = readonly [string, Row]

const row = (id: string, colour: string): Entry => [id, { id, colour }]
const begin = (rows: readonly Entry[]) =>
  Records.of<Row>(rows, { table: 'things', tracking: new Tracking(), revision: 1 })
const rowsOf = (records: Records<Row>) => [...records.rows()]
const land = (records: Records<Row>, changes: Iterable<readonly [string, Change<Row>]>, revision = 2) =>
  records.land(new Map(changes), { revision, touched: new Set() })

const id = fc.constantFrom('a', 'b', 'c', 'd')
const colour = fc.constantFrom('red', 'green')
const change: fc.Arbitrary<readonly [string, Change<Row>]> = fc.oneof(
  id.map((id): readonly [string, Change<Row>] => [id, 'delete']),
  fc
    .tuple(id, colour, fc.boolean())
    .map(([id, colour, again]): readonly [string, Change<Row>] => [id, { put: { id, colour }, again }]),
)
const writes = fc.array(fc.tuple(fc.constantFrom('original', 'fork'), fc.array(change, { maxLength: 4 })))
const beginning = fc
  .uniqueArray(fc.tuple(id, colour), { selector: ([id]) => id })
  .map(rows => rows.map(([id, colour]) => row(id, colour)))

describe('a fork of records', () => {
  it.prop([beginning, writes])('and its original never see what is written to the other', (rows, writes) => {
    const original = begin(rows)
    const both = { original, fork: original.fork(new Tracking()) }
    const alone = { original: begin(rows), fork: begin(rows) }

    for (const [i, [which, changes]] of writes.entries()) {
      for (const records of [both[which as 'fork'], alone[which as 'fork']]) land(records, changes, 2 + i)
      expect([rowsOf(both.original), rowsOf(both.fork)]).toEqual([rowsOf(alone.original), rowsOf(alone.fork)])
    }
  })

  it.prop([beginning, writes, colour])(
    'and its original find by index only their own records',
    (rows, writes, colour) => {
      const original = begin(rows)
      const both = { original, fork: original.fork(new Tracking()) }

      for (const [which, changes] of writes) {
        land(both[which as 'fork'], changes)
        for (const records of Object.values(both))
          expect([...records.indexed('colour', colour)]).toEqual(rowsOf(records).filter(row => row.colour === colour))
      }
    },
  )

  it('has the very same rows until one of the two writes', () => {
    const original = begin([row('a', 'red'), row('b', 'red')])

    const fork = original.fork(new Tracking())
    land(original, [['a', { put: { id: 'a', colour: 'green' }, again: false }]])

    expect([fork.get('a') === original.get('a'), fork.get('b') === original.get('b')]).toEqual([false, true])
  })

  it('of a fork is independent of both', () => {
    const original = begin([row('a', 'red')])
    const fork = original.fork(new Tracking())
    const second = fork.fork(new Tracking())

    land(fork, [['a', 'delete']])

    expect([original, fork, second].map(records => rowsOf(records).length)).toEqual([1, 0, 1])
  })
})

describe('records that are restored', () => {
  it.prop([beginning, fc.array(fc.array(change, { maxLength: 4 })), colour])(
    'have the rows, order and index of the beginning',
    (rows, turns, colour) => {
      const records = begin(rows)
      const begun = records.fork(new Tracking())
      const indexed = () => [...records.indexed('colour', colour)].map(({ id }) => id)
      const before = indexed()
      for (const [i, changes] of turns.entries()) land(records, changes, 2 + i)

      records.restore(begun, { revision: 99, touched: new Set() })

      expect([rowsOf(records), indexed()]).toEqual([rowsOf(begun), before])
    },
  )

  it.prop([beginning, fc.array(fc.array(change, { maxLength: 4 }))])(
    'tell each record that differs, and no other',
    (rows, turns) => {
      const records = begin(rows)
      const begun = records.fork(new Tracking())
      for (const [i, changes] of turns.entries()) land(records, changes, 2 + i)
      const before = new Map(rowsOf(records).map(row => [row.id, row]))

      const { puts, deletes } = records.restore(begun, { revision: 99, touched: new Set() })

      const there = new Map(rowsOf(begun).map(row => [row.id, row]))
      const differing = [...there].filter(([id, row]) => before.get(id)?.colour !== row.colour).map(([id]) => id)
      expect([puts.map(({ id }) => id), deletes.sort()]).toEqual([
        expect.arrayContaining(differing),
        [...before.keys()].filter(id => !there.has(id)).sort(),
      ])
    },
  )

  it.prop([beginning, fc.array(fc.array(change, { maxLength: 4 }))])(
    'go on as records that were never written to',
    (rows, turns) => {
      const records = begin(rows)
      const begun = records.fork(new Tracking())
      for (const changes of turns) land(records, changes)
      records.restore(begun, { revision: 3, touched: new Set() })
      const fresh = begin(rows)

      for (const changes of turns) {
        land(records, changes, 4)
        land(fresh, changes, 4)
      }

      expect(rowsOf(records)).toEqual(rowsOf(fresh))
    },
  )
})
