import { tableNames } from './model.js'
import type { TableName } from './rows.js'

/**
 * One thing for each table. `T` is a mapped type over the names of tables; TypeScript cannot follow that what `make` is
 * given and what it makes belong to the same name, so what it makes is taken at its word. `turn.ts` and `world.ts` cast
 * for the same reason.
 */
export function mapTables<T extends { readonly [Name in TableName]: unknown }>(make: (name: TableName) => unknown): T {
  return Object.fromEntries(tableNames.map(name => [name, make(name)])) as unknown as T
}
