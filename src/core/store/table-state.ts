import { compareNumbers, compareTexts, createTree, loadTree, type Tree } from './tree.js'

/** A row in its table. An entry of a world never changes: a write creates a new one. Other trees may keep the old one. */
export interface Entry<Row = object> {
  readonly id: string
  /** Frozen. */
  readonly row: Row
  /** The creation number. Lists are in its order, and a row keeps it when it changes. */
  readonly seq: number
  /** The revision that last changed the row. */
  readonly revision: number
  /** The revision that last changed what answers show of the row. Default: `revision`. */
  readonly shownRevision?: number
}

/** An index: rows ordered by the values of some columns, then by rank, then by creation. */
export interface IndexDefinition<Row, Column = string> {
  readonly columns: readonly Column[]
  /** The lowest rank comes first. A row with an `undefined` rank is not in the index. Default: all ranks are equal. */
  rank?(row: Row): number | undefined
}

interface UniqueDefinition<Row, Column = string> {
  values(row: Row): readonly string[]
  /** The column with the value, if it is a single column. Queries for it then use the index. */
  readonly column?: Column
  /** Rows that differ in this column may share values. Default: no rows may. */
  readonly within?: Column
}

/** Returns the unique values of a row. Each begins with the value of the column `within`, if there is one. */
export function uniqueValues<Row>({ values, within }: UniqueDefinition<Row>, row: Row): readonly string[] {
  return within === undefined ? values(row) : values(row).map(value => `${row[within as keyof Row]}\0${value}`)
}

/** A sum for each group of rows. The rows of a group have the same values in these columns. */
export interface SumDefinition<Row, Column = string> {
  readonly columns: readonly Column[]
  amount(row: Row): number
  /** True if watches read the sum. Each group then keeps the revision of its last change. Default: false. */
  readonly isWatched?: true
}

/** Groups of rows in the answers of watches. A group counts as changed only if one of these columns has changed. */
export interface ViewDefinition<Row, Column = string> {
  group(row: Row): string
  readonly columns: readonly Column[]
}

/**
 * The key, indexes and sums of a table. A model gives the names of its columns as `Column`. A `TableState` takes any names, so
 * that a table of some rows is also a table of objects.
 */
export interface Shape<Row, Column = string> {
  readonly name: string
  idOf(row: Row): string
  /** The columns of the id. */
  readonly key: readonly string[]
  readonly indexes: Readonly<Record<string, IndexDefinition<Row, Column>>>
  readonly unique: Readonly<Record<string, UniqueDefinition<Row, Column>>>
  readonly sums: Readonly<Record<string, SumDefinition<Row, Column>>>
  readonly views: Readonly<Record<string, ViewDefinition<Row, Column>>>
  /** The columns of a row that answers show. A write that changes only others raises no watch index. Default: all. */
  readonly shown?: readonly Column[]
}

/** The place of a row in an index: its group, its rank there, and its creation number. A unique value is a group. */
interface IndexKey {
  readonly group: string
  readonly rank: number
  readonly seq: number
}

/** The numbers of a table, beside its entries. */
export interface SavedTable {
  readonly nextSeq: number
  readonly revision: number
  /** The revision of the initial rows. */
  readonly firstRevision: number
  /** The revisions at which watched sums and views last changed, by tag. */
  readonly stamps: readonly (readonly [tag: string, revision: number])[]
}

/** The bounds of a group in an index: before its first key, and after its last. */
const lowest = Number.NEGATIVE_INFINITY
const highest = Number.POSITIVE_INFINITY

/** Trees by the name of their definition. */
interface Trees<Key, Value> {
  [name: string]: Tree<Key, Value> | undefined
}

/** The rows of a table and their indexes. Worlds may share a state: a world clones it, in constant time, before it writes. */
export class TableState<Row extends object> {
  readonly shape: Shape<Row>
  readonly rows: Tree<number, Entry<Row>>
  readonly #ids: Tree<string, number>
  /** A cache of entries by id: a look-up in two trees takes ten times as long. A clone starts with an empty one. */
  #cache: Map<string, Entry<Row>> | undefined
  // Plain objects: three empty Maps for each table were a seventh of the memory of a world.
  readonly #indexes: Trees<IndexKey, undefined> = {}
  readonly #unique: Trees<IndexKey, undefined> = {}
  readonly #sums: Trees<string, number> = {}
  /** The revisions at which watched sums and views last changed, by tag. */
  #stamps: Tree<string, number> | undefined
  /** The creation number of the next new row. */
  nextSeq: number
  /** The revision of the newest change to the table. */
  revision: number
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

