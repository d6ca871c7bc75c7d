import { type Dependencies, indexTag, rowTag, sumTag, tableTag, viewTag } from './dependencies.js'
import { type Predicate, plan } from './query.js'
import { sameJson } from './same-json.js'
import { compareNumbers, compareTexts, createTree, loadTree, type Tree } from './tree.js'

/** A row in its table. Never modified: a change makes a new entry, and trees that share the old one keep it. */
export interface Entry<Row = object> {
  readonly id: string
  /** Frozen. */
  readonly row: Row
  /** The creation number: lists are in its order, and a changed row keeps it. */
  readonly seq: number
  /** The revision that last changed the row. */
  readonly revision: number
}

/** Keeps rows in an order: by the values of some columns, then by rank, then by creation. */
export interface IndexDefinition<Row> {
  readonly columns: readonly (keyof Row & string)[]
  /** The lowest rank comes first. A row with an `undefined` rank is not in the index. Default: all rows rank alike. */
  rank?(row: Row): number | undefined
}

/** Values that no two rows may share. */
interface UniqueDefinition<Row> {
  values(row: Row): readonly string[]
  /** The column that holds the value, where it is one: queries for it use the index. */
  readonly column?: keyof Row & string
  /** Rows that differ in this column may share values. Default: no rows may. */
  readonly within?: keyof Row & string
}

/** The unique values of a row, with the value of the column that they are unique within. */
export function uniqueValues<Row>({ values, within }: UniqueDefinition<Row>, row: Row): readonly string[] {
  return within === undefined ? values(row) : values(row).map(value => `${row[within]}\0${value}`)
}

/** A sum over the rows that have the same values in some columns. */
interface SumDefinition<Row> {
  readonly columns: readonly (keyof Row & string)[]
  amount(row: Row): number
  /** Whether watches read it, so that each group keeps the revision of its last change. Default: false. */
  readonly isWatched?: true
}

/** The rows of a group as a watch shows them: only changes of the shown columns count. */
interface ViewDefinition<Row> {
  group(row: Row): string
  readonly columns: readonly (keyof Row & string)[]
}

/** What a table is made of, as far as storing its rows goes. */
export interface Shape<Row> {
  readonly name: string
  /** The id of a row. */
  idOf(row: Row): string
  /** The columns of the id. */
  readonly key: readonly string[]
  readonly indexes: Readonly<Record<string, IndexDefinition<Row>>>
  readonly unique: Readonly<Record<string, UniqueDefinition<Row>>>
  readonly sums: Readonly<Record<string, SumDefinition<Row>>>
  readonly views: Readonly<Record<string, ViewDefinition<Row>>>
}

interface UniqueKey {
  readonly value: string
  readonly seq: number
}

/** The place of a row in an index: its group, its rank there, and its creation number. */
interface IndexKey {
  readonly group: string
  readonly rank: number
  readonly seq: number
}

/** The bounds of a group of an index: before its first key, and behind its last. */
const lowest = Number.NEGATIVE_INFINITY
const highest = Number.POSITIVE_INFINITY

/**
 * The rows of a table with their indexes. Worlds share one until they write to it; then they clone it, in constant time.
 * Indexes and sums are built when they are first used.
 */
export class TableState<Row extends object> {
  readonly shape: Shape<Row>
  readonly rows: Tree<number, Entry<Row>>
  readonly #ids: Tree<string, number>
  readonly #indexes = new Map<string, Tree<IndexKey, undefined>>()
  readonly #unique = new Map<string, Tree<UniqueKey, undefined>>()
  readonly #sums = new Map<string, Tree<string, number>>()
  /** When watched sums and views last changed, by their tags. */
  #stamps: Tree<string, number> | undefined
  /** The creation number of the next new row. */
  nextSeq: number
  /** The revision of the newest change to the table. */
  revision: number
  /** The revision of its first rows. */
  readonly #firstRevision: number

  private constructor(
    from: Pick<TableState<Row>, 'shape' | 'rows' | 'nextSeq' | 'revision'>,
    ids: Tree<string, number>,
    firstRevision: number,
  ) {
    this.shape = from.shape
    this.rows = from.rows
    this.nextSeq = from.nextSeq
    this.revision = from.revision
    this.#ids = ids
    this.#firstRevision = firstRevision
  }

