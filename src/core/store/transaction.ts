import { getKey, sameJson } from '../lib/json.js'
import { quoted, UsageError } from '../lib/messages.js'
import type { Change } from './change-set.js'
import { type Model, type Reference, type Tables, unknownReference } from './model.js'
import { models } from './models.js'
import { type TableName, tokenTables } from './rows.js'
import type { OpenTransaction, TreeTable } from './table.js'
import { tableNames } from './table-names.js'
import { type Entry, uniqueValues } from './table-state.js'

interface LoggedWrite {
  readonly table: TreeTable<object>
  readonly before: Entry | undefined
  readonly after: Entry | undefined
}

interface Written {
  readonly before: Entry | undefined
  after: Entry | undefined
}

/** For errors about a row that breaks a constraint: its table, and the message without the row. */
export const brokenConstraints = new WeakMap<object, { readonly table: TableName; readonly problem: string }>()

/** An open transaction. It writes in place, and keeps a log to undo its writes. */
export class Transaction implements OpenTransaction {
  readonly revision: number
  /** In ms since the epoch. The clock stands still inside a transaction. */
  readonly now: number
  readonly #tables: Tables
  readonly #log: LoggedWrite[] = []
  readonly #isRaw: boolean
  /** The creation numbers of the next rows. Only a raw transaction sets them. */
  readonly #nextSeqs: readonly (readonly [TreeTable<object>, number])[]

  /** With `isRaw`, writes run no triggers and no checks. Resets and reloads use it. */
  constructor(tables: Tables, options: { readonly revision: number; readonly now: number; readonly isRaw?: boolean }) {
    this.revision = options.revision
    this.now = options.now
    this.#tables = tables
    this.#isRaw = options.isRaw ?? false
    const all = this.#isRaw ? Object.values<TreeTable<object>>(tables) : [] // each of some rows
    this.#nextSeqs = all.map(table => [table, table.state.nextSeq])
  }

  record(table: TreeTable<object>, before: Entry | undefined, after: Entry | undefined): void {
    this.#log.push({ table, before, after })
  }

  runTrigger(table: TreeTable<object>, before: object | undefined, after: object | undefined): void {
    if (this.#isRaw) return
    const name = table.shape.name as TableName // tables of a world
    const model: Model = models[name]
    model.afterWrite?.({ before, after }, this.#tables, this.now)
    if (before && !after) cascadeDeletion(name, table.shape.idOf(before), this.#tables)
  }

  /** A point in the log for `rollback`: its present length. */
  get savepoint(): number {
    return this.#log.length
  }

  /** Undoes all writes, or the writes after a savepoint. */
  rollback(savepoint = 0): void {
    for (const { table, before, after } of this.#log.splice(savepoint).reverse()) table.undo(before, after)
    for (const [table, nextSeq] of this.#nextSeqs) table.resetSequence(nextSeq)
  }

  /** Returns the changed rows by table, in the order of their first write. Throws `UsageError` if one breaks a constraint. */
  finish(): Change[] {
    const changes: Change[] = []
    const written = this.#writtenRows()
    for (const name of tableNames) {
      const table: TreeTable<object> = this.#tables[name]
      for (const [id, { before, after }] of written.get(name) ?? []) {
        if (!before && !after) continue
        // An unchanged row gets its old entry back, with its old revision.
        if (before && after && before.seq === after.seq && sameJson(before.row, after.row)) table.undo(before, after)
        else changes.push({ table: name, id, before, after } as Change) // rows of that table
      }
    }
    if (!this.#isRaw) for (const change of changes) this.#check(change)
    return changes
  }

  /** Throws `UsageError` if a row that was written after a savepoint breaks a constraint. */
  checkSince(savepoint: number): void {
    for (const [table, rows] of this.#writtenRows(savepoint))
      for (const [id, written] of rows) this.#check({ table, id, ...written } as Change) // rows of that table
  }

  #check(change: Change): void {
    const problem = findProblem(change, this.#tables)
    if (problem === undefined) return
    const error = new UsageError(`${change.table} ${quoted(change.id)}: ${problem}`)
    brokenConstraints.set(error, { table: change.table, problem })
    throw error
  }

  /** The first and the last entry of each row that was written after a savepoint, by table and id. */
  #writtenRows(savepoint = 0): Map<string, Map<string, Written>> {
    const byTable = new Map<string, Map<string, Written>>()
    for (let i = savepoint; i < this.#log.length; i++) {
      const { table, before, after } = this.#log[i] as LoggedWrite // within its length
      const rows = byTable.get(table.shape.name) ?? new Map<string, Written>()
      byTable.set(table.shape.name, rows)
      const id = (after ?? before)?.id ?? ''
      const known = rows.get(id)
      if (known) known.after = after
      else rows.set(id, { before, after })
    }
    return byTable
  }
}

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

function cascadeDeletion(name: TableName, id: string, tables: Tables): void {
  for (const { from, reference } of referencesTo.get(name) ?? []) {
    if (reference.onDelete !== 'cascade') continue
    const table: TreeTable<object> = tables[from]
    for (const referrer of reference.referrers(table, id)) table.delete(table.shape.idOf(referrer))
  }
}
