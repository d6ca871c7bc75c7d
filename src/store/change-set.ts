import type { Rows, TableName } from './rows.js'

/** A record that a turn made, changed or, by a reset or a reload, moved in its table; as it is now. */
export type Put = {
  readonly [Name in TableName]: { readonly table: Name; readonly id: string; readonly row: Rows[Name] }
}[TableName]

/** A record that a turn took away. */
export interface Delete {
  readonly table: TableName
  readonly id: string
}

/** What one turn changed. Every other part of the mock lives on these. */
export interface ChangeSet {
  readonly revision: number
  /** When, in ms of the world's clock. */
  readonly at: number
  readonly puts: readonly Put[]
  readonly deletes: readonly Delete[]
}

/** Objects that were counted before: a changed record shares its unchanged values with the one before. */
const counted = new WeakSet<object>()

/** About how much memory a change set takes, in bytes: a little for each record, plus its long and nested values. */
export function memoryOf({ puts, deletes }: ChangeSet): number {
  let bytes = 100 * (1 + puts.length + deletes.length)
  for (const { row } of puts) {
    for (const name in row) {
      const value: unknown = row[name as keyof typeof row]
      if (typeof value === 'string') bytes += value.length > 100 ? value.length : 0
      else if (typeof value === 'object' && value !== null && !counted.has(value)) {
        counted.add(value)
        bytes += memoryOfJson(value)
      }
    }
  }
  return bytes
}

function memoryOfJson(value: unknown): number {
  if (typeof value === 'string') return 16 + value.length
  if (typeof value !== 'object' || value === null) return 8
  let bytes = 50
  if (Array.isArray(value)) for (const item of value) bytes += memoryOfJson(item)
  else for (const [name, field] of Object.entries(value)) bytes += 16 + name.length + memoryOfJson(field)
  return bytes
}