  /** A table with these rows, in their order, all of one revision. Of rows with the same id, the last one counts. */
  static of<Row extends object>(shape: Shape<Row>, rows: Iterable<Row>, revision: number): TableState<Row> {
    const entries = new Map<string, Entry<Row>>()
    for (const row of rows) {
      const id = shape.idOf(row)
      entries.set(id, { id, row, seq: entries.get(id)?.seq ?? entries.size, revision })
    }
    return TableState.fromEntries(shape, [...entries.values()], revision)
  }

  /** A table with these entries, which are in the order of their creation numbers. */
  static fromEntries<Row extends object>(shape: Shape<Row>, entries: Entry<Row>[], revision: number): TableState<Row> {
    const byId = entries.toSorted((a, b) => compareTexts(a.id, b.id))
    const rows = loadTree(
      entries.map(({ seq }) => seq),
      entries,
      compareNumbers,
    )
    const ids = loadTree(
      byId.map(({ id }) => id),
      byId.map(({ seq }) => seq),
      compareTexts,
    )
    const nextSeq = Math.floor(entries.at(-1)?.seq ?? -1) + 1
    return new TableState({ shape, rows, nextSeq, revision }, ids, revision)
  }

  clone(): TableState<Row> {
    const { shape, nextSeq, revision } = this
    const clone = new TableState(
      { shape, rows: this.rows.clone(), nextSeq, revision },
      this.#ids.clone(),
      this.#firstRevision,
    )
    for (const [name, tree] of this.#indexes) clone.#indexes.set(name, tree.clone())
    for (const [name, tree] of this.#unique) clone.#unique.set(name, tree.clone())
    for (const [name, tree] of this.#sums) clone.#sums.set(name, tree.clone())
    clone.#stamps = this.#stamps?.clone()
    return clone
  }

  get size(): number {
    return this.rows.size
  }

  entry(id: string): Entry<Row> | undefined {
    const seq = this.#ids.get(id)
    return seq === undefined ? undefined : this.rows.get(seq)
  }

  /** All entries, oldest first. */
  entries(): Entry<Row>[] {
    return this.rows.valuesArray()
  }

  /** The ids, oldest row first. */
  ids(): string[] {
    const ids: string[] = []
    this.rows.forEachPair((_, { id }) => void ids.push(id))
    return ids
  }

  /** Rows in the order of creation. */
  all(): Row[] {
    const rows: Row[] = []
    this.rows.forEachPair((_, { row }) => void rows.push(row))
    return rows
  }

  /** The rows of a group of an index, in its order. */
  inIndex(name: string, group: string): Row[] {
    const rows: Row[] = []
    this.#index(name).forRange(bound(group, lowest), bound(group, highest), false, ({ seq }) => {
      rows.push(this.#row(seq))
    })
    return rows
  }

  /** The first row of a group of an index that is wanted. */
  firstInIndex(name: string, group: string, isWanted: (row: Row) => boolean): Row | undefined {
    let first: Row | undefined
    this.#index(name).forRange(bound(group, lowest), bound(group, highest), false, ({ seq }) => {
      const row = this.#row(seq)
      if (!isWanted(row)) return undefined
      first = row
      // The types of the library leave this way to stop out.
      return { break: true } as never
    })
    return first
  }

  /** The first entry of an index without columns. */
  firstOfAll(name: string): Entry<Row> | undefined {
    const key = this.rows.isEmpty ? undefined : this.#index(name).minKey()
    return key && this.rows.get(key.seq)
  }

