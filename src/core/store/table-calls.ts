import { valueAt } from '../lib/issues.js'
import { type Draft, exactValue, isPlainObject, setKey } from '../lib/json.js'
import { didYouMean, quoted, UsageError } from '../lib/messages.js'
import { isFieldValues, isQuery, type Predicate } from './query.js'
import type { Rows, TableName } from './rows.js'

/** Options of a query that throws `UsageError` if it finds nothing. */
export interface Strict {
  readonly strict: true
}

/** Options of every query. */
export interface QueryOptions {
  /** `true`: the query throws `UsageError` if it finds nothing. Default: `false`. */
  readonly strict?: boolean | undefined
}

export type SortDirection = 'asc' | 'desc'

/** The fields to sort by, the most important first. Nested fields are nested objects. */
export type OrderBy<Row> = {
  readonly [Field in keyof Row]?: SortDirection | (Row[Field] extends object ? OrderBy<Row[Field]> : never)
}

/** The order and the range of the rows that a query returns. Rows are sorted first. */
export interface ListOptions<Row> extends QueryOptions {
  readonly orderBy?: OrderBy<Row> | readonly OrderBy<Row>[] | undefined
  /** The row that the list begins with. */
  readonly cursor?: Row | undefined
  /** The number of rows to skip. Default: 0. */
  readonly skip?: number | undefined
  /** The number of rows to return. A negative number counts from the end. Default: all. */
  readonly take?: number | undefined
}

/** The changes to the rows that a query finds. */
export interface UpdateOptions<Row> extends QueryOptions {
  /** Changes the draft in place. Outside a transaction it may return a promise. */
  data(draft: Draft<Row>): void | Promise<void>
}

/** New values of fields. `null` removes an optional field. `undefined` keeps the value. */
export type RecordChanges<Row> = { readonly [Field in keyof Draft<Row>]?: Draft<Row>[Field] | null | undefined }

/** The basic reads of a table. They are synchronous, and return frozen rows, the oldest first. */
export interface RowReader<Row> {
  /** Finds the row with that id. The ids of game modes are `<namespace_id>/<game_mode_id>`. */
  get(id: string): Row | undefined
  all(): Row[]
  findFirst(predicate?: Predicate<Row>): Row | undefined
  findMany(predicate?: Predicate<Row>): Row[]
}

/** The basic reads of all tables. */
export type ReadTables = { readonly [Name in TableName]: RowReader<Rows[Name]> }

/** All reads of a table. */
export interface ReadTable<Row> extends RowReader<Row> {
  findFirst(predicate: Predicate<Row> | undefined, options: Strict): Row
  findFirst(predicate?: Predicate<Row>, options?: QueryOptions): Row | undefined
  findMany(predicate?: Predicate<Row>, options?: ListOptions<Row>): Row[]
  count(predicate?: Predicate<Row>): number
}

/** The events of a table, by name. */
export interface TableEvents<Row> {
  create: { readonly type: 'create'; readonly data: { readonly record: Row } }
  /** A changed field of a row. An update of several fields has several events. */
  update: {
    readonly type: 'update'
    readonly data: {
      readonly prevRecord: Row
      readonly nextRecord: Row
      readonly path: readonly string[]
      readonly prevValue: unknown
      readonly nextValue: unknown
    }
  }
  delete: { readonly type: 'delete'; readonly data: { readonly deletedRecord: Row } }
}

/** A function that is called with an event of a table. */
export type TableListener<Row, Name extends keyof TableEvents<Row>> = (event: TableEvents<Row>[Name]) => unknown

/** The listeners of a table. */
export interface TableHooks<Row> {
  /** Adds a listener. */
  on<Name extends keyof TableEvents<Row>>(
    name: Name,
    listener: TableListener<Row, Name>,
    options?: { readonly once?: boolean; readonly signal?: AbortSignal },
  ): this
  /** Adds a listener of the next event. */
  once<Name extends keyof TableEvents<Row>>(name: Name, listener: TableListener<Row, Name>): this
  removeListener<Name extends keyof TableEvents<Row>>(name: Name, listener: TableListener<Row, Name>): void
  /** Removes the listeners of an event. Default: of all events. */
  removeAllListeners(name?: keyof TableEvents<Row>): void
}

/**
 * A table of a world: a Collection of the data library with checked rows. Each writing call is a transaction of its own. A
 * write that breaks a constraint rejects with `UsageError`, and changes nothing.
 */
