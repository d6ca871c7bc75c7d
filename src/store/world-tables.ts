import * as z from 'zod'
import { sameJson } from '../lib/json.js'
import { UsageError } from '../lib/usage-error.js'
import type { ChangeSet } from './change-set.js'
import type { WorldClock } from './clock.js'
import { Records, type RowStore, TableCollection, TransactionRecords } from './collection.js'
import { expandInput, type Inputs } from './inputs.js'
import { type Model, parseRow, type Tables } from './model.js'
import { fieldsOf, models, tableNames } from './models.js'
import type { Random } from './random.js'
import type { Rows, TableName } from './rows.js'
import type { Table as StoredTable } from './table.js'
import type { Table, TransactionTable } from './table-calls.js'

/** The tables of a world. */
export type WorldTables = { readonly [Name in TableName]: Table<Rows[Name], Inputs[Name]> }

/** The tables of a world inside a transaction. */
export type TransactionTables = { readonly [Name in TableName]: TransactionTable<Rows[Name], Inputs[Name]> }

/** The parts of a world that its collections work on. */
interface CollectionHost {
  readonly tables: Tables
  readonly random: Random
  readonly clock: WorldClock
  write<T>(write: () => T): T
  subscribe(listener: (changeSet: ChangeSet) => void): () => void
}

/** Creates the Collection of a table. */
export function createCollection(name: TableName, world: CollectionHost): TableCollection<object> {
  return new TableCollection(rowStore(name, world), models[name].schema)
}

/** The tables inside one call of `world.transaction`. They refuse writes once it has ended. */
export class TransactionScope {
  readonly #world: CollectionHost
  readonly #tables: { [Name in TableName]?: TransactionRecords<object> } = {}
  #hasEnded = false

  constructor(world: CollectionHost) {
    this.#world = world
  }

  static {
    for (const name of tableNames)
      Object.defineProperty(TransactionScope.prototype, name, {
        get(this: TransactionScope) {
          this.#tables[name] ??= this.#open(name)
          return this.#tables[name]
        },
      })
  }

  get tables(): TransactionTables {
    return this as unknown as TransactionTables // the compiler does not see the getters
  }

  end(): void {
    this.#hasEnded = true
  }

  #open(name: TableName): TransactionRecords<object> {
    const store = rowStore(name, this.#world)
    return new TransactionRecords({
      ...store,
      transaction: write => {
        if (this.#hasEnded)
          throw new UsageError(
            `${name}: this transaction has ended. Write inside its function, or call world.transaction again`,
          )
        return store.transaction(write)
      },
    })
  }
}

/** Connects a table with the rules of its model. */
function rowStore(name: TableName, world: CollectionHost): RowStore<object> {
  // The compiler cannot follow one name through tables and models.
  const model: Model = models[name]
  const table: StoredTable<object> = world.tables[name]
  const refuse = (call: string, before: object | undefined, after: object) => {
    const problem = model.refuse?.({ before, after }, world.tables)
    if (problem !== undefined) throw new UsageError(`${call}: ${problem}`)
  }
  return {
    name,
    fields: fieldsOf(name),
    table,
    idOf(row) {
      const values: unknown[] = model.key.map(column => row[column as never]) // its own columns
      return values.every(value => typeof value === 'string') ? values.join('/') : undefined
    },
    transaction: write => world.write(write),
    beforeRead: () => void world.clock.catchUp(),
    expand(call, input) {
      const { columns, ownedRows } = expandInput(name, input, { call, tables: world.tables, now: world.clock.now() })
      return {
        columns,
        createOwned(row) {
          for (const { table, path, input } of ownedRows(row))
            new Records(rowStore(table, world)).createAs(`${call}${call.includes(': ') ? '.' : ': '}${path}`, input)
        },
      }
    },
    create(call, columns) {
      const context = { tables: world.tables, random: world.random, now: world.clock.now() }
      const row = parseRow<object>(model.schema, model.withDefaults(columns, context), call)
      refuse(call, undefined, row)
      return row
    },
    change(call, row, draft) {
      dropFormerColumns(draft, row, model.schema)
      const next = parseRow<object>(model.schema, draft, call)
      refuse(call, row, next)
      return next
    },
    subscribe(listener) {
      world.subscribe(({ changes }) => {
        const own = changes.filter(change => change.table === name)
        if (own.length > 0) listener(own.map(({ before, after }) => ({ before: before?.row, after: after?.row })))
      })
    },
  }
}

type Columns = Readonly<Record<string, unknown>>

/**
 * Removes from a draft the columns of its former status, if an update has changed the status: a lobby that becomes ready has
 * no `ready_by` any more. Keeps columns that the update has set. Does nothing for a row that is not of a union.
 */
function dropFormerColumns(draft: object, row: object, schema: z.ZodType): void {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return
  const { discriminator, options } = schema.def
  const [was, is] = [row as Columns, draft as Columns]
  if (was[discriminator] === is[discriminator]) return
  const shapes = (options as readonly z.ZodObject[]).map(option => option.shape) // rows are plain objects
  const shape = shapes.find(({ [discriminator]: status }) => status?.safeParse(is[discriminator]).success)
  if (!shape) return
  for (const column of Object.keys(is))
    if (!Object.hasOwn(shape, column) && sameJson(is[column], was[column])) Reflect.deleteProperty(draft, column)
}
