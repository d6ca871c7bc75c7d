import type { ChangeSet, Delete, Put } from './change-set.js'
import type { Landed, Landing } from './landing.js'
import { tableNames } from './model.js'
import type { TableName } from './rows.js'
import type { Tag } from './tag.js'

/** What a commit has done: nothing where nothing was different. */
interface Committed {
  readonly changeSet: ChangeSet | undefined
  /** Empty where nobody listens. */
  readonly touched: ReadonlySet<Tag>
}

/** Lands the changes of every table under one revision, synchronously: no read sees half of them. */
export function commit(
  land: (name: TableName, landing: Landing) => Landed<object>,
  { revision, at, listened }: { readonly revision: number; readonly at: number; readonly listened: boolean },
): Committed {
  const touched = new Set<Tag>()
  const puts: Put[] = []
  const deletes: Delete[] = []
  for (const table of tableNames) {
    const landed = land(table, { revision, touched: listened ? touched : undefined })
    // The row is one of the table that it landed in.
    for (const put of landed.puts) puts.push(put as Put)
    for (const id of landed.deletes) deletes.push({ table, id })
  }
  const changed = puts.length + deletes.length > 0
  return { changeSet: changed ? { revision, at, puts, deletes } : undefined, touched }
}
