import { ColumnIndex, valueIn } from './column-index.js'
import { type OrderName, rankingOf, type SumName, summandOf, type ViewName, viewOf } from './derived.js'
import { groupIn } from './group-in.js'
import type { Change } from './landing.js'
import type { Ranking } from './rank-index.js'
import type { Records } from './records.js'
import { SumIndex } from './sum-index.js'
import type { RowSource, Wanted } from './table.js'

/** A row, and where it stands in an order. */
interface Ranked<Row> {
  readonly row: Row
  readonly rank: number
  readonly place: number
}

/** What a turn has done to one model's records so far. Its reads look through it at what has been committed. */
export class Overlay<Row extends object> implements RowSource<Row> {
  // Most turns only look at most tables, and each map takes longer to make than a look.
  #changes: Map<string, Change<Row>> | undefined
  /** Where each row that was put stands among the changes; `undefined` where no index has asked. */
  #places: Map<string, number> | undefined
  /** The rows that were put, by their values in columns that were asked for: a turn may change as many as there are. */
  #putBy: Map<string, ColumnIndex> | undefined
  #differences: Map<SumName, SumIndex<object>> | undefined
  #nextPlace = 0

  constructor(
    readonly base: Records<Row>,
    readonly idOf: (row: Row) => string,
  ) {}

  /** What has been done to each record, in the order in which that began. */
  get changes(): ReadonlyMap<string, Change<Row>> {
    return this.#changes ?? none
  }

  get = (id: string): Row | undefined => {
    const change = this.#changes?.get(id)
    if (change === undefined) return this.base.get(id)
    return change === 'delete' ? undefined : change.put
  }

  rows(): Iterable<Row> {
    return this.changes.size === 0 ? this.base.rows() : this.#through()
  }

  indexed(column: string, value: string): Iterable<Row> {
    if (this.changes.size === 0) return this.base.indexed(column, value)
    const standing: Row[] = []
    const added: Row[] = []
    for (const row of this.base.indexed(column, value)) if (!this.changes.has(this.idOf(row))) standing.push(row)
    for (const id of this.#index(column).ids(value)) {
      const change = this.changes.get(id)
      if (change === undefined || change === 'delete') continue
      if (this.#stands(id, change)) standing.push(change.put)
      else added.push(change.put)
    }
    const placeOf = (row: Row) => this.base.placeOf(this.idOf(row))
    return [...standing.sort((one, other) => placeOf(one) - placeOf(other)), ...added]
  }

  sum(name: SumName, group: string): number {
    return this.base.sum(name, group) + this.#difference(name).value(group)
  }

  /** By how much the sums of that name are others than they were. */
  #difference(name: SumName): SumIndex<object> {
    const known = this.#differences?.get(name)
    if (known) return known
    this.#differences ??= new Map()
    const difference = new SumIndex(summandOf(this.base.table, name))
    for (const [id, change] of this.changes)
      difference.touch({ before: this.base.get(id), after: putIn(change), revision: 0 })
    this.#differences.set(name, difference)
    return difference
  }

  *viewed(name: ViewName, group: string): Iterable<Row> {
    const view = viewOf(this.base.table, name)
    for (const row of this.rows()) if (view.group(row) === group) yield row
  }

  firstRanked(name: OrderName, wanted: Wanted<Row>): Row | undefined {
    const changes = this.#changes
    if (!changes) return this.base.firstRanked(name, wanted)
    const ranking = rankingOf(this.base.table, name)
    const stood = this.base.firstRanked(name, {
      group: wanted.group,
      isWanted: row => !changes.has(this.idOf(row)) && wanted.isWanted(row),
    })
    let first = stood && this.#ranked(stood, ranking)
    for (const change of changes.values()) {
      const row = putIn(change)
      if (row === undefined || groupIn(ranking, row) !== wanted.group || !wanted.isWanted(row)) continue
      const put = this.#ranked(row, ranking)
      if (put && (!first || comesBefore(put, first))) first = put
    }
    return first?.row
  }

  /** Where a row stands in an order; `undefined` where it stands in none. */
  #ranked(row: Row, ranking: Ranking<object>): Ranked<Row> | undefined {
    const rank = ranking.rank(row)
    const id = this.idOf(row)
    const change = this.#changes?.get(id)
    const isNew = change !== undefined && change !== 'delete' && !this.#stands(id, change)
    return rank === undefined
      ? undefined
      : { row, rank, place: isNew ? Number.MAX_SAFE_INTEGER : this.base.placeOf(id) }
  }

  put(row: Row): void {
    const id = this.idOf(row)
    this.#changes ??= new Map()
    const change = this.#changes.get(id)
    const again = change === 'delete' || change?.again === true
    if (change === 'delete') this.#changes.delete(id)
    if (!this.#changes.has(id)) this.#places?.set(id, this.#nextPlace++)
    this.#changes.set(id, { put: row, again })
    this.#touch(id, { change, after: row })
  }

  delete(id: string): void {
    this.#changes ??= new Map()
    this.#touch(id, { change: this.#changes.get(id), after: undefined })
    this.#changes.set(id, 'delete')
  }

  #index(column: string): ColumnIndex {
    const known = this.#putBy?.get(column)
    if (known) return known
    this.#putBy ??= new Map()
    this.#places ??= new Map([...this.changes.keys()].map(id => [id, this.#nextPlace++]))
    const index = new ColumnIndex(id => this.#places?.get(id) ?? 0)
    for (const [id, change] of this.changes)
      index.touch({ id, before: undefined, after: valueIn(putIn(change), column), revision: 0 })
    this.#putBy.set(column, index)
    return index
  }

  /** `change` is what had been done to it before. */
  #touch(
    id: string,
    { change, after }: { readonly change: Change<Row> | undefined; readonly after: Row | undefined },
  ): void {
    if (!this.#putBy && !this.#differences) return
    const before = putIn(change)
    for (const [column, index] of this.#putBy ?? [])
      index.touch({ id, before: valueIn(before, column), after: valueIn(after, column), revision: 0 })
    const stood = change === undefined ? this.base.get(id) : before
    for (const difference of this.#differences?.values() ?? []) difference.touch({ before: stood, after, revision: 0 })
  }

  /** Whether a row that was put stands where it stood; new ones come last, and those that were deleted first. */
  #stands(id: string, { again }: Exclude<Change<Row>, 'delete'>): boolean {
    return !again && this.base.get(id) !== undefined
  }

  /** All committed rows with this turn's changes. */
  *#through(): Iterable<Row> {
    for (const row of this.base.rows()) {
      const id = this.idOf(row)
      const change = this.changes.get(id)
      if (change === undefined) yield row
      else if (change !== 'delete' && this.#stands(id, change)) yield change.put
    }
    for (const [id, change] of this.changes) if (change !== 'delete' && !this.#stands(id, change)) yield change.put
  }
}

/** New ones come last, in the order in which they were put. */
function comesBefore(one: Ranked<unknown>, other: Ranked<unknown>): boolean {
  return one.rank < other.rank || (one.rank === other.rank && one.place < other.place)
}

const none: ReadonlyMap<string, Change<never>> = new Map<string, never>()

function putIn<Row>(change: Change<Row> | undefined): Row | undefined {
  return change === undefined || change === 'delete' ? undefined : change.put
}
