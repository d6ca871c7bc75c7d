import type * as z from 'zod'
import { issueTexts, listKnownKeys } from '../lib/issues.js'
import { frozenCopy, keepAllDigits, keepDigits } from '../lib/json.js'
import { didYouMean, quoted, UsageError } from '../lib/messages.js'
import type { Random } from './random.js'
import type { RowInputs, Rows, TableName } from './rows.js'
import type { TreeTable } from './table.js'
import type { Shape } from './table-state.js'

/** The tables of a world. */
export type Tables = { readonly [Name in TableName]: TreeTable<Rows[Name]> }

/** The tables that decide which lobbies a list shows, and which one a find chooses. */
export type LobbyTables = Pick<Tables, 'lobbies' | 'gameModes' | 'regions' | 'settings'>

/** A changed row before and after. `undefined` if it did not exist. */
export interface RowChange<Row> {
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/** The sources of defaults for new rows. `now` in ms since the epoch. */
export interface DefaultsContext {
  readonly tables: Tables
  readonly random: Random
  readonly now: number
}

/** A reference to rows of another table (a foreign key). */
export interface Reference<Row, Column = string> {
  /** The name of the column in messages. */
  readonly column: string
  /** The columns that hold the ids. */
  readonly columns: readonly Column[]
  readonly table: TableName
  ids(row: Row): readonly string[]
  referrers(rows: TreeTable<Row & object>, id: string): readonly Row[]
  /** `restrict`: the referenced row cannot be deleted. `cascade`: the referring rows are deleted with it. */
  readonly onDelete: 'restrict' | 'cascade'
}

/** The columns of a row, or of all members of a union of rows. */
export type ColumnOf<Row> = Row extends unknown ? keyof Row & string : never

/** The models of all tables. */
export type Models = {
  readonly [Name in TableName]: Model<Rows[Name], RowInputs[Name], ColumnOf<Rows[Name]>>
}

/** The declaration of a table: schema, key, references, unique values, indexes, defaults and rules. */
export interface Model<Row extends object = object, Input = object, Column = string>
  extends Omit<Shape<Row, Column>, 'name' | 'idOf' | 'key'> {
  /** Checks a row in memory. */
  readonly schema: z.ZodType<Row>
  /** The columns, with their schemas in files. A union has the columns of all its members. */
  readonly columns: z.ZodRawShape
  /** The columns of the id. Their values are joined by `/`. */
  readonly key: readonly [Column, ...Column[]]
  /** The name of one row in messages: `game mode`. */
  readonly singular: string
  /** Identifies a row in messages: `duel`. Default: its id. */
  label?(row: Row): string
  readonly references: readonly Reference<Row, Column>[]
  /** Completes the columns of a new row. */
  withDefaults(input: Input, context: DefaultsContext): unknown
  /** Checks a change that the public tables make. Triggers and jobs may make others. Returns the problem. */
  checkPublicChange?(
    change: RowChange<Row>,
    world: { readonly tables: Tables; outageOf(region_id: string): string | undefined },
  ): string | undefined
  /** A trigger: runs after each write, and may write in the same transaction. `now` in ms since the epoch. */
  afterWrite?(change: RowChange<Row>, tables: Tables, now: number): void
  /** Checks a changed row against other rows, beyond references and unique values. Returns the problem. */
  check?(change: { before: Row | undefined; after: Row }, tables: Tables): string | undefined
  /** The reason why rows of this table cannot be deleted. Default: they can. */
  readonly undeletable?: string
}

/** Declares a reference by one column, or by several that are the key of the other table. */
export function reference<Row extends object>(
  columns: readonly ColumnOf<Row>[],
  table: TableName,
  onDelete: Reference<Row>['onDelete'] = 'restrict',
): Reference<Row, ColumnOf<Row>> {
  return {
    column: columns.at(-1) ?? '',
    columns,
    table,
    onDelete,
    ids(row) {
      const values: unknown[] = columns.map(column => row[column])
      return values.includes(undefined) ? [] : [values.join('/')]
    },
    referrers(rows, id) {
      const values = columns.length === 1 ? [id] : id.split('/')
      const equalities = Object.fromEntries(columns.map((column, i) => [column, values[i]]))
      return rows.findMany(query => query.where(equalities as never)) // columns of this table
    },
  }
}

/** Declares a reference by a list of ids, or by an id inside a value. A look-up searches all rows, so use it in small tables. */
export function nestedReference<Row extends object>(
  column: string,
  columns: readonly ColumnOf<Row>[],
  table: TableName,
  ids: (row: Row) => readonly string[],
): Reference<Row, ColumnOf<Row>> {
  const referrers = (rows: TreeTable<Row>, id: string) => rows.all().filter(row => ids(row).includes(id))
  return { column, columns, table, ids, referrers, onDelete: 'restrict' }
}

/** Words a reference to a row that does not exist. */
export function unknownReference(
  column: string,
  id: string,
  known: readonly string[],
  reason = 'which does not exist',
): string {
  return `${column} is ${quoted(id)}, ${reason}.${didYouMean(id, known)}`
}

/** Builds and checks a new row. Throws `UsageError`, whose message begins with `where`. */
export function newRow(model: Model, input: object, context: DefaultsContext, where: string): object {
  const columns = model.withDefaults(input, context) as object // of the row
  return parseRow(model.schema, keepDigits(columns, input), where)
}

/** Checks a row and freezes it. Throws `UsageError`. `isOneOfFew`: without compiling the schema, which takes longer. */
export function parseRow<Row extends object>(
  schema: z.ZodType<Row>,
  input: unknown,
  where: string,
  isOneOfFew = false,
): Row {
  const parsed = schema.safeParse(input, { jitless: isOneOfFew, error: listKnownKeys })
  if (parsed.success) return frozenCopy(keepAllDigits(parsed.data, input))
  throw new UsageError(`${where}: ${issueTexts(parsed.error, input).join('; ')}`)
}