export interface Table<Row, Input> extends ReadTable<Row> {
  /** The events `create`, `update` and `delete`. They are emitted after the transaction. */
  readonly hooks: TableHooks<Row>
  /** Creates a row. Absent fields get the defaults of the scenario format. */
  create(input: Input): Promise<Row>
  createMany(count: number, input: (index: number) => Input): Promise<Row[]>
  /** Changes the row with that id. The id itself cannot change. Rejects with `UsageError` if the id is unknown. */
  update(id: string, changes: RecordChanges<Row>): Promise<Row>
  /** Changes the first row that matches. Resolves with `undefined` if no row matches. */
  update(predicate: Predicate<Row> | Row, options: UpdateOptions<Row> & Strict): Promise<Row>
  update(predicate: Predicate<Row> | Row, options: UpdateOptions<Row>): Promise<Row | undefined>
  updateMany(
    predicate: Predicate<Row> | undefined,
    options: UpdateOptions<Row> & Pick<ListOptions<Row>, 'orderBy'>,
  ): Promise<Row[]>
  /** Deletes the row with that id, and returns it. Throws `UsageError` if the id is unknown. */
  delete(id: string): Row
  /** Deletes the first row that matches, and returns it. Returns `undefined` if no row matches. */
  delete(predicate: Predicate<Row> | Row, options: Strict): Row
  delete(predicate: Predicate<Row> | Row, options?: QueryOptions): Row | undefined
  deleteMany(predicate?: Predicate<Row>, options?: QueryOptions & Pick<ListOptions<Row>, 'orderBy'>): Row[]
  clear(): void
}

/** A table inside a transaction. Every call is synchronous. */
export interface TransactionTable<Row, Input>
  extends ReadTable<Row>,
    Pick<Table<Row, Input>, 'delete' | 'deleteMany' | 'clear'> {
  create(input: Input): Row
  createMany(count: number, input: (index: number) => Input): Row[]
  update(id: string, changes: RecordChanges<Row>): Row
  update(predicate: Predicate<Row> | Row, options: UpdateOptions<Row> & Strict): Row
  update(predicate: Predicate<Row> | Row, options: UpdateOptions<Row>): Row | undefined
  updateMany(
    predicate: Predicate<Row> | undefined,
    options: UpdateOptions<Row> & Pick<ListOptions<Row>, 'orderBy'>,
  ): Row[]
}

// The functions below check the arguments of table calls. Messages begin with `call`: `lobbies.update`. All throw `UsageError`.

export type Selection<Row> = { readonly id: string } | { readonly predicate: Predicate<Row> | undefined }

/** Changes a draft at once, or when its promise resolves. */
export type ChangeDraft = (draft: object) => void | PromiseLike<void>

export function readId(call: string, id: unknown): string {
  if (typeof id === 'string') return id
  throw new UsageError(`${call}: the id is ${quoted(id)}: expected a string`)
}

export function readStrict(call: string, options: unknown): boolean {
  if (options === undefined) return false
  const { strict = false } = readFields(call, options, ['strict'], 'such as { strict: true }')
  return readBoolean(call, 'strict', strict)
}

/** Reads the options of a call that lists rows. Default: all rows, oldest first. */
export function readList<Row>(
  call: string,
  options: unknown,
  known: readonly string[],
): ListOptions<Row> & { strict: boolean } {
  if (options === undefined) return { strict: false }
  const fields = readFields(call, options, known, 'such as { take: 10 }')
  const { strict = false, skip, take, orderBy, cursor } = fields
  if (skip !== undefined && !(Number.isInteger(skip) && Number(skip) >= 0))
    throw new UsageError(
      `${call}: Failed to query the collection: expected the "skip" pagination option to be a number larger or equal to 0 but got ${quoted(skip)}`,
    )
  if (take !== undefined && !Number.isInteger(take) && take !== Number.POSITIVE_INFINITY)
    throw new UsageError(`${call}: take is ${quoted(take)}: expected a number of rows`)
  if (cursor !== undefined && !isPlainObject(cursor))
    throw new UsageError(`${call}: cursor is ${quoted(cursor)}: expected a row`)
  if (orderBy !== undefined && ![orderBy].flat().every(isOrder))
    throw new UsageError(`${call}: orderBy is ${quoted(orderBy)}: expected fields, as in { lobby_id: 'asc' }`)
  return {
    strict: readBoolean(call, 'strict', strict),
    skip: skip as number | undefined, // checked above, as is `take`
    take: take as number | undefined,
    orderBy: orderBy as OrderBy<Row> | undefined, // unknown fields have no effect
    cursor: cursor as Row | undefined, // only its id is used
  }
}

function isOrder(value: unknown): boolean {
  return (
    isPlainObject(value) && Object.values(value).every(inner => inner === 'asc' || inner === 'desc' || isOrder(inner))
  )
}