  /** Creates a table with these rows, in their order. If rows have the same id, the last one wins. */
  static fromRows<Row extends object>(shape: Shape<Row>, rows: Iterable<Row>, revision: number): TableState<Row> {
    const entries = new Map<string, Entry<Row>>()
    for (const row of rows) {
      const id = shape.idOf(row)
      entries.set(id, { id, row, seq: entries.get(id)?.seq ?? entries.size, revision })
    }
    return TableState.fromEntries(shape, [...entries.values()], revision)
  }

  /** Creates a table with these entries. They must be in the order of their creation numbers. */
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

  /** Creates a table that `save` has saved. Its entries must be in the order of their creation numbers. */
  static fromSaved<Row extends object>(
    shape: Shape<Row>,
    entries: Entry<Row>[],
    { nextSeq, revision, firstRevision, stamps }: SavedTable,
  ): TableState<Row> {
    const table = TableState.fromEntries(shape, entries, firstRevision)
    table.nextSeq = nextSeq
    table.revision = revision
    for (const [tag, stamp] of stamps) table.setStamp(tag, stamp)
    return table
  }

  /** Returns what a storage keeps of a table, besides its entries. */
  save(): SavedTable {
    const stamps = this.#stamps === undefined ? [] : [...this.#stamps.entries()]
    return { nextSeq: this.nextSeq, revision: this.revision, firstRevision: this.#firstRevision, stamps }
  }

  clone(): TableState<Row> {
    const { shape, nextSeq, revision } = this
    const clone = new TableState(
      { shape, rows: this.rows.clone(), nextSeq, revision },
      this.#ids.clone(),
      this.#firstRevision,
    )
    for (const name in this.#indexes) clone.#indexes[name] = this.#indexes[name]?.clone()
    for (const name in this.#unique) clone.#unique[name] = this.#unique[name]?.clone()
    for (const name in this.#sums) clone.#sums[name] = this.#sums[name]?.clone()
    clone.#stamps = this.#stamps?.clone()
    return clone
  }

  get size(): number {
    return this.rows.size
  }

  entry(id: string): Entry<Row> | undefined {
    const known = this.#cache?.get(id)
    if (known) return known
    const seq = this.#ids.get(id)
    const entry = seq === undefined ? undefined : this.rows.get(seq)
    if (entry) this.#cacheEntry(entry)
    return entry
  }

  /** Lists all entries, oldest first. */
  entries(): Entry<Row>[] {
    return this.rows.valuesArray()
  }

  /** Lists the ids, oldest row first. */
  ids(): string[] {
    const ids: string[] = []
    this.rows.forEachPair((_, { id }) => void ids.push(id))
    return ids
  }

  /** Returns the first id that comes after a text. `undefined` if there is none. */
  idAfter(text: string): string | undefined {
    return this.#ids.nextHigherKey(text)
  }

  /** Lists all rows, oldest first. */
  all(): Row[] {
    const rows: Row[] = []
    this.rows.forEachPair((_, { row }) => void rows.push(row))
    return rows
  }

  /** Lists the rows of a group of an index, in the order of the index. */
  inIndex(name: string, group: string): Row[] {
    return this.#rowsIn(this.#index(name), group)
  }

  #rowsIn(tree: Tree<IndexKey, undefined>, group: string): Row[] {
    const rows: Row[] = []
    tree.forRange(bound(group, lowest), bound(group, highest), false, ({ seq }) => {
      rows.push(this.#row(seq))
    })
    return rows
  }

  /** Finds the first wanted row in a group of an index. */
  firstInIndex(name: string, group: string, isWanted: (row: Row) => boolean): Row | undefined {
    const tree = this.#index(name)
    // Step by step: nearly always the first row is wanted, and a range would also search for its end.
    for (let key = tree.nextHigherKey(bound(group, lowest)); key?.group === group; key = tree.nextHigherKey(key)) {
      const row = this.#row(key.seq)
      if (isWanted(row)) return row
    }
    return undefined
  }

  /** The entries of a group of an index without ranks, from a creation number on. Their rows may be written on the way. */
  *entriesInIndex(name: string, group: string, seq = lowest): Generator<Entry<Row>> {
    const tree = this.#index(name)
    let key = tree.getPairOrNextHigher({ group, rank: 0, seq })?.[0]
    for (; key?.group === group; key = tree.nextHigherKey(key)) {
      const entry = this.rows.get(key.seq)
      if (entry) yield entry
    }
  }

  /** Finds the row with the lowest rank in an index without columns. Returns its rank and its creation number. */
  firstByRank(name: string): { readonly rank: number; readonly seq: number } | undefined {
    return this.rows.isEmpty ? undefined : this.#index(name).minKey()
  }

  /** The entries of an index without columns, the lowest rank first, each with its rank. No row may be written on the way. */
  *entriesByRank(name: string): Generator<{ readonly rank: number; readonly entry: Entry<Row> }> {
    if (this.rows.isEmpty) return
    for (const { rank, seq } of this.#index(name).keys()) {
      const entry = this.rows.get(seq)
      if (entry) yield { rank, entry }
    }
  }

  /** Finds the rows with a unique value. Only an unchecked transaction has more than one. */
  withUnique(name: string, value: string): Row[] {
    return this.#rowsIn(this.#uniqueTree(name), value)
  }

  sum(name: string, group: string): number {
    return this.#sumTree(name).get(group) ?? 0
  }

  /** Returns the revision at which a watched sum or view last changed. */
  stamp(tag: string): number {
    return this.#stamps?.get(tag) ?? this.#firstRevision
  }

  setStamp(tag: string, revision: number): void {
    this.#stamps ??= createTree(compareTexts)
    this.#stamps.set(tag, revision)
  }

  /** Replaces an entry. `undefined` stands for no entry. */
  replace(before: Entry<Row> | undefined, after: Entry<Row> | undefined): void {
    if (before && before.seq !== after?.seq) this.rows.delete(before.seq)
    if (after) this.rows.set(after.seq, after)
    if (before && !after) this.#ids.delete(before.id)
    if (after && after.seq !== before?.seq) this.#ids.set(after.id, after.seq)
    // A new row enters the cache at its first look-up: many are never looked up.
    if (before && after) this.#cacheEntry(after)
    else if (before) this.#cache?.delete(before.id)
    for (const name in this.#indexes) replaceInIndex(this.#index(name), this.#definition(name), before, after)
    for (const name in this.#unique) this.#replaceUnique(name, this.#uniqueTree(name), before, after)
    for (const name in this.#sums) this.#replaceInSum(name, this.#sumTree(name), before, after)
  }

  #cacheEntry(entry: Entry<Row>): void {
    this.#cache ??= new Map()
    this.#cache.set(entry.id, entry)
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
    const known = this.#indexes[name]
    if (known) return known
    const definition = this.#definition(name)
    const keys: IndexKey[] = []
    for (const entry of this.rows.values()) {
      const key = keyIn(definition, entry)
      if (key) keys.push(key)
    }
    const tree = loadTree<IndexKey, undefined>(keys.sort(compareKeys), Array(keys.length).fill(undefined), compareKeys)
    this.#indexes[name] = tree
    return tree
  }

  #uniqueTree(name: string): Tree<IndexKey, undefined> {
    const known = this.#unique[name]
    if (known) return known
    const tree = createTree<IndexKey, undefined>(compareKeys)
    for (const entry of this.rows.values()) this.#replaceUnique(name, tree, undefined, entry)
    this.#unique[name] = tree
    return tree
  }

  #replaceUnique(name: string, tree: Tree<IndexKey, undefined>, before?: Entry<Row>, after?: Entry<Row>): void {
    const definition = this.shape.unique[name] as UniqueDefinition<Row> // the tree was built by it
    const keysOf = ({ row, seq }: Entry<Row>) =>
      uniqueValues(definition, row).map((group): IndexKey => ({ group, rank: 0, seq }))
    if (before) for (const key of keysOf(before)) tree.delete(key)
    if (after) for (const key of keysOf(after)) tree.set(key, undefined)
  }

  #sumTree(name: string): Tree<string, number> {
    const known = this.#sums[name]
    if (known) return known
    const tree = createTree<string, number>(compareTexts)
    for (const entry of this.rows.values()) this.#replaceInSum(name, tree, undefined, entry)
    this.#sums[name] = tree
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

function bound(group: string, rank: number): IndexKey {
  return { group, rank, seq: 0 }
}

function compareKeys(a: IndexKey, b: IndexKey): number {
  if (a.group !== b.group) return a.group < b.group ? -1 : 1
  if (a.rank !== b.rank) return a.rank < b.rank ? -1 : 1
  return a.seq - b.seq
}

/** Returns the key of an entry in an index. `undefined` if the row is not in the index. */
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
  // Most changes do not move a row in most of its indexes.
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

/** Returns the group of a row: the values of the columns, joined by spaces. */
export function groupOf<Row>(columns: readonly string[], row: Row): string {
  let group = ''
  for (const column of columns as readonly (keyof Row)[]) group += group === '' ? row[column] : ` ${row[column]}` // its own columns
  return group
}

export function isSameGroup<Row>(columns: readonly string[], one: Row, other: Row): boolean {
  for (const column of columns as readonly (keyof Row)[]) if (one[column] !== other[column]) return false
  return true
}
