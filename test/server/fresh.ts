import { Query } from '@mswjs/data'
import { behaviours } from '../../src/behaviour/behaviours.js'
import { operations } from '../../src/contract/operations.js'
import { type Answerer, createAnswerer } from '../../src/server/answer.js'
import type { Call } from '../../src/server/behave.js'
import { WorldFaults } from '../../src/server/faults.js'
import { createFinisher } from '../../src/server/finish.js'
import { History } from '../../src/server/history.js'
import { createExchangeLog } from '../../src/server/log.js'
import { rankingOf, summandOf } from '../../src/store/derived.js'
import { mapTables } from '../../src/store/map-tables.js'
import { idOf } from '../../src/store/model.js'
import type { Predicate } from '../../src/store/query.js'
import type { TableName } from '../../src/store/rows.js'
import type { Summand } from '../../src/store/sum-index.js'
import type { ReadTable, ReadTables } from '../../src/store/table.js'
import type { LiveWorld, View } from '../../src/store/world.js'

/**
 * What a mock of a world answers that keeps nothing and takes no short cut: each read walks all rows, asks the data library
 * of each, and is encoded anew. It is for reads, and never blocks. The index of a watch comes from the change sets alone.
 */
export function freshAnswerer(world: LiveWorld): Answerer {
  const revisions = trueRevisions(world)
  let seen: number[] = []
  const tables = mapTables<ReadTables>(name =>
    walked({ name, all: () => world[name].all(), id: idOf(name) as (row: object) => string }, id =>
      seen.push(revisions(`${name} ${id}`)),
    ),
  )
  const view: View = { tables, hasPassed: at => world.clock.now() >= at }
  const carryOut = ({ id, caller, input }: Call) => {
    seen = []
    // The table of operations says which calls a behaviour takes.
    const output = behaviours[id]({ caller, input, ...view } as never) as object
    return operations[id].kind === 'watch' ? { ...output, watch: { index: String(Math.max(...seen)) } } : output
  }
  const onBug = (error: unknown) => {
    throw error
  }
  const fresh: LiveWorld = Object.create(world, Object.getOwnPropertyDescriptors({ ...tables, view }))
  const log = createExchangeLog()
  const history = new History(0)
  const finisher = createFinisher({
    worldId: 'default',
    world: fresh,
    corsOrigins: [],
    log,
    history,
    rayId: () => 'no ray',
    onBug,
  })
  const answer = createAnswerer({ world: fresh, finisher, faults: new WorldFaults(fresh), carryOut })
  // A query that has no parameter is parsed each time; none at all is not.
  return exchange => answer({ ...exchange, query: exchange.query || '&' })
}

/** Tells which revision touched a record last, by its table and its id. */
function trueRevisions(world: LiveWorld): (record: string) => number {
  const beginning = world.revision
  const last = new Map<string, number>()
  world.subscribe(({ revision, puts, deletes }) => {
    for (const { table, id } of [...puts, ...deletes]) last.set(`${table} ${id}`, revision)
  })
  return record => last.get(record) ?? beginning
}

interface Walk<Row> {
  readonly name: TableName
  all(): Row[]
  id(row: Row): string
}

/** A table whose reads walk all of its rows. */
function walked<Row extends object>({ name, all, id }: Walk<Row>, onGet: (id: string) => void): ReadTable<Row> {
  const findMany = (predicate: Predicate<Row> = query => query) => {
    const query = typeof predicate === 'function' ? predicate(new Query<Row>()) : predicate
    return all().filter(row => query.test(row))
  }
  return {
    all,
    findMany,
    get(wanted) {
      onGet(wanted)
      return all().find(row => id(row) === wanted)
    },
    findFirst: predicate => findMany(predicate)[0],
    count: predicate => findMany(predicate).length,
    sum: (sum, under) => summed(all(), { summand: summandOf(name, sum), under }),
    ranked(order, among) {
      const ranking = rankingOf(name, order)
      return all()
        .map(row => ({ row, place: ranking(row) }))
        .filter(({ place }) => place?.[0] === among)
        .sort((one, other) => (one.place?.[1] ?? 0) - (other.place?.[1] ?? 0))
        .map(({ row }) => row)
    },
  }
}

function summed(rows: readonly object[], { summand, under }: { summand: Summand<object>; under: string }): number {
  return rows.reduce((sum, row) => {
    const [place, amount] = summand(row) ?? []
    return place === under ? sum + (amount ?? 0) : sum
  }, 0)
}
