import type { Rows, TableName } from './rows.js'

/** A record that a turn made, changed or, by a reset or a reload, moved in its table; as it is now. */
export type Put = {
  readonly [Name in TableName]: { readonly table: Name; readonly id: string; readonly row: Rows[Name] }
}[TableName]

/** A record that a turn took away. */
export interface Delete {
  readonly table: TableName
  readonly id: string
}

/** What one turn changed. Every other part of the mock lives on these. */
export interface ChangeSet {
  readonly revision: number
  /** When, in ms of the world's clock. */
  readonly at: number
  readonly puts: readonly Put[]
  readonly deletes: readonly Delete[]
}
