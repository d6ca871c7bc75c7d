import type { TableName } from '../store/rows.js'

/** Names a row that something is due to happen to. */
export interface DueRow {
  readonly table: TableName
  readonly id: string
}

/** All that is due at one time. */
export interface Due {
  readonly at: number
  readonly rows: DueRow[]
  /** Whether its turn has landed, once that has begun. */
  hasLanded?: () => boolean
}

/** In the order of the tables, and there by id: it must not depend on how the rows came to be. */
export function byTable(tables: readonly TableName[]): (one: DueRow, other: DueRow) => number {
  return (one, other) => {
    if (one.table !== other.table) return tables.indexOf(one.table) - tables.indexOf(other.table)
    return one.id < other.id ? -1 : 1
  }
}
