import { quoted } from '../lib/quote.js'
import { UsageError } from '../lib/usage-error.js'
import type { Filling } from './filling.js'
import { draftOf } from './json-copy.js'
import { shedFormerKind } from './kind.js'
import type { Change } from './landing.js'
import { makeRow } from './library.js'
import { lazyTables } from './map-tables.js'
import { idOf, type Model, models, tableNames } from './model.js'
import { Overlay } from './overlay.js'
import type { Random } from './random.js'
import type { AllRecords } from './records.js'
import type { Inputs, Rows, TableName } from './rows.js'
import {
  type InnerTables,
  publicReads,
  type ReadTable,
  type ReadTables,
  readTable,
  type Table,
  type Tables,
} from './table.js'
import { nothingFound, readDelete, readInput, readUpdate, type Selection, unknownId } from './table-arguments.js'
import type { Following, RowChange, Writes } from './writes.js'

/** One write to a world, before it is committed. */
interface Turn {
  /** Reads look through what the turn has changed; writes are queued, one after the other. */
  readonly tables: Tables
  readonly writes: Writes
  /** What the turn has done to the records of a table, by id. */
  changes(name: TableName): ReadonlyMap<string, Change<object>>
  /** Waits for the queue, checks that the records still fit together, and ends the turn. Throws what any of its writes threw. */
  finish(): Promise<void>
  /** Waits for what is still queued when the turn fails, so that none of it draws from the world's chance later. */
  abandon(): Promise<void>
}

/** What a turn is made over: the committed records, and the world's chance and time in ms. */
interface TurnOptions {
  readonly records: AllRecords
  readonly random: Random
  now(): number
}

const unchanged: ReadonlyMap<string, Change<object>> = new Map()

/** Begins a turn over committed records. A write that fails fails the whole turn. Most turns use few of the tables. */
export function createTurn({ records, random, now }: TurnOptions): Turn {
  const overlays = new Map<TableName, Overlay<object>>()
  const overlayOf = (name: TableName) => {
    const known = overlays.get(name)
    if (known) return known
    // One name for both: see mapTables.
    const overlay = new Overlay<object>(records[name] as never, idOf(name) as never)
    overlays.set(name, overlay)
    return overlay
  }
  const reads = lazyTables<InnerTables>(name => readTable<object>(overlayOf(name), models[name]))
  const queue = createQueue()
  const filling = () => ({ tables: reads, random, now: now() })
  const writeTo = (name: TableName, id: string, row: object | undefined) => {
    const overlay = overlayOf(name)
    const before = overlay.get(id)
    if (row) overlay.put(row)
    else if (before) overlay.delete(id)
    const model: Model<TableName> = models[name] as never // one name for both: see mapTables
    model.follow?.({ before: before as never, after: row as never }, following)
  }
  const following: Following = {
    reads,
    get now() {
      return now()
    },
    put: (name, row) => writeTo(name, idOf(name)(row), row),
    delete: (name, id) => writeTo(name, id, undefined),
  }
  const tables = lazyTables<Tables>(name =>
    createTable(name, { overlay: overlayOf(name) as never, read: reads[name] as never, queue, filling, following }),
  )
  return {
    tables,
    writes: following,
    changes: name => overlays.get(name)?.changes ?? unchanged,
    async finish() {
      await queue.end()
      const used = tableNames.filter(name => overlays.has(name))
      for (const name of used) checkFit(name, { overlay: overlayOf(name) as never, reads })
    },
    abandon: () => queue.end().catch(() => {}),
  }
}

interface Queue {
  /** Runs after all that was queued before; its failure is the turn's. */
  add<T>(write: () => Promise<T>): Promise<T>
  end(): Promise<void>
}

function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  let failed: { readonly error: unknown } | undefined
  let ended = false
  return {
    add(write) {
      if (ended)
        throw new UsageError('this turn has ended: await every write before the function of world.write returns')
      const result = last.then(write)
      last = result.catch(error => {
        failed ??= { error }
      })
      return result
    },
    async end() {
      for (let seen: unknown; seen !== last; ) {
        seen = last
        await last
      }
      ended = true
      if (failed) throw failed.error
    },
  }
}

interface TableParts<Row extends object> {
  readonly overlay: Overlay<Row>
  readonly read: ReadTable<Row>
  readonly queue: Queue
  filling(): Filling
  readonly following: Following
}

function createTable<Name extends TableName>(
  name: Name,
  { overlay, read, queue, filling, following }: TableParts<Rows[Name]>,
): Table<Rows[Name], Inputs[Name]> {
  type Row = Rows[Name]
  const model: Model<Name> = models[name] as never
  const id = idOf(name)
  const write = (call: string) => ({ schema: model.schema, where: `${name}.${call}` })
  const refuse = (call: string, change: RowChange<Row>) => {
    const problem = model.refuses?.(change, following.reads)
    if (problem !== undefined) throw new UsageError(`${name}.${call}: ${problem}`)
  }
  const find = (call: string, selected: Selection<Row>): Row | undefined => {
    if ('id' in selected) {
      const row = overlay.get(selected.id)
      if (row) return row
      throw new UsageError(unknownId(call, { id: selected.id, ids: Array.from(overlay.rows(), id) }))
    }
    return read.findFirst(selected.predicate) ?? nothingFound(call, selected.isStrict)
  }
  // What follows from a write may have changed its row once more.
  const standing = (row: Row) => overlay.get(id(row)) ?? row
  return {
    ...publicReads(name, read),
    create: (input: Inputs[Name]) =>
      queue.add(async () => {
        readInput(`${name}.create`, input)
        const row = await makeRow<Row>(model.fill(input, filling()), write('create'))
        if (overlay.get(id(row)))
          throw new UsageError(`${name}.create: ${model.key.join('/')} ${quoted(id(row))} is there already`)
        refuse('create', { before: undefined, after: row })
        following.put(name, row)
        return standing(row)
      }),
    // One by its id, and one of a strict query, is always there, or the call throws.
    update: ((...call: readonly unknown[]) =>
      queue.add(async () => {
        const { selected, change } = readUpdate<Row>(`${name}.update`, call)
        const row = find(`${name}.update`, selected)
        if (!row) return undefined
        const draft = draftOf(row)
        await change(draft)
        shedFormerKind(draft, { row, schema: model.schema })
        const next = await makeRow<Row>(draft, write('update'))
        if (id(next) !== id(row))
          throw new UsageError(
            `${name}.update: ${model.key.join('/')} ${quoted(id(row))} cannot become ${quoted(id(next))}`,
          )
        refuse('update', { before: row, after: next })
        following.put(name, next)
        return standing(next)
      })) as Table<Row, Inputs[Name]>['update'],
    delete: ((...call: readonly unknown[]) =>
      queue.add(async () => {
        const row = find(`${name}.delete`, readDelete<Row>(`${name}.delete`, call))
        if (row) following.delete(name, id(row))
        return row
      })) as Table<Row, Inputs[Name]>['delete'],
  }
}

function checkFit<Name extends TableName>(
  name: Name,
  { overlay, reads }: { readonly overlay: Overlay<Rows[Name]>; readonly reads: ReadTables },
): void {
  const model: Model<Name> = models[name] as never
  for (const [id, change] of overlay.changes) {
    const before = overlay.base.get(id)
    const problem = change === 'delete' ? before && model.neededBy?.(before, reads) : model.check?.(change.put, reads)
    if (problem !== undefined) throw new UsageError(`${name} ${quoted(id)}: ${problem}`)
  }
}
