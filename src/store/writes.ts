import type { Rows, TableName } from './rows.js'
import type { InnerTables } from './table.js'

/** What became of a row in a turn: as it was, and as it is. */
export interface RowChange<Row> {
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/** Writes of a turn for what the mock does itself: of rows that are known to be right, in all their depth frozen. Made at once. */
export interface Writes {
  /** The tables as the turn has left them so far. */
  readonly reads: InnerTables
  put<Name extends TableName>(name: Name, row: Rows[Name]): void
  delete(name: TableName, id: string): void
}

/** A turn in which something follows from a change. */
export interface Following extends Writes {
  /** In ms since the epoch. */
  readonly now: number
}
