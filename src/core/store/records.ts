import { clearOnWrite, draftOf, exactValue, sameJson, setKey } from '../lib/json.js'
import { didYouMean, quoted, reworded, UsageError } from '../lib/messages.js'
import type { RowChange } from './model.js'
import { isFieldValues, type Predicate } from './query.js'
import type { TreeTable } from './table.js'
import {
  type ChangeDraft,
  type ListOptions,
  nothingFound,
  paginate,
  type QueryOptions,
  readChanges,
  readId,
  readList,
  readSelection,
  readStrict,
  readUpdateOptions,
  type Selection,
  sortRows,
  type UpdateOptions,
  unknownId,
} from './table-calls.js'

/** A table and the rules of its rows. */
export interface RowStore<Row extends object> {
  /** The name of the table in messages. */
  readonly name: string
  /** The fields of its rows. Default: any. */
  readonly fields?: readonly string[]
  readonly table: TreeTable<Row>
  /** `undefined`: the value is not a row. */
  idOf(row: Row): string | undefined
  /** Runs a function in a transaction. */
  transaction<T>(write: () => T): T
  /** The number of writes in the open transaction. */
  writeCount(): number
  /** Runs the jobs that are due. Called before each read. */
  beforeRead(): void
  /** Builds a new row. `createOwned` creates the rows that belong to it. Throws `UsageError` if it does not fit the schema. */
  create(call: string, input: unknown): { readonly row: Row; createOwned(): void }
  /** Builds the changed row from a draft. Throws `UsageError` if the draft does not fit the schema. */
  change(call: string, row: Row, draft: object): Row
  /** Calls the listener after each transaction that changed rows of the table. */
  subscribe(listener: (changes: readonly RowChange<object>[]) => void): void
  /** `data` must not return a promise, as inside `world.transaction`. Default: it may. */
  readonly isSynchronous?: true
}

/** Thrown if a `data` function returns a promise, to roll the transaction back. A later transaction writes the draft. */
export class PendingUpdate<Row> extends Error {
  constructor(
    readonly row: Row,
    readonly draft: object,
    readonly done: PromiseLike<unknown>,
  ) {
    super()
  }
}

/** The calls of a table. All are synchronous, and each writing call is a transaction. */
export class Records<Row extends object> {
  readonly #store: RowStore<Row>

  constructor(store: RowStore<Row>) {
    this.#store = store
  }

  get(id: string): Row | undefined {
    return this.#read().get(readId(this.#call('get'), id))
  }

  all(): Row[] {
    return this.#read().all()
  }

