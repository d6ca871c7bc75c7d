import { didYouMean, quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import { tableNames } from '../store/models.js'
import type { Rows, TableName } from '../store/rows.js'
import type { TableStates } from '../store/world-state.js'

/** The rows of all tables of a world, or of some, at one revision. They have the form of the rows in change events. */
export interface RowsJson {
  readonly revision: number
  /** The time of the revision, in ISO 8601. */
  readonly at: string
  readonly tables: { readonly [Name in TableName]?: readonly Rows[Name][] }
}

/** Lists the rows of the tables. `names` separates tables by commas. Default: all. Throws `UsageError` for an unknown one. */
export function rowsJson(tables: TableStates, names: string | undefined): RowsJson['tables'] {
  const wanted = names === undefined ? tableNames : names.split(',').map(checkName)
  return Object.fromEntries(wanted.map(name => [name, tables[name].all()]))
}

function checkName(name: string): TableName {
  const found = tableNames.find(known => known === name)
  if (found) return found
  throw new UsageError(`tables names ${quoted(name)}, which is no table.${didYouMean(name, tableNames)}`)
}
