import type { Change, Records } from './records.js'
import type { RowSource } from './table.js'

/** What a turn has done to one model's records so far. Its reads look through it at what has been committed. */
export class Overlay<Row extends object> implements RowSource<Row> {
  readonly changes = new Map<string, Change<Row>>()

  constructor(
    readonly base: Records<Row>,
    readonly idOf: (row: Row) => string,
  ) {}

  get = (id: string): Row | undefined => {
    const change = this.changes.get(id)
    if (change === undefined) return this.base.get(id)
    return change === 'delete' ? undefined : change.put
  }

  rows(): Iterable<Row> {
    if (this.changes.size === 0) return this.base.rows()
    return this.#through(this.base.rows(), () => true)
  }

  indexed(column: string, value: string): Iterable<Row> {
    if (this.changes.size === 0) return this.base.indexed(column, value)
    // Indexes name the columns of their model as texts.
    const belongs = (row: Row) => row[column as keyof Row] === value
    return this.#hasArrived(belongs)
      ? this.#filtered(belongs)
      : this.#through(this.base.indexed(column, value), belongs)
  }

  put(row: Row): void {
    const id = this.idOf(row)
    const change = this.changes.get(id)
    const again = change === 'delete' || change?.again === true
    if (change === 'delete') this.changes.delete(id)
    this.changes.set(id, { put: row, again })
  }

  delete(id: string): void {
    this.changes.set(id, 'delete')
  }

  /** Whether a committed row belongs now that did not: it stands among those that did, where it stands among all. */
  #hasArrived(belongs: (row: Row) => boolean): boolean {
    for (const [id, change] of this.changes) {
      if (change === 'delete' || change.again || !belongs(change.put)) continue
      const before = this.base.get(id)
      if (before && !belongs(before)) return true
    }
    return false
  }

  *#filtered(belongs: (row: Row) => boolean): Iterable<Row> {
    for (const row of this.rows()) if (belongs(row)) yield row
  }

  /** The committed rows with this turn's changes: a changed row stands where it stood, new ones come last. */
  *#through(committed: Iterable<Row>, belongs: (row: Row) => boolean): Iterable<Row> {
    const seen = new Set<string>()
    for (const row of committed) {
      const id = this.idOf(row)
      const change = this.changes.get(id)
      if (change === undefined) yield row
      if (change === undefined || change === 'delete' || change.again) continue
      seen.add(id)
      if (belongs(change.put)) yield change.put
    }
    for (const [id, change] of this.changes) {
      if (change !== 'delete' && !seen.has(id) && belongs(change.put)) yield change.put
    }
  }
}
