import { Collection } from '@mswjs/data'
import { TypedEvent } from 'rettime'
import * as z from 'zod'
import { clearOnWrite, draftOf, getKey, isJsonObject, sameJson } from '../lib/json.js'
import { checkFunction, didYouMean, quoted, UsageError } from '../lib/messages.js'
import type { ChangeSet } from './change-set.js'
import type { LiveClock } from './clock.js'
import { expandInput } from './expand-input.js'
import type { Inputs } from './inputs.js'
import { type Model, newRow, parseRow, type RowChange, type Tables } from './model.js'
import { fieldsOf, models } from './models.js'
import type { Predicate } from './query.js'
import type { Random } from './random.js'
import { PendingUpdate, Records, type RowStore } from './records.js'
import type { Rows, TableName } from './rows.js'
import type { TreeTable } from './table.js'
import {
  type ListOptions,
  type QueryOptions,
  sortRows,
  type Table,
  type TransactionTable,
  type UpdateOptions,
} from './table-calls.js'
import type { Transaction } from './transaction.js'
import { mapTables } from './world-state.js'

/** The tables of a world. */
export type WorldTables = { readonly [Name in TableName]: Table<Rows[Name], Inputs[Name]> }

/** The tables of a world inside a transaction. */
export type TransactionTables = { readonly [Name in TableName]: TransactionTable<Rows[Name], Inputs[Name]> }

interface CollectionHost {
  readonly tables: Tables
  readonly random: Random
  readonly clock: LiveClock
  readonly openTransaction: Transaction | undefined
  outageOf(region_id: string): string | undefined
  write<T>(write: () => T): T
  subscribe(listener: (changeSet: ChangeSet) => void): () => void
}

/** Opens the tables of one call of `world.transaction`. They refuse writes after `end`. */
export function openTables(world: CollectionHost): { readonly tables: TransactionTables; end(): void } {
  let hasEnded = false
  const insideOf = (name: TableName): Pick<RowStore<object>, 'isSynchronous' | 'transaction'> => ({
    isSynchronous: true,
    transaction(write) {
      if (hasEnded)
        throw new UsageError(
          `${name}: this transaction has ended. Write inside its function, or call world.transaction again`,
        )
      return world.write(write)
    },
  })
  return {
    // Not a spread: engines make slow objects of long spreads.
    tables: mapTables<TransactionTables>(name => new Records(Object.assign(rowStore(name, world), insideOf(name)))),
    end() {
      hasEnded = true
    },
  }
}

/** Creates a row inside a transaction, as `create` of its table does. Messages begin with `call`. */
export function createAs<Name extends TableName>(
  call: string,
  name: Name,
  input: Inputs[Name],
  world: CollectionHost,
): Rows[Name] {
  return new Records(rowStore(name, world)).createAs(call, input) as Rows[Name] // a row of that table
}

