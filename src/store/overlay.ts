import { ColumnIndex, valueIn } from './column-index.js'
import { type OrderName, rankingOf, type SumName, summandOf, type ViewName, viewOf } from './derived.js'
import type { Change } from './landing.js'
import { RankIndex } from './rank-index.js'
import type { Records } from './records.js'
import { SumIndex } from './sum-index.js'
import type { RowSource, Wanted } from './table.js'

/** What a turn has done to one model's records so far. Its reads look through it at what has been committed. */
export class Overlay<Row extends object> implements RowSource<Row> {
  // Most turns only look at most tables, and each map takes longer to make than a look.
  #changes: Map<string, Change<Row>> | undefined
  /** Where each row that was put stands among the changes; `undefined` where no index has asked. */
  #places: Map<string, number> | undefined
  /** The rows that were put, by their values in columns that were asked for: a turn may change as many as there are. */
  #putBy: Map<string, ColumnIndex> | undefined
  /** The rows that were put, in orders that were asked for. */
  #ranked: Map<OrderName, RankIndex<object>> | undefined
  /** By how much sums that were asked for are others than they were. */
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

  get(id: string): Row | undefined {
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

  firstRanked(name: OrderName, { group, isWanted }: Wanted<Row>): Row | undefined {
    const changes = this.#changes
    if (!changes) return this.base.firstRanked(name, { group, isWanted })
    const ranking = rankingOf(this.base.table, name)
    const stood = this.base.firstRanked(name, { group, isWanted: row => !changes.has(this.idOf(row)) && isWanted(row) })
    const id = this.#ranks(name).first(group, one => {
      const row = putIn(changes.get(one))
      return row !== undefined && isWanted(row)
    })
    const put = id === undefined ? undefined : putIn(changes.get(id))
    if (!stood || !put) return stood ?? put
    const difference = (ranking.rank(stood) ?? 0) - (ranking.rank(put) ?? 0)
    const isLater =
      difference > 0 || (difference === 0 && this.#placeOf(this.idOf(stood)) > this.#placeOf(this.idOf(put)))
    return isLater ? put : stood
  }

  /** The rows that were put, in an order. */
  #ranks(name: OrderName): RankIndex<object> {
    const known = this.#ranked?.get(name)
    if (known) return known
    this.#ranked ??= new Map()
    this.#countPlaces()
    const index = new RankIndex(rankingOf(this.base.table, name), id => this.#placeOf(id))
    for (const [id, change] of this.changes) index.touch({ id, before: undefined, after: putIn(change) })
    this.#ranked.set(name, index)
    return index
  }

  /** From now on each row that is put gets a place. */
  #countPlaces(): void {
    this.#places ??= new Map([...this.changes.keys()].map(id => [id, this.#nextPlace++]))
  }

  /** In the order of creation: those that stand where they stood, and then the new ones, as they were put. */
  #placeOf(id: string): number {
    const change = this.#changes?.get(id)
    const isNew = change !== undefined && change !== 'delete' && !this.#stands(id, change)
    return isNew ? moreThanAll + (this.#places?.get(id) ?? 0) : this.base.placeOf(id)
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
    this.#countPlaces()
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
    if (!this.#putBy && !this.#differences && !this.#ranked) return
    const before = putIn(change)
    for (const index of this.#ranked?.values() ?? []) index.touch({ id, before, after })
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

/** No world has as many records: behind them come those that are new. */
const moreThanAll = 2 ** 40

const none: ReadonlyMap<string, Change<never>> = new Map<string, never>()

function putIn<Row>(change: Change<Row> | undefined): Row | undefined {
  return change === undefined || change === 'delete' ? undefined : change.put
}
