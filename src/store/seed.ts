import { parseRow } from './library.js'
import { idOf, type Model, models } from './model.js'
import { Records } from './records.js'
import type { TableName } from './rows.js'
import type { Tracking } from './tracker.js'

/** Rows by table, in their order, as the schemas of the models take them. They are taken once, one by one. */
export type SeedRows = { readonly [Name in TableName]?: Iterable<unknown> }

/** Rows that are to be the records of a table, all of one revision. */
interface Seeding {
  readonly rows: SeedRows
  readonly tracking: Tracking
  readonly revision: number
}

/** The records of a table that a world begins with. Throws `UsageError` where a row does not fit its schema. */
export function seededRecords(table: TableName, { rows, tracking, revision }: Seeding): Records<object> {
  return Records.of(named(table, rows[table] ?? []), { table, tracking, revision })
}

/** So many of a table are checked before it pays to compile its schema. */
const fewRows = 200

/** The rows of a table with their ids, checked and frozen. */
function* named(name: TableName, rows: Iterable<unknown>): Iterable<readonly [id: string, row: object]> {
  const { schema }: Model<TableName> = models[name] as never
  const id = idOf(name) as (row: object) => string // of the rows that the schema lets through
  let i = 0
  for (const given of rows) {
    const row = parseRow<object>(given, { schema, where: `${name}[${i}]`, rows: i < fewRows ? 'few' : 'many' })
    i += 1
    yield [id(row), row]
  }
}