  findFirst(predicate?: Predicate<Row>, options?: QueryOptions): Row | undefined {
    const isStrict = readStrict(this.#call('findFirst'), options)
    const row = this.#read().findFirst(this.#checkQuery('findFirst', predicate))
    if (!row && isStrict) throw nothingFound('findFirst', this.#store.name, predicate === undefined)
    return row
  }

  findMany(predicate?: Predicate<Row>, options?: ListOptions<Row>): Row[] {
    const list = readList<Row>(this.#call('findMany'), options, ['strict', 'orderBy', 'cursor', 'skip', 'take'])
    const query = this.#checkQuery('findMany', predicate)
    const table = this.#read()
    if (list.cursor !== undefined) return this.#fromCursor(query, list)
    const rows = sortRows(table.findMany(query), list.orderBy)
    const found = paginate(rows, list)
    if (found.length === 0 && list.strict) throw nothingFound('findMany', this.#store.name)
    return found
  }

  count(predicate?: Predicate<Row>): number {
    const table = this.#read()
    return predicate === undefined ? table.count() : table.findMany(this.#checkQuery('count', predicate)).length
  }

  create(input: unknown): Row {
    return this.createAs(this.#call('create'), input)
  }

  /** Creates a row. Messages begin with `call`. */
  createAs(call: string, input: unknown): Row {
    const { table } = this.#store
    return this.#store.transaction(() => {
      const { row, createOwned } = this.#store.create(call, input)
      const id = table.shape.idOf(row)
      if (table.state.entry(id))
        throw new UsageError(`${call}: ${table.shape.key.join('/')} ${quoted(id)} exists already`)
      // The messages of its triggers begin with the call, too.
      reworded(
        () => table.put(row),
        message => `${call}: ${message}`,
      )
      createOwned()
      return this.#present(id) ?? row
    })
  }

  createMany(count: number, inputOf: (index: number) => unknown): Row[] {
    if (!Number.isInteger(count) || count < 0 || typeof inputOf !== 'function')
      throw new UsageError(
        `${this.#call('createMany')} expects a number of rows, and a function that returns the input of each`,
      )
    return this.#store.transaction(() =>
      Array.from({ length: count }, (_, i) => this.createAs(this.#call('createMany'), inputOf(i))),
    )
  }

  update(first: unknown, second: unknown): Row | undefined {
    const call = this.#call('update')
    if (typeof first === 'string') return this.#updateFirst({ id: first }, readChanges(call, second), false)
    const selection = readSelection(call, first, this.#store.idOf)
    const { data, rest } = readUpdateOptions(call, second)
    return this.#updateFirst(selection, data, readStrict(call, rest))
  }

  updateMany(predicate: Predicate<Row> | undefined, options: UpdateOptions<Row> & ListOptions<Row>): Row[] {
    const call = this.#call('updateMany')
    const { data, rest } = readUpdateOptions(call, options)
    const { strict, orderBy } = readList<Row>(call, rest, ['strict', 'orderBy'])
    return this.#store.transaction(() => {
      const rows = this.#store.table.findMany(this.#checkQuery('updateMany', predicate))
      if (rows.length === 0 && strict) throw nothingFound('updateMany', this.#store.name)
      return sortRows(
        rows.flatMap(row => this.#change(row, data) ?? []),
        orderBy,
      )
    })
  }

  delete(first: unknown, options?: unknown): Row | undefined {
    const call = this.#call('delete')
    const { table } = this.#store
    if (typeof first === 'string' && options !== undefined)
      throw new UsageError(`${call}: the second argument is ${quoted(options)}: expected none after an id`)
    const selection = readSelection(call, first, this.#store.idOf)
    const isStrict = readStrict(call, options)
    return this.#store.transaction(() => {
      const row = this.#find('delete', selection)
      if (!row && isStrict) throw nothingFound('delete', this.#store.name)
      if (row) table.delete(table.shape.idOf(row))
      return row
    })
  }

  deleteMany(predicate?: Predicate<Row>, options?: ListOptions<Row>): Row[] {
    const { strict, orderBy } = readList<Row>(this.#call('deleteMany'), options, ['strict', 'orderBy'])
    const { table } = this.#store
    return this.#store.transaction(() => {
      const rows = table.findMany(this.#checkQuery('deleteMany', predicate))
      if (rows.length === 0 && strict) throw nothingFound('deleteMany', this.#store.name)
      for (const row of rows) table.delete(table.shape.idOf(row))
      return sortRows(rows, orderBy)
    })
  }

  clear(): void {
    this.deleteMany()
  }

  /** Writes the changed fields of drafts. */
  applyDrafts(pending: readonly PendingUpdate<Row>[]): Row[] {
    return this.#store.transaction(() =>
      pending.flatMap(({ row, draft }) => this.#change(row, next => copyChanges(next, draft, row)) ?? []),
    )
  }

  #call(name: string): string {
    return `${this.#store.name}.${name}`
  }

  /** Throws `UsageError` if a query has an unknown field: it would find nothing. */
  #checkQuery(name: string, predicate: Predicate<Row> | undefined): Predicate<Row> | undefined {
    const { fields } = this.#store
    if (!fields || !isFieldValues(predicate)) return predicate
    for (const path of Object.keys(predicate)) {
      const [field = ''] = path.split('.')
      if (!fields.includes(field))
        throw new UsageError(
          `${this.#call(name)}: the query has the unknown field ${quoted(path)}.${didYouMean(field, fields)}`,
        )
    }
    return predicate
  }

  #read(): TreeTable<Row> {
    this.#store.beforeRead()
    return this.#store.table
  }

  #updateFirst(selection: Selection<Row>, data: ChangeDraft, isStrict: boolean): Row | undefined {
    return this.#store.transaction(() => {
      const row = this.#find('update', selection)
      if (!row && isStrict) throw nothingFound('update', this.#store.name)
      return row && this.#change(row, data)
    })
  }

  #find(name: 'update' | 'delete', selection: Selection<Row>): Row | undefined {
    const { table } = this.#store
    if (!('id' in selection)) return table.findFirst(this.#checkQuery(name, selection.predicate))
    const row = table.get(selection.id)
    if (row) return row
    throw unknownId(this.#call(name), selection.id, table.state.ids())
  }

  /** Returns `undefined` if the row is gone, or if `data` deletes it. */
  #change(row: Row, data: ChangeDraft): Row | undefined {
    const call = this.#call('update')
    const { table } = this.#store
    const id = table.shape.idOf(row)
    // A call of `data` may write to any row: this one, or one that is changed after it.
    const before = this.#present(id)
    if (!before) return undefined
    const draft = draftOf<object>(before, clearOnWrite)
    const writeCount = this.#store.writeCount()
    const done = data(draft)
    if (typeof done?.then === 'function') {
      const hasWritten = this.#store.writeCount() !== writeCount
      if (!hasWritten && !this.#store.isSynchronous) throw new PendingUpdate(before, draft, done)
      // Nobody awaits the promise, and its rejection must not become an uncaught error.
      done.then(
        () => {},
        () => {},
      )
      // The rollback for the promise would lose the writes.
      throw new UsageError(
        hasWritten
          ? `${call}: data wrote to a table and returned a promise: write after an await, or before the call`
          : 'data returned a promise inside a transaction: await first, then write',
      )
    }
    const present = this.#present(id)
    if (!present) return undefined
    const changed = present === before ? draft : draftOf<object>(present, clearOnWrite)
    if (changed !== draft) copyChanges(changed, draft, before)
    const next = this.#store.change(call, present, changed)
    const nextId = table.shape.idOf(next)
    if (id !== nextId)
      throw new UsageError(`${call}: ${table.shape.key.join('/')} ${quoted(id)} cannot change to ${quoted(nextId)}`)
    table.put(next)
    return this.#present(id)
  }

  /** Returns the present row. A trigger may have changed it after the write. */
  #present(id: string): Row | undefined {
    return this.#store.table.state.entry(id)?.row
  }

  /** Lists rows from the cursor on. As in the data library, in the order of creation. */
  #fromCursor(predicate: Predicate<Row> | undefined, list: ListOptions<Row> & { readonly strict: boolean }): Row[] {
    const { table, idOf } = this.#store
    const id = idOf(list.cursor as Row) ?? '' // the caller has a cursor
    const all = table.all()
    const at = all.findIndex(row => table.shape.idOf(row) === id)
    const wanted = new Set(table.findMany(predicate))
    const rows = at === -1 ? [] : list.take !== undefined && list.take < 0 ? all.slice(0, at + 1) : all.slice(at)
    const found = paginate(
      sortRows(
        rows.filter(row => wanted.has(row)),
        list.orderBy,
      ),
      list,
    )
    if (found.length === 0 && list.strict) throw nothingFound('findMany', this.#store.name)
    return found
  }
}

/** Copies the fields that differ between a draft and its original. */
export function copyChanges(target: object, draft: object, original: object): void {
  for (const field of new Set([...Object.keys(draft), ...Object.keys(original)])) {
    const [is, was] = [exactValue(draft, field), exactValue(original, field)]
    if (sameJson(is, was)) continue
    if (is === undefined) Reflect.deleteProperty(target, field)
    else setKey(target, field, is)
  }
}