  /** The rows that have a unique value: more than one only inside a transaction that has not been checked yet. */
  withUnique(name: string, value: string): Row[] {
    const rows: Row[] = []
    this.#uniqueTree(name).forRange({ value, seq: lowest }, { value, seq: highest }, false, ({ seq }) => {
      const entry = this.rows.get(seq)
      if (entry) rows.push(entry.row)
    })
    return rows
  }

  sum(name: string, group: string): number {
    return this.#sumTree(name).get(group) ?? 0
  }

  /** The revision at which a watched sum or view, given by its tag, last changed. */
  stamp(tag: string): number {
    return this.#stamps?.get(tag) ?? this.#firstRevision
  }

  setStamp(tag: string, revision: number): void {
    this.#stamps ??= createTree(compareTexts)
    this.#stamps.set(tag, revision)
  }

  /** Replaces the entry of an id; `undefined` for none. */
  replace(before: Entry<Row> | undefined, after: Entry<Row> | undefined): void {
    if (before && before.seq !== after?.seq) this.rows.delete(before.seq)
    if (after) this.rows.set(after.seq, after)
    if (before && !after) this.#ids.delete(before.id)
    if (after && after.seq !== before?.seq) this.#ids.set(after.id, after.seq)
    for (const [name, tree] of this.#indexes) replaceInIndex(tree, this.#definition(name), before, after)
    for (const [name, tree] of this.#unique) this.#replaceUnique(name, tree, before, after)
    for (const [name, tree] of this.#sums) this.#replaceInSum(name, tree, before, after)
  }

  #definition(name: string): IndexDefinition<Row> {
    const definition = this.shape.indexes[name]
    if (!definition) throw new Error(`table ${this.shape.name} has no index ${name}`)
    return definition
  }

  #row(seq: number): Row {
    return this.rows.get(seq)?.row as Row // indexes hold the numbers of rows only
  }

  #index(name: string): Tree<IndexKey, undefined> {
    const known = this.#indexes.get(name)
    if (known) return known
    const definition = this.#definition(name)
    const keys: IndexKey[] = []
    this.rows.forEachPair((_, entry) => {
      const key = keyIn(definition, entry)
      if (key) keys.push(key)
    })
    const tree = createTree<IndexKey, undefined>(compareKeys)
    for (const key of keys.sort(compareKeys)) tree.set(key, undefined)
    this.#indexes.set(name, tree)
    return tree
  }

  #uniqueTree(name: string): Tree<UniqueKey, undefined> {
    const known = this.#unique.get(name)
    if (known) return known
    const tree = createTree<UniqueKey, undefined>((a, b) => compareTexts(a.value, b.value) || a.seq - b.seq)
    this.rows.forEachPair((_, entry) => this.#replaceUnique(name, tree, undefined, entry))
    this.#unique.set(name, tree)
    return tree
  }

  #replaceUnique(name: string, tree: Tree<UniqueKey, undefined>, before?: Entry<Row>, after?: Entry<Row>): void {
    const definition = this.shape.unique[name] as UniqueDefinition<Row> // the tree was built by it
    if (before) for (const value of uniqueValues(definition, before.row)) tree.delete({ value, seq: before.seq })
    if (after) for (const value of uniqueValues(definition, after.row)) tree.set({ value, seq: after.seq }, undefined)
  }

  #sumTree(name: string): Tree<string, number> {
    const known = this.#sums.get(name)
    if (known) return known
    const tree = createTree<string, number>(compareTexts)
    this.rows.forEachPair((_, entry) => this.#replaceInSum(name, tree, undefined, entry))
    this.#sums.set(name, tree)
    return tree
  }

  #replaceInSum(name: string, tree: Tree<string, number>, before?: Entry<Row>, after?: Entry<Row>): void {
    const definition = this.shape.sums[name] as SumDefinition<Row> // the tree was built by it
    const [left, entered] = [before ? definition.amount(before.row) : 0, after ? definition.amount(after.row) : 0]
    if (before && after && left === entered && isSameGroup(definition.columns, before.row, after.row)) return
    if (before && left !== 0) addTo(tree, groupOf(definition.columns, before.row), -left)
    if (after && entered !== 0) addTo(tree, groupOf(definition.columns, after.row), entered)
  }
}

/** A key before or behind all keys of a group. */
function bound(group: string, rank: number): IndexKey {
  return { group, rank, seq: 0 }
}

function compareKeys(a: IndexKey, b: IndexKey): number {
  if (a.group !== b.group) return a.group < b.group ? -1 : 1
  if (a.rank !== b.rank) return a.rank < b.rank ? -1 : 1
  return a.seq - b.seq
}

/** The key of an entry in an index; `undefined` where it has none. */
function keyIn<Row>({ columns, rank }: IndexDefinition<Row>, { row, seq }: Entry<Row>): IndexKey | undefined {
  const ranked = rank ? rank(row) : 0
  return ranked === undefined ? undefined : { group: groupOf(columns, row), rank: ranked, seq }
}

function replaceInIndex<Row>(
  tree: Tree<IndexKey, undefined>,
  definition: IndexDefinition<Row>,
  before: Entry<Row> | undefined,
  after: Entry<Row> | undefined,
): void {
  const { columns, rank } = definition
  const isSame =
    before !== undefined &&
    after !== undefined &&
    before.seq === after.seq &&
    isSameGroup(columns, before.row, after.row) &&
    (!rank || rank(before.row) === rank(after.row))
  // Most changes leave a row where it is in most of its indexes.
  if (isSame) return
  const left = before && keyIn(definition, before)
  if (left) tree.delete(left)
  const entered = after && keyIn(definition, after)
  if (entered) tree.set(entered, undefined)
}

