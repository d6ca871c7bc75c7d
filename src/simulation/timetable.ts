import type { Rows, TableName } from '../store/rows.js'
import type { InnerTables, Tables } from '../store/table.js'
import type { Writes } from '../store/writes.js'

/** A turn in which something is due, and when that is, in ms since the epoch. */
export interface DueTurn {
  /** The same tables to read only, with what the turn has written so far: cheaper, where nothing is written. */
  readonly reads: InnerTables
  readonly tables: Tables
  readonly writes: Writes
  readonly now: number
}

/** When something happens to the rows of a table by itself, and what. */
export interface Timetable<Row> {
  /** When it happens next, in ms since the epoch; `undefined` for never. All that was due until `after` has happened. */
  dueAt(row: Row, after: number): number | undefined
  /** Whether a row says nothing of what has happened of it already: then a world can only be taken as it stood before. */
  readonly isForgetful?: true
  /** Does it to a row that is due. */
  happen(row: Row, turn: DueTurn): void | Promise<void>
}

/** Timetables of tables, in the order in which what is due at one time happens. */
export type Timetables = { readonly [Name in TableName]?: Timetable<Rows[Name]> }
