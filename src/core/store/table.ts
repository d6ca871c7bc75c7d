import { getKey, keepRowDigits, sameJson } from '../lib/json.js'
import { type Dependencies, indexTag, rowTag, sumTag, tableTag, viewTag } from './dependencies.js'
import { type Plan, type Predicate, plan } from './query.js'
import {
  type Entry,
  groupOf,
  isSameGroup,
  type Shape,
  type SumDefinition,
  type TableState,
  type ViewDefinition,
} from './table-state.js'
import { diffTrees } from './tree.js'

/** The open transaction of a world, as its tables use it. */
export interface OpenTransaction {
  /** The revision of the change set, if the transaction makes one. */
  readonly revision: number
  /** Logs a write. Called before its trigger. */
  record(table: TreeTable<object>, before: Entry | undefined, after: Entry | undefined): void
  /** Runs the trigger of a write (`Model.afterWrite`) and its cascades. */
  runTrigger(table: TreeTable<object>, before: object | undefined, after: object | undefined): void
}

interface EntryChange<Row> {
  readonly before: Entry<Row> | undefined
  readonly after: Entry<Row> | undefined
}

/** The parts that all tables of a world share. */
export interface TableContext {
  readonly dependencies: Dependencies
  /** `undefined` outside a transaction. */
  openTransaction: OpenTransaction | undefined
}

/** A table of one world. It tracks reads, and writes in place inside a transaction. It does not check rows. */
export class TreeTable<Row extends object> {
  readonly #context: TableContext
  #state: TableState<Row>
  /** True while another world, or a past state, may share this state. */
  #isShared = true

  constructor(state: TableState<Row>, context: TableContext) {
    this.#state = state
    this.#context = context
  }

  get shape(): Shape<Row> {
    return this.#state.shape
  }

  /** The present state, for reads that are not tracked. */
  get state(): TableState<Row> {
    return this.#state
  }

  /** Returns the present state. It never changes: the table clones it before its next write. */
  share(): TableState<Row> {
    this.#isShared = true
    return this.#state
  }

