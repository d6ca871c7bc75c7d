import type { TableName } from '../store/rows.js'

/** Where a row is that something is due to happen to. */
export interface Place {
  readonly table: TableName
  readonly id: string
}

/** Where all that is due at one time is. */
export interface Due {
  readonly at: number
  readonly places: Place[]
  /** Whether its turn has landed, once that has begun. */
  hasLanded?: () => boolean
}

/** In the order of the tables, and there by id: it must not depend on how the rows came to be. */
export function byPlace(tables: readonly TableName[]): (one: Place, other: Place) => number {
  return (one, other) => {
    if (one.table !== other.table) return tables.indexOf(one.table) - tables.indexOf(other.table)
    return one.id < other.id ? -1 : 1
  }
}