function addTo(tree: Tree<string, number>, group: string, amount: number): void {
  const sum = (tree.get(group) ?? 0) + amount
  if (sum === 0) tree.delete(group)
  else tree.set(group, sum)
}

function addDifference(differences: Map<string, number>, group: string, amount: number): void {
  differences.set(group, (differences.get(group) ?? 0) + amount)
}

/** The group of a row: the values of the columns, joined by spaces. */
export function groupOf<Row>(columns: readonly (keyof Row & string)[], row: Row): string {
  let group = ''
  for (const column of columns) group += group === '' ? row[column] : ` ${row[column]}`
  return group
}

function isSameGroup<Row>(columns: readonly (keyof Row & string)[], one: Row, other: Row): boolean {
  for (const column of columns) if (one[column] !== other[column]) return false
  return true
}

/** The open transaction of a world, as its tables see it. */
export interface WriteLog {
  /** The revision that the transaction gets where it changes something. */
  readonly revision: number
  /** Is told of each write, before anything follows from it. */
  record(table: Table<object>, before: Entry | undefined, after: Entry | undefined): void
  /** Runs what follows from a write: see `Model.afterWrite`. */
  runTrigger(table: Table<object>, before: object | undefined, after: object | undefined): void
}

/** A row of one table that a transaction has changed: its entry before and after. */
interface EntryChange<Row> {
  readonly before: Entry<Row> | undefined
  readonly after: Entry<Row> | undefined
}

/** What the tables of one world share. */
export interface TableContext {
  readonly dependencies: Dependencies
  /** `undefined` outside a transaction. */
  writeLog: WriteLog | undefined
}

/** A table of one world: tracked reads, and writes in place inside a transaction. Rows that are put have been checked. */
export class Table<Row extends object> {
  readonly #context: TableContext
  #state: TableState<Row>
  /** Whether other worlds, or the past, may have the same state. */
  #isShared = true

  constructor(state: TableState<Row>, context: TableContext) {
    this.#state = state
    this.#context = context
  }

  get shape(): Shape<Row> {
    return this.#state.shape
  }

  /** The present state, for reading outside tracked reads. */
  get state(): TableState<Row> {
    return this.#state
  }

  /** The present state, which never changes from now on: the table clones it before its next write. */
  share(): TableState<Row> {
    this.#isShared = true
    return this.#state
  }

