import type { TableName } from '../store/rows.js'
import { type Standing, tablesOf } from '../store/standing.js'
import type { ReadTable } from '../store/table.js'
import type { Timetable } from './timetable.js'

/** By records that worlds begin with, which never change. */
const lively = new WeakMap<object, readonly object[]>()

/** Those of the rows that a world begins with to which anything may happen. Worlds that share their records find them once. */
export function livelyRows(
  begun: Standing,
  { table, timetable }: { readonly table: TableName; readonly timetable: Timetable<object> },
): readonly object[] {
  const records = begun.records[table]
  const known = lively.get(records)
  if (known) return known
  const rows = tablesOf(begun)[table] as ReadTable<object> // whatever is in it
  const some = rows.all().filter(row => timetable.dueAt(row, Number.NEGATIVE_INFINITY) !== undefined)
  lively.set(records, some)
  return some
}
