import { ColumnIndex, valueIn } from './column-index.js'
import type { Change, Records } from './records.js'
import type { RowSource } from './table.js'

/** What a turn has done to one model's records so far. Its reads look through it at what has been committed. */
export class Overlay<Row extends object> implements RowSource<Row> {
  readonly changes = new Map<string, Change<Row>>()
  /** Where each row that was put stands among the changes. */
  readonly #places = new Map<string, number>()
  /** The rows that were put, by their values in columns that were asked for: a turn may change as many as there are. */
  readonly #putBy = new Map<string, ColumnIndex>()
  #nextPlace = 0

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
    return this.#through(this.base.rows(), { put: this.changes.keys(), belongs: () => true })
  }

  indexed(column: string, value: string): Iterable<Row> {
    if (this.changes.size === 0) return this.base.indexed(column, value)
    // Indexes name the columns of their model as texts.
    const belongs = (row: Row) => row[column as keyof Row] === value
    const put = this.#index(column).ids(value)
    return this.#hasArrived(put, belongs)
      ? this.#filtered(belongs)
      : this.#through(this.base.indexed(column, value), { put, belongs })
  }

  put(row: Row): void {
    const id = this.idOf(row)
    const change = this.changes.get(id)
    const again = change === 'delete' || change?.again === true
    if (change === 'delete') this.changes.delete(id)
    if (!this.changes.has(id)) this.#places.set(id, this.#nextPlace++)
    this.changes.set(id, { put: row, again })
    this.#touch(id, { before: putIn(change), after: row })
  }

  delete(id: string): void {
    this.#touch(id, { before: putIn(this.changes.get(id)), after: undefined })
    this.changes.set(id, 'delete')
  }

  #index(column: string): ColumnIndex {
    const known = this.#putBy.get(column)
    if (known) return known
    const index = new ColumnIndex(id => this.#places.get(id) ?? 0)
    for (const [id, change] of this.changes)
      index.touch({ id, before: undefined, after: valueIn(putIn(change), column), revision: 0 })
    this.#putBy.set(column, index)
    return index
  }

  #touch(id: string, { before, after }: { readonly before: Row | undefined; readonly after: Row | undefined }): void {
    for (const [column, index] of this.#putBy)
      index.touch({ id, before: valueIn(before, column), after: valueIn(after, column), revision: 0 })
  }

  /** Whether a committed row belongs now that did not: it stands among those that did, where it stands among all. */
  #hasArrived(put: Iterable<string>, belongs: (row: Row) => boolean): boolean {
    for (const id of put) {
      const change = this.changes.get(id)
      if (change === undefined || change === 'delete' || change.again) continue
      const before = this.base.get(id)
      if (before && !belongs(before)) return true
    }
    return false
  }

  *#filtered(belongs: (row: Row) => boolean): Iterable<Row> {
    for (const row of this.rows()) if (belongs(row)) yield row
  }

  /** The committed rows with this turn's changes: a changed row stands where it stood, new ones come last. */
  *#through(
    committed: Iterable<Row>,
    { put, belongs }: { readonly put: Iterable<string>; belongs(row: Row): boolean },
  ): Iterable<Row> {
    const seen = new Set<string>()
    for (const row of committed) {
      const id = this.idOf(row)
      const change = this.changes.get(id)
      if (change === undefined) yield row
      if (change === undefined || change === 'delete' || change.again) continue
      seen.add(id)
      if (belongs(change.put)) yield change.put
    }
    for (const id of put) {
      const row = seen.has(id) ? undefined : putIn(this.changes.get(id))
      if (row && belongs(row)) yield row
    }
  }
}

function putIn<Row>(change: Change<Row> | undefined): Row | undefined {
  return change === undefined || change === 'delete' ? undefined : change.put
}