  get(id: string): Row | undefined {
    const entry = this.#state.entry(id)
    const { dependencies } = this.#context
    if (dependencies.isTracking) dependencies.note(rowTag(this.shape.name, id), entry?.revision ?? this.#state.revision)
    return entry?.row
  }

  /** All rows, oldest first. */
  all(): Row[] {
    this.#noteTable()
    return this.#state.all()
  }

  count(): number {
    this.#noteTable()
    return this.#state.size
  }

  /** The oldest row. */
  first(): Row | undefined {
    this.#noteTable()
    const seq = this.#state.rows.minKey()
    return seq === undefined ? undefined : this.#state.rows.get(seq)?.row
  }

  /** The rows with these values in the columns of an index, in its order. */
  inIndex(name: string, values: Partial<Row>): Row[] {
    const group = this.#groupOf(name, values)
    const { dependencies } = this.#context
    if (dependencies.isTracking) dependencies.note(indexTag(this.shape.name, name, group), this.#state.revision)
    return this.#state.inIndex(name, group)
  }

  /** The first row with these values in the columns of an index that is wanted. */
  firstInIndex(name: string, values: Partial<Row>, isWanted: (row: Row) => boolean): Row | undefined {
    this.#noteTable()
    return this.#state.firstInIndex(name, this.#groupOf(name, values), isWanted)
  }

  /** The row that has a unique value. */
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

  /** The rows of a group of a view, by the index with the same name. */
  inView(name: string, group: string, values: Partial<Row>): Row[] {
    const { dependencies } = this.#context
    if (dependencies.isTracking) {
      const tag = viewTag(this.shape.name, name, group)
      dependencies.note(tag, this.#state.stamp(tag))
    }
    return this.#state.inIndex(name, this.#groupOf(name, values))
  }

  findFirst(predicate?: Predicate<Row>): Row | undefined {
    const planned = plan(predicate)
    const { rows, isSure } = this.#candidates(planned.equalities, planned.asks === 'equalities')
    return isSure ? rows[0] : rows.find(planned.test)
  }

  findMany(predicate?: Predicate<Row>): Row[] {
    const planned = plan(predicate)
    const { rows, isSure } = this.#candidates(planned.equalities, planned.asks === 'equalities')
    return isSure || planned.asks === 'anything' ? rows : rows.filter(planned.test)
  }

  /** Adds a row, or replaces the one with the same id. Throws outside a transaction. */
  put(row: Row): void {
    const { id, before, log } = this.#beginWrite(this.shape.idOf(row))
    const state = this.#own()
    this.#replace(log, before, { id, row, seq: before?.seq ?? state.nextSeq++, revision: log.revision })
    log.runTrigger(this as unknown as Table<object>, before?.row, row)
  }

  /** Deletes the row with that id, if there is one. Throws outside a transaction. */
  delete(id: string): void {
    const { before, log } = this.#beginWrite(id)
    if (!before) return
    this.#own()
    this.#replace(log, before, undefined)
    log.runTrigger(this as unknown as Table<object>, before.row, undefined)
  }

  /** Writes an entry as it is, at its place, and nothing follows: for resets, reloads and undoing. */
  restore(id: string, after: Entry<Row> | undefined): void {
    const { before, log } = this.#beginWrite(id)
    const state = this.#own()
    if (after && after.seq >= state.nextSeq) state.nextSeq = after.seq + 1
    this.#replace(log, before, after && { ...after, revision: log.revision })
  }

  /** Sets the creation number of the next new row, after rows were restored. */
  resetSequence(nextSeq: number): void {
    this.#own().nextSeq = nextSeq
  }

  /** Takes a write of this transaction back. Writes are undone in the reverse order. */
  undo(before: Entry<Row> | undefined, after: Entry<Row> | undefined): void {
    const state = this.#own()
    state.replace(after, before)
    if (after && after.seq === state.nextSeq - 1 && after.seq !== before?.seq) state.nextSeq = after.seq
  }

  /** Marks what a commit has changed, and gathers the tags of what it touched if there is a set for them. */
  commit(changes: readonly EntryChange<Row>[], revision: number, touched?: Set<string>): void {
    this.#own().revision = revision
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

  /** Touches the sums that are not what they were: one row may have lost what another got. */
  #stampSums(changes: readonly EntryChange<Row>[], revision: number, touched: Set<string> | undefined): void {
    const { name, sums } = this.shape
    for (const sum in sums) {
      const { columns, amount, isWatched } = sums[sum] as SumDefinition<Row> // a key of it
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
          columns.every(column => sameJson(before.row[column], after.row[column]))
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

  #beginWrite(id: string): { readonly id: string; readonly before: Entry<Row> | undefined; readonly log: WriteLog } {
    const log = this.#context.writeLog
    if (!log) throw new Error(`table ${this.shape.name} is written to outside a transaction`)
    return { id, before: this.#state.entry(id), log }
  }

  #replace(log: WriteLog, before: Entry<Row> | undefined, after: Entry<Row> | undefined): void {
    this.#state.replace(before, after)
    log.record(this as unknown as Table<object>, before, after)
  }

  #own(): TableState<Row> {
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

  /** The rows that may satisfy a query, and whether all of them do. */
  #candidates(
    equalities: Readonly<Record<string, string>>,
    hasOnlyEqualities: boolean,
  ): { rows: Row[]; isSure: boolean } {
    const asked = Object.keys(equalities).length
    if (asked === 0) return { rows: this.all(), isSure: false }
    const { key, indexes, unique } = this.shape
    if (key.every(column => equalities[column] !== undefined)) {
      const row = this.get(key.map(column => equalities[column]).join('/'))
      // An id of two columns may be put together of others.
      return { rows: row ? [row] : [], isSure: hasOnlyEqualities && asked === key.length && key.length === 1 }
    }
    for (const name in unique) {
      const column = unique[name]?.column
      const value = column === undefined ? undefined : equalities[column]
      if (value === undefined) continue
      this.#noteTable()
      return { rows: this.#state.withUnique(name, value), isSure: hasOnlyEqualities && asked === 1 }
    }
    for (const name in indexes) {
      const { columns, rank } = indexes[name] as IndexDefinition<Row> // a key of it
      if (rank || columns.length === 0 || !columns.every(column => equalities[column] !== undefined)) continue
      const rows = this.inIndex(name, equalities as unknown as Partial<Row>)
      return { rows, isSure: hasOnlyEqualities && asked === columns.length }
    }
    return { rows: this.all(), isSure: false }
  }
}