/** Connects a table with the rules of its model. */
export function rowStore(name: TableName, world: CollectionHost): RowStore<object> {
  // The compiler cannot follow one name through tables and models.
  const model: Model = models[name]
  const table: TreeTable<object> = world.tables[name]
  const checkChange = (call: string, before: object | undefined, after: object) => {
    const problem = model.checkPublicChange?.({ before, after }, world)
    if (problem !== undefined) throw new UsageError(`${call}: ${problem}`)
  }
  return {
    name,
    fields: fieldsOf(name),
    table,
    idOf(row) {
      const values: unknown[] = model.key.map(column => getKey(row, column))
      return values.every(value => typeof value === 'string') ? values.join('/') : undefined
    },
    transaction: write => world.write(write),
    writeCount: () => world.openTransaction?.savepoint ?? 0,
    beforeRead: () => void world.clock.catchUp(),
    create(call, input) {
      const context = { tables: world.tables, random: world.random, now: world.clock.now() }
      const { columns, ownedRows } = expandInput(name, input, { ...context, call })
      const row = newRow(model, columns, context, call)
      checkChange(call, undefined, row)
      return {
        row,
        createOwned() {
          for (const { table, path, input } of ownedRows(row))
            createAs(`${call}${call.includes(': ') ? '.' : ': '}${path}`, table, input, world)
        },
      }
    },
    change(call, row, draft) {
      dropFormerColumns(draft, row, model.schema)
      const next = parseRow<object>(model.schema, draft, call)
      checkChange(call, row, next)
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

/** Removes the columns of the former status from a draft, unless the update has set them. */
function dropFormerColumns(draft: object, row: object, schema: z.ZodType): void {
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return
  const { discriminator, options } = schema.def
  const status = getKey(draft, discriminator)
  if (status === getKey(row, discriminator)) return
  const shapes = (options as readonly z.ZodObject[]).map(option => option.shape) // rows are plain objects
  const shape = shapes.find(({ [discriminator]: literal }) => literal?.safeParse(status).success)
  if (!shape) return
  for (const column of Object.keys(draft))
    if (!Object.hasOwn(shape, column) && sameJson(getKey(draft, column), getKey(row, column)))
      Reflect.deleteProperty(draft, column)
}

/** The library's emitter of changes. The compiler cannot know the rows of its events. */
interface Hooks {
  emit(event: TypedEvent<object>): unknown
  on(...args: HookArguments): unknown
  once(...args: HookArguments): unknown
}

type HookArguments = [name: string, listener: unknown, options?: object]

/** The names of the events, and that of all of them. */
const hookNames = ['create', 'update', 'delete', '*']

/** Lets `on` and `once` check their arguments at once. The library would fail when it calls the listener. */
function checkHooks(hooks: Hooks): void {
  for (const method of ['on', 'once'] as const) {
    const add = hooks[method].bind(hooks)
    hooks[method] = (...args) => {
      const [name, listener] = args
      if (!hookNames.includes(name))
        throw new UsageError(`hooks.${method}: the event is ${quoted(name)}.${didYouMean(String(name), hookNames)}`)
      checkFunction(`hooks.${method}: the listener`, listener)
      return add(...args)
    }
  }
}

/** The library's class without its signatures. Those of `Table` also take ids. */
const LibraryCollection = Collection as unknown as new (options: { schema: unknown }) => { readonly hooks: Hooks }

/**
 * A Collection of the data library with the rows of a table. Each writing call is a transaction of its own. Hooks run after
 * each transaction, including those of requests and jobs.
 */
export class TableCollection<Row extends object> extends LibraryCollection {
  readonly #records: Records<Row>

  constructor(store: RowStore<Row>, schema: unknown) {
    super({ schema })
    this.#records = new Records(store)
    const { hooks } = this
    let isSubscribed = false
    Object.defineProperty(this, 'hooks', {
      get() {
        if (!isSubscribed) {
          store.subscribe(changes => emitChanges(hooks, changes))
          checkHooks(hooks)
        }
        isSubscribed = true
        return hooks
      },
    })
  }

  get(id: string): Row | undefined {
    return this.#records.get(id)
  }

  all(): Row[] {
    return this.#records.all()
  }

  findFirst(predicate?: Predicate<Row>, options?: QueryOptions): Row | undefined {
    return this.#records.findFirst(predicate, options)
  }

  findMany(predicate?: Predicate<Row>, options?: ListOptions<Row>): Row[] {
    return this.#records.findMany(predicate, options)
  }

  count(predicate?: Predicate<Row>): number {
    return this.#records.count(predicate)
  }

  async create(input: unknown): Promise<Row> {
    return this.#records.create(input)
  }

  async createMany(count: number, inputOf: (index: number) => unknown): Promise<Row[]> {
    return this.#records.createMany(count, inputOf)
  }

  async update(first: unknown, second: unknown): Promise<Row | undefined> {
    try {
      return this.#records.update(first, second)
    } catch (error) {
      if (!(error instanceof PendingUpdate)) throw error
      await error.done
      return this.#records.applyDrafts([error])[0]
    }
  }

  async updateMany(
    predicate: Predicate<Row> | undefined,
    options: UpdateOptions<Row> & ListOptions<Row>,
  ): Promise<Row[]> {
    try {
      return this.#records.updateMany(predicate, options)
    } catch (error) {
      if (!(error instanceof PendingUpdate)) throw error
      // The rollback has put the same rows back.
      const rows = this.#records.findMany(predicate)
      await error.done
      const pending: PendingUpdate<Row>[] = []
      for (const row of rows) {
        if (row === error.row) {
          pending.push(error)
          continue
        }
        const draft = draftOf(row, clearOnWrite)
        await options.data(draft)
        pending.push(new PendingUpdate(row, draft as object, Promise.resolve())) // a row is an object
      }
      return sortRows(this.#records.applyDrafts(pending), options.orderBy)
    }
  }

  delete(first: unknown, options?: unknown): Row | undefined {
    return this.#records.delete(first, options)
  }

  deleteMany(predicate?: Predicate<Row>, options?: ListOptions<Row>): Row[] {
    return this.#records.deleteMany(predicate, options)
  }

  clear(): void {
    this.#records.clear()
  }

  defineRelations(): never {
    throw new UsageError('a table cannot have relations of the data library: tables refer to each other by ids')
  }
}

function emitChanges(hooks: Hooks, changes: readonly RowChange<object>[]): void {
  for (const { before, after } of changes) {
    if (!before) hooks.emit(new TypedEvent('create', { data: { record: after } }))
    else if (!after) hooks.emit(new TypedEvent('delete', { data: { deletedRecord: before } }))
    else
      for (const { path, prevValue, nextValue } of differences(before, after, []))
        hooks.emit(
          new TypedEvent('update', {
            data: { prevRecord: before, nextRecord: after, path, prevValue, nextValue },
          }),
        )
  }
}

function differences(
  before: object,
  after: object,
  path: readonly string[],
): { path: readonly string[]; prevValue: unknown; nextValue: unknown }[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap(key => {
    const [prevValue, nextValue]: unknown[] = [getKey(before, key), getKey(after, key)]
    if (sameJson(prevValue, nextValue)) return []
    if (isJsonObject(prevValue) && isJsonObject(nextValue)) return differences(prevValue, nextValue, [...path, key])
    return [{ path: [...path, key], prevValue, nextValue }]
  })
}
