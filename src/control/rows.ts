import { didYouMean, quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import type { TableName } from '../store/rows.js'
import { tableNames } from '../store/table-names.js'
import type { TableState } from '../store/table-state.js'
import type { TableStates } from '../store/world-state.js'
import type { ChangeSetJson } from './events.js'

/** The rows of all tables of a world, or of some, at one revision. */
export interface RowsJson {
  readonly revision: number
  /** The time of the revision, in ISO 8601. */
  readonly at: string
  /** The id of the next change set. Requests with smaller ids were answered before. Absent for the newest revision. */
  readonly next_id?: number
  /** By table, the oldest first. They have the form of the rows in change events. */
  readonly rows: ChangeSetJson['puts']
}

/** Lists the rows of the tables. `names` separates tables by commas. Default: all. Throws `UsageError` for an unknown one. */
export function listRows(tables: TableStates, names: string | undefined): RowsJson['rows'] {
  const wanted = names === undefined ? tableNames : names.split(',').map(checkName)
  return wanted.flatMap(table => {
    const state: TableState<object> = tables[table]
    return state.entries().map(({ id, row }) => ({ table, id, row }))
  })
}

function checkName(name: string): TableName {
  const found = tableNames.find(known => known === name)
  if (found) return found
  throw new UsageError(`tables names ${quoted(name)}, which is no table.${didYouMean(name, tableNames)}`)
}