  get(id: string): Row | undefined {
    const entry = this.#state.entry(id)
    const { dependencies } = this.#context
    if (dependencies.isTracking)
      dependencies.note(rowTag(this.shape.name, id), entry ? shownRevisionOf(entry) : this.#state.revision)
    return entry?.row
  }

  /** Lists all rows, oldest first. */
  all(): Row[] {
    this.#noteTable()
    return this.#state.all()
  }

  count(): number {
    this.#noteTable()
    return this.#state.size
  }

  first(): Row | undefined {
    this.#noteTable()
    const seq = this.#state.rows.minKey()
    return seq === undefined ? undefined : this.#state.rows.get(seq)?.row
  }

  /** Finds the rows with these values in the columns of an index, in the order of the index. */
  inIndex(name: string, values: Partial<Row>): Row[] {
    const group = this.#groupOf(name, values)
    const { dependencies } = this.#context
    if (dependencies.isTracking) dependencies.note(indexTag(this.shape.name, name, group), this.#state.revision)
    return this.#state.inIndex(name, group)
  }

  /** Finds the first wanted row in a group of an index: see `groupOf`. */
  firstInIndex(name: string, group: string, isWanted: (row: Row) => boolean): Row | undefined {
    this.#noteTable()
    return this.#state.firstInIndex(name, group, isWanted)
  }

  withUnique(name: string, value: string): Row | undefined {
    this.#noteTable()
    return this.#state.withUnique(name, value)[0]
  }

  sum(name: string, group: string): number {
    const { dependencies } = this.#context
    if (dependencies.isTracking) {
      const tag = sumTag(this.shape.name, name, group)
      dependencies.note(tag, this.shape.sums[name]?.isWatched ? this.#state.stamp(tag) : this.#state.revision)
    }
    return this.#state.sum(name, group)
  }

  /** Finds the rows in a group of a view, by the index of the same name. */
  inView(name: string, group: string, values: Partial<Row>): Row[] {
    const { dependencies } = this.#context
    if (dependencies.isTracking) {
      const tag = viewTag(this.shape.name, name, group)
      dependencies.note(tag, this.#state.stamp(tag))
    }
    return this.#state.inIndex(name, this.#groupOf(name, values))
  }

  findFirst(predicate?: Predicate<Row>): Row | undefined {
    const { test, equalities } = plan(predicate)
    return this.#candidates(equalities).find(test)
  }

  findMany(predicate?: Predicate<Row>): Row[] {
    const { test, equalities } = plan(predicate)
    return this.#candidates(equalities).filter(test)
  }

  /** Adds a row, or replaces the one with the same id. Throws outside a transaction. */
  put(written: Row): void {
    const transaction = this.#transaction()
    const id = this.shape.idOf(written)
    const before = this.#state.entry(id)
    const row = keepRowDigits(written, before?.row)
    const state = this.#writableState()
    const { revision } = transaction
    const after: Entry<Row> = { id, row, seq: before?.seq ?? state.nextSeq++, revision }
    this.#replace(
      transaction,
      before,
      before && this.#looksSame(before.row, row) ? { ...after, shownRevision: shownRevisionOf(before) } : after,
    )
    transaction.runTrigger(this, before?.row, row)
  }

  /** Tells whether answers show the same of two rows. They show all of a row without hidden columns. */
  #looksSame(before: Row, after: Row): boolean {
    const { shown } = this.shape
    return shown !== undefined && hasSameValues(shown, before, after)
  }

  /** Deletes the row with that id, if there is one. Throws outside a transaction. */
  delete(id: string): void {
    const transaction = this.#transaction()
    const before = this.#state.entry(id)
    if (!before) return
    this.#writableState()
    this.#replace(transaction, before, undefined)
    transaction.runTrigger(this, before.row, undefined)
  }

  /** Replaces all rows by those of a state, without triggers. Skips the rows that both share. Resets and reloads use it. */
  restore(target: TableState<Row>): void {
    if (this.#state === target) return
    const replaced: Entry<Row>[] = []
    const restored: Entry<Row>[] = []
    diffTrees(this.#state.rows, target.rows, (_, before, after) => {
      if (before && after && before.id === after.id && before.row === after.row) return
      if (before) replaced.push(before)
      if (after) restored.push(after)
    })
    // Delete first: a restored row may have the creation number of a row that goes.
    for (const { id, seq } of replaced) if (target.entry(id)?.seq !== seq) this.#restoreEntry(id, undefined)
    for (const entry of restored) this.#restoreEntry(entry.id, entry)
    this.resetSequence(target.nextSeq)
  }

  #restoreEntry(id: string, after: Entry<Row> | undefined): void {
    const transaction = this.#transaction()
    const before = this.#state.entry(id)
    const state = this.#writableState()
    if (after && after.seq >= state.nextSeq) state.nextSeq = after.seq + 1
    this.#replace(transaction, before, after && { id, row: after.row, seq: after.seq, revision: transaction.revision })
  }

  /** Sets the creation number of the next new row. */
  resetSequence(nextSeq: number): void {
    this.#writableState().nextSeq = nextSeq
  }

  /** Undoes a write of this transaction. Undo writes in reverse order. */
  undo(before: Entry<Row> | undefined, after: Entry<Row> | undefined): void {
    const state = this.#writableState()
    state.replace(after, before)
    if (after && after.seq === state.nextSeq - 1 && after.seq !== before?.seq) state.nextSeq = after.seq
  }

  /** Replaces all rows at once, outside of transactions. */
  adopt(state: TableState<Row>): void {
    this.#state = state
    this.#isShared = true
  }

  /** Writes a change of an earlier run again, outside of transactions. `commit` follows. */
  replay(before: Entry<Row> | undefined, after: Entry<Row> | undefined): void {
    const state = this.#writableState()
    if (after && after.seq >= state.nextSeq) state.nextSeq = Math.floor(after.seq) + 1
    state.replace(before, after)
  }

  /** Stamps a committed change with its revision. Adds the tags that it touched to `touched`. */
  commit(changes: readonly EntryChange<Row>[], revision: number, touched?: Set<string>): void {
    this.#writableState().revision = revision
    this.#stampSums(changes, revision, touched)
    this.#stampViews(changes, revision, touched)
    if (!touched) return
    const { name, indexes } = this.shape
    touched.add(tableTag(name))
    for (const { before, after } of changes) {
      touched.add(rowTag(name, (after ?? before)?.id ?? ''))
      for (const index in indexes) {
        const columns = indexes[index]?.columns ?? []
        if (before) touched.add(indexTag(name, index, groupOf(columns, before.row)))
        if (after) touched.add(indexTag(name, index, groupOf(columns, after.row)))
      }
    }
  }

  /** Touches the changed sums. A sum is unchanged if its rows change by opposite amounts. */
  #stampSums(changes: readonly EntryChange<Row>[], revision: number, touched: Set<string> | undefined): void {
    const { name, sums } = this.shape
    for (const sum in sums) {
      const { columns, amount, isWatched } = sums[sum] as SumDefinition<Row> // a key of it
      if (!isWatched && !touched) continue
      let differences: Map<string, number> | undefined
      for (const { before, after } of changes) {
        const [left, entered] = [before ? amount(before.row) : 0, after ? amount(after.row) : 0]
        if (before && after && left === entered && isSameGroup(columns, before.row, after.row)) continue
        differences ??= new Map()
        if (before) addDifference(differences, groupOf(columns, before.row), -left)
        if (after) addDifference(differences, groupOf(columns, after.row), entered)
      }
      if (!differences) continue
      for (const [group, difference] of differences)
        if (difference !== 0) this.#touchGroup(sumTag(name, sum, group), revision, touched, isWatched)
    }
  }

