import { getKey, sameJson } from '../lib/json.js'
import { quoted } from '../lib/text.js'
import type { Change } from './change-set.js'
import { type Model, type Reference, type Tables, unknownReference } from './model.js'
import { models } from './models.js'
import { type TableName, tokenTables } from './rows.js'
import type { TreeTable } from './table.js'
import { tableNames } from './table-names.js'
import { uniqueValues } from './table-state.js'

/** Checks a changed row: its references, its unique values, and the rules of its model. Returns the first problem. */
export function findProblem(change: Change, tables: Tables): string | undefined {
  const model: Model = models[change.table]
  const { before, after } = change
  if (!after) return before && deletionProblem(change.table, change.id, tables)
  return (
    referenceProblem(model, change, tables) ??
    uniqueProblem(model, change, tables) ??
    tokenProblem(model, change, tables) ??
    model.check?.({ before: before?.row, after: after.row }, tables)
  )
}

function referenceProblem({ references }: Model, change: Change, tables: Tables): string | undefined {
  const row: object | undefined = change.after?.row
  if (!row) return undefined
  for (const { column, columns, table, ids } of references) {
    // An unchanged reference is still valid: nobody can delete the row that it refers to.
    if (isUnchanged(columns, change)) continue
    const missing = ids(row).find(id => tables[table].state.entry(id) === undefined)
    if (missing === undefined) continue
    // Messages name game modes without their namespace.
    const scope = table === 'gameModes' ? missing.slice(0, missing.indexOf('/') + 1) : ''
    const known = tables[table].state.ids().filter(id => id.startsWith(scope))
    return unknownReference(
      column,
      missing.slice(scope.length),
      known.map(id => id.slice(scope.length)),
    )
  }
  return undefined
}

function isUnchanged(columns: readonly string[], { before, after }: Change): boolean {
  return (
    before !== undefined &&
    columns.every(column => sameJson(getKey(before.row, column), after && getKey(after.row, column)))
  )
}

function uniqueProblem({ unique, singular }: Model, change: Change, tables: Tables): string | undefined {
  const { state }: TreeTable<object> = tables[change.table]
  for (const [name, definition] of Object.entries(unique)) {
    const values = uniqueValues(definition, change.after?.row)
    const before = change.before && uniqueValues(definition, change.before.row)
    if (sameJson(before, values)) continue
    const seen = new Set<string>()
    for (const value of values) {
      if (seen.has(value)) return `${name} has ${quoted(value)} twice`
      seen.add(value)
      const other = state.withUnique(name, value).find(row => state.shape.idOf(row) !== change.id)
      // Messages show the value without the column that limits its scope.
      const shown = value.slice(value.lastIndexOf('\0') + 1)
      if (other) return `${name} ${quoted(shown)} is taken by ${singular} ${state.shape.idOf(other)}: choose another`
    }
  }
  return undefined
}

/** Tokens are unique across tables. A token cannot change, so only new rows are checked. */
function tokenProblem({ key }: Model, { table, id, before }: Change, tables: Tables): string | undefined {
  if (before || !tokenTables.some(name => name === table)) return undefined
  const other = tokenTables.find(name => name !== table && tables[name].state.entry(id) !== undefined)
  return other && `${key.join('/')} is taken by a ${models[other].singular}: choose another`
}

const referencesTo = new Map<TableName, { readonly from: TableName; readonly reference: Reference<object> }[]>()
for (const from of tableNames) {
  for (const reference of models[from].references) {
    const known = referencesTo.get(reference.table) ?? []
    referencesTo.set(reference.table, known)
    known.push({ from, reference })
  }
}

/** Returns the reason why a row must not be deleted: its table forbids it, or another row still refers to it. */
function deletionProblem(name: TableName, id: string, tables: Tables): string | undefined {
  const { undeletable } = models[name]
  if (undeletable !== undefined) return undeletable
  for (const { from, reference } of referencesTo.get(name) ?? []) {
    const table: TreeTable<object> = tables[from]
    const [referrer] = reference.referrers(table, id)
    if (!referrer) continue
    const { singular, label }: Model = models[from]
    const shown = label?.(referrer) ?? table.shape.idOf(referrer)
    return `${singular} ${shown} still refers to it: delete both in one transaction`
  }
  return undefined
}

/** Deletes the rows whose cascading references refer to a deleted row. */
export function cascadeDeletion(name: TableName, id: string, tables: Tables): void {
  for (const { from, reference } of referencesTo.get(name) ?? []) {
    if (reference.onDelete !== 'cascade') continue
    const table: TreeTable<object> = tables[from]
    for (const referrer of reference.referrers(table, id)) table.delete(table.shape.idOf(referrer))
  }
}
