import type { Collection } from '@mswjs/data'
import type * as z from 'zod'
import type { Draft } from './draft.js'
import type { Predicate } from './query.js'
import type { Rows, TableName } from './rows.js'

/** A query that finds nothing is a `UsageError`. */
export interface Strict {
  readonly strict: true
}

/** What happens when a query finds nothing. */
export interface QueryOptions {
  /** `true`: a query that finds nothing is a `UsageError`. Default: `false`. */
  readonly strict?: boolean | undefined
}

export type SortDirection = 'asc' | 'desc'

/** Fields to sort by, the most important first; nested fields as nested objects. */
export type OrderBy<Row> = {
  readonly [Field in keyof Row]?: SortDirection | (Row[Field] extends object ? OrderBy<Row[Field]> : never)
}

/** Which of the found rows a query returns, and in which order. Rows are sorted first, and then taken. */
export interface ListOptions<Row> extends QueryOptions {
  readonly orderBy?: OrderBy<Row> | readonly OrderBy<Row>[] | undefined
  /** The row with which the list begins. */
  readonly cursor?: Row | undefined
  /** How many rows to leave out. Default: 0. */
  readonly skip?: number | undefined
  /** How many rows to return; below 0 from the end. Default: all. */
  readonly take?: number | undefined
}

/** How a row that a query finds is changed. */
export interface UpdateOptions<Row> extends QueryOptions {
  /** Changes the draft in place. Outside a transaction it may return a promise. */
  data(draft: Draft<Row>): void | Promise<void>
}

/** New values of fields. `null` removes a field that may be absent; an undefined value leaves its field as it is. */
export type Changes<Row> = { readonly [Field in keyof Draft<Row>]?: Draft<Row>[Field] | null | undefined }

/** The plain reads of one table: synchronous, oldest row first. Rows are frozen. */
export interface RowReader<Row> {
  /** The row with that id; the ids of game modes are `<namespace_id>/<game_mode_id>`. */
  get(id: string): Row | undefined
  all(): Row[]
  findFirst(predicate?: Predicate<Row>): Row | undefined
  findMany(predicate?: Predicate<Row>): Row[]
}

/** The plain reads of all tables, of a world or inside it. */
export type ReadTables = { readonly [Name in TableName]: RowReader<Rows[Name]> }

/** All reads of one table. */
export interface ReadTable<Row> extends RowReader<Row> {
  findFirst(predicate: Predicate<Row> | undefined, options: Strict): Row
  findFirst(predicate?: Predicate<Row>, options?: QueryOptions): Row | undefined
  findMany(predicate?: Predicate<Row>, options?: ListOptions<Row>): Row[]
  count(predicate?: Predicate<Row>): number
}

/**
 * A table of a world: a Collection of the data library, whose rows are checked and belong together. A write that does not
 * fit rejects with `UsageError`, and nothing has happened. Each call that writes is a transaction of its own.
 */
export interface Table<Row, Input> extends ReadTable<Row> {
  /** Called after the transaction: `create`, `update`, `delete`. */
  readonly hooks: Collection<z.ZodType<Row>>['hooks']
  /** Creates a row; what is left out gets the defaults of the scenario format. */
  create(input: Input): Promise<Row>
  createMany(count: number, input: (index: number) => Input): Promise<Row[]>
  /** Gives the row with that id new values. The id stays. Rejects with `UsageError` where the id is unknown. */
  update(id: string, changes: Changes<Row>): Promise<Row>
  /** Changes the first row that matches; resolves with `undefined` where none does. */
  update(predicate: Predicate<Row> | Row, options: UpdateOptions<Row> & Strict): Promise<Row>
  update(predicate: Predicate<Row> | Row, options: UpdateOptions<Row>): Promise<Row | undefined>
  updateMany(
    predicate: Predicate<Row> | undefined,
    options: UpdateOptions<Row> & Pick<ListOptions<Row>, 'orderBy'>,
  ): Promise<Row[]>
  /** Deletes the row with that id, and returns it. Throws `UsageError` where the id is unknown. */
  delete(id: string): Row
  /** Deletes the first row that matches, and returns it; `undefined` where none does. */
  delete(predicate: Predicate<Row> | Row, options: Strict): Row
  delete(predicate: Predicate<Row> | Row, options?: QueryOptions): Row | undefined
  deleteMany(predicate?: Predicate<Row>, options?: QueryOptions & Pick<ListOptions<Row>, 'orderBy'>): Row[]
  clear(): void
}

/** The same table inside a transaction: every call is synchronous. */
export interface TransactionTable<Row, Input>
  extends ReadTable<Row>,
    Pick<Table<Row, Input>, 'delete' | 'deleteMany' | 'clear'> {
  create(input: Input): Row
  createMany(count: number, input: (index: number) => Input): Row[]
  update(id: string, changes: Changes<Row>): Row
  update(predicate: Predicate<Row> | Row, options: UpdateOptions<Row> & Strict): Row
  update(predicate: Predicate<Row> | Row, options: UpdateOptions<Row>): Row | undefined
  updateMany(
    predicate: Predicate<Row> | undefined,
    options: UpdateOptions<Row> & Pick<ListOptions<Row>, 'orderBy'>,
  ): Row[]
}