/** Reads the first argument of an update or a deletion: an id, a query, or a row. */
export function readSelection<Row extends object>(
  call: string,
  first: unknown,
  idOf: (row: Row) => string | undefined,
): Selection<Row> {
  if (typeof first === 'string') return { id: first }
  if (typeof first === 'function' || isQuery<Row>(first)) return { predicate: first as Predicate<Row> } // `plan` checks its result
  const id = typeof first === 'object' && first !== null ? idOf(first as Row) : undefined // it finds no id if it is no row
  if (id !== undefined) return { id }
  if (isFieldValues(first)) return { predicate: first as Predicate<Row> } // the table checks the fields
  const found = first === undefined ? 'missing' : quoted(first)
  throw new UsageError(
    `${call}: the first argument is ${found}: expected an id or a query, as in { game_mode_id } or q => q.where({ game_mode_id })`,
  )
}

const updateExample = 'such as { data(draft) { draft.is_closed = true } }'

/** Reads the options of an update by a query. */
export function readUpdateOptions(
  call: string,
  options: unknown,
): { readonly data: ChangeDraft; readonly rest: object } {
  const { data, ...rest } = readFields(call, options, ['data', 'strict', 'orderBy'], updateExample)
  if (typeof data !== 'function')
    throw new UsageError(`${call}: data is ${quoted(data)}: expected a function that changes the draft`)
  return { data: data as ChangeDraft, rest } // the changed draft is checked
}

/** Reads the second argument of an update by an id: the changed fields. */
export function readChanges(call: string, changes: unknown): ChangeDraft {
  if (!isPlainObject(changes) || typeof changes.data === 'function')
    throw new UsageError(
      `${call}: the second argument is ${quoted(changes)}: expected the changed fields, such as { is_closed: true }`,
    )
  return draft => {
    for (const field of Object.keys(changes)) {
      const value = exactValue(changes, field)
      if (value === null) Reflect.deleteProperty(draft, field)
      else if (value !== undefined) setKey(draft, field, value)
    }
  }
}

/** Creates the error of a strict query that finds nothing, with the data library's message. */
export function nothingFound(
  call: 'findFirst' | 'findMany' | 'update' | 'updateMany' | 'delete' | 'deleteMany',
  table: string,
  isEmpty = false,
): UsageError {
  const records = call.endsWith('Many') ? 'records' : 'record'
  const reason = isEmpty ? ' without a query: the collection is empty' : `: no ${records} found matching the query`
  return new UsageError(`${table}.${call}: Failed to execute "${call}" on collection${reason}`)
}

/** Creates the error for an unknown id, and suggests a similar one. */
export function unknownId(call: string, id: string, ids: readonly string[]): UsageError {
  return new UsageError(`${call}: no record has the id ${quoted(id)}.${didYouMean(id, ids)}`)
}

function readBoolean(call: string, name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value
  throw new UsageError(`${call}: ${name} is ${quoted(value)}: expected true or false`)
}

function readFields(
  call: string,
  options: unknown,
  known: readonly string[],
  expected: string,
): Readonly<Record<string, unknown>> {
  if (!isPlainObject(options))
    throw new UsageError(`${call}: the options are ${quoted(options)}: expected an object, ${expected}`)
  const unknown = Object.keys(options).find(name => !known.includes(name))
  if (unknown === undefined) return options
  throw new UsageError(
    `${call}: ${quoted(unknown)} is an unknown option: expected options ${expected}.${didYouMean(unknown, known)}`,
  )
}

/** Cuts the range of the options from a sorted list. With a negative `take`, the last row is first. */
export function paginate<Row>(
  rows: readonly Row[],
  { skip = 0, take = Number.POSITIVE_INFINITY }: ListOptions<Row>,
): Row[] {
  const inOrder = take < 0 ? rows.toReversed() : rows
  return inOrder.slice(skip, skip + Math.abs(take))
}

export function sortRows<Row>(rows: Row[], orderBy: OrderBy<Row> | readonly OrderBy<Row>[] | undefined): Row[] {
  if (orderBy === undefined) return rows
  const criteria = (Array.isArray(orderBy) ? orderBy : [orderBy]).flatMap(one => pathsOf(one, []))
  return rows.toSorted((one, other) => {
    for (const { path, direction } of criteria) {
      const [left, right] = [valueAt(one, path), valueAt(other, path)]
      // Compare as the library does, even values without an order.
      if ((left as number) > (right as number)) return direction === 'asc' ? 1 : -1
      if ((left as number) < (right as number)) return direction === 'asc' ? -1 : 1
    }
    return 0
  })
}

function pathsOf(
  orderBy: object,
  before: readonly string[],
): { readonly path: readonly string[]; readonly direction: unknown }[] {
  return Object.entries(orderBy).flatMap(([field, value]) =>
    typeof value === 'object' && value !== null
      ? pathsOf(value, [...before, field])
      : [{ path: [...before, field], direction: value }],
  )
}
