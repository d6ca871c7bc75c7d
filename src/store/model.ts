import type * as z from 'zod'
import { issueTexts, listKnownKeys } from '../lib/issues.js'
import { frozenCopy } from '../lib/json.js'
import { didYouMean, quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import type { Random } from './random.js'
import type { RowInputs, Rows, TableName } from './rows.js'
import type { Table } from './table.js'
import type { Shape } from './table-state.js'

/** The tables of a world. */
export type Tables = { readonly [Name in TableName]: Table<Rows[Name]> }

/** A row as it was and as it is; `undefined` where it was not there, or is gone. */
export interface RowChange<Row> {
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/** Values that new rows get their defaults from. `now` in ms since the epoch. */
export interface DefaultsContext {
  readonly tables: Tables
  readonly random: Random
  readonly now: number
}

/** A column that holds one or more ids of another table. */
export interface Reference<Row> {
  /** How messages call the column. */
  readonly column: string
  /** The columns of the row that hold the ids. */
  readonly columns: readonly (keyof Row & string)[]
  readonly table: TableName
  ids(row: Row): readonly string[]
  /** The rows that refer to an id. */
  referrers(rows: Table<Row & object>, id: string): readonly Row[]
  /** Whether the deletion of the referenced row is refused, or deletes the referring rows too. */
  readonly onDelete: 'restrict' | 'cascade'
}

type KeyOf<Name extends TableName> = keyof Rows[Name] & string

/** A kind of record, declared once: schema, key, references, unique values, indexes, defaults and rules. */
export interface Model<Name extends TableName> extends Omit<Shape<Rows[Name]>, 'name' | 'idOf'> {
  readonly schema: z.ZodType<Rows[Name]>
  /** Columns whose values, joined by `/`, are the id. */
  readonly key: readonly [KeyOf<Name>, ...KeyOf<Name>[]]
  /** How messages call a row: `game mode`, `duel`. */
  readonly singular: string
  label?(row: Rows[Name]): string
  readonly references: readonly Reference<Rows[Name]>[]
  /** Completes a new row with what the input leaves out. */
  withDefaults(input: RowInputs[Name], context: DefaultsContext): unknown
  /** Refuses a change that people make by hand, with the reason. */
  refuse?(change: RowChange<Rows[Name]>, tables: Tables): string | undefined
  /** Writes what follows from a change, in the same transaction. `now` in ms since the epoch. */
  afterWrite?(change: RowChange<Rows[Name]>, tables: Tables, now: number): void
  /** Finds what is wrong with a changed row beside the others, beyond references and unique values. */
  check?(change: { before: Rows[Name] | undefined; after: Rows[Name] }, tables: Tables): string | undefined
  /** Why no row may be deleted. */
  readonly undeletable?: string
}

/** A column, or several that are the key of the other table. */
export function reference<Row extends object>(
  columns: readonly (keyof Row & string)[],
  table: TableName,
  onDelete: Reference<Row>['onDelete'] = 'restrict',
): Reference<Row> {
  return {
    column: columns.at(-1) ?? '',
    columns,
    table,
    onDelete,
    ids(row) {
      const values = columns.map(column => row[column])
      return values.includes(undefined as never) ? [] : [values.join('/')]
    },
    referrers(rows, id) {
      const values = columns.length === 1 ? [id] : id.split('/')
      const equalities = Object.fromEntries(columns.map((column, i) => [column, values[i]]))
      return rows.findMany(query => query.where(equalities as never)) // its own columns
    },
  }
}

/** A list of ids, or an id inside another value, in a small table: to find who refers to an id, all rows are searched. */
export function nestedReference<Row extends object>(
  column: string,
  columns: readonly (keyof Row & string)[],
  table: TableName,
  ids: (row: Row) => readonly string[],
): Reference<Row> {
  const referrers = (rows: Table<Row>, id: string) => rows.all().filter(row => ids(row).includes(id))
  return { column, columns, table, ids, referrers, onDelete: 'restrict' }
}

/** Says that a value leads nowhere, and names the values that it may have. */
export function unknownReference(
  column: string,
  id: string,
  known: readonly string[],
  reason = 'which does not exist',
): string {
  return `${column} is ${quoted(id)}, ${reason}.${didYouMean(id, known)}`
}

/**
 * Checks a row and freezes it. Throws `UsageError` with a message that begins with `where`. If only a few rows of a schema
 * are checked, `isOneOfFew` saves compiling the schema, which takes as long as checking some hundreds of rows.
 */
export function parseRow<Row extends object>(
  schema: z.ZodType<Row>,
  input: unknown,
  where: string,
  isOneOfFew = false,
): Row {
  const parsed = schema.safeParse(input, { jitless: isOneOfFew, error: listKnownKeys })
  if (parsed.success) return frozenCopy(parsed.data)
  throw new UsageError(`${where}: ${parsed.error.issues.flatMap(issue => issueTexts(issue, input)).join('; ')}`)
}
