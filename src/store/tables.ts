import { tableNames } from './model.js'
import type { Records } from './records.js'
import type { Rows, TableName } from './rows.js'

/** The committed records of all models. */
export type AllRecords = { readonly [Name in TableName]: Records<Rows[Name]> }

/**
 * One thing for each table. `T` is a mapped type over the names of tables; TypeScript cannot follow that what `make` is
 * given and what it makes belong to the same name, so what it makes is taken at its word here, and only here.
 */
export function mapTables<T extends { readonly [Name in TableName]: unknown }>(make: (name: TableName) => unknown): T {
  return Object.fromEntries(tableNames.map(name => [name, make(name)])) as unknown as T
}