  #stampViews(changes: readonly EntryChange<Row>[], revision: number, touched: Set<string> | undefined): void {
    const { name, views } = this.shape
    for (const view in views) {
      const { group, columns } = views[view] as ViewDefinition<Row> // a key of it
      for (const { before, after } of changes) {
        const isSame =
          before?.seq === after?.seq &&
          before &&
          after &&
          group(before.row) === group(after.row) &&
          hasSameValues(columns, before.row, after.row)
        if (isSame) continue
        if (before) this.#touchGroup(viewTag(name, view, group(before.row)), revision, touched, true)
        if (after) this.#touchGroup(viewTag(name, view, group(after.row)), revision, touched, true)
      }
    }
  }

  #touchGroup(tag: string, revision: number, touched: Set<string> | undefined, isWatched: true | undefined): void {
    if (isWatched) this.#state.setStamp(tag, revision)
    touched?.add(tag)
  }

  #transaction(): OpenTransaction {
    const { openTransaction } = this.#context
    if (!openTransaction) throw new Error(`a write to table ${this.shape.name} outside a transaction`)
    return openTransaction
  }

  #replace(transaction: OpenTransaction, before: Entry<Row> | undefined, after: Entry<Row> | undefined): void {
    this.#state.replace(before, after)
    transaction.record(this, before, after)
  }

  #writableState(): TableState<Row> {
    if (this.#isShared) this.#state = this.#state.clone()
    this.#isShared = false
    return this.#state
  }

  #noteTable(): void {
    const { dependencies } = this.#context
    if (dependencies.isTracking) dependencies.note(tableTag(this.shape.name), this.#state.revision)
  }

  #groupOf(name: string, values: Partial<Row>): string {
    return groupOf(this.shape.indexes[name]?.columns ?? [], values as Row) // it has the columns of the index
  }

  #candidates(equalities: Plan<Row>['equalities']): Row[] {
    const { key, indexes, unique } = this.shape
    const has = (column: string) => equalities[column] !== undefined
    if (key.every(has)) {
      const row = this.get(key.map(column => equalities[column]).join('/'))
      return row ? [row] : []
    }
    for (const [name, { column }] of Object.entries(unique)) {
      const value = column === undefined ? undefined : equalities[column]
      if (value === undefined) continue
      this.#noteTable()
      return this.#state.withUnique(name, value)
    }
    for (const [name, { columns, rank }] of Object.entries(indexes))
      if (!rank && columns.length > 0 && columns.every(has)) return this.inIndex(name, equalities as Partial<Row>) // it has the columns of the index
    return this.all()
  }
}

function shownRevisionOf({ shownRevision, revision }: Entry<unknown>): number {
  return shownRevision ?? revision
}

function hasSameValues<Row extends object>(columns: readonly string[], before: Row, after: Row): boolean {
  return columns.every(column => sameJson(getKey(before, column), getKey(after, column)))
}

function addDifference(differences: Map<string, number>, group: string, amount: number): void {
  differences.set(group, (differences.get(group) ?? 0) + amount)
}
