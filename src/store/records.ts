import { ColumnIndex } from './column-index.js'
import type { Rows, TableName } from './rows.js'
import { sameJson } from './same-json.js'
import type { RowSource } from './table.js'
import { indexTag, recordTag, type Tag, tableTag } from './tag.js'
import type { Tracking } from './tracker.js'

/** A record with the revision that last touched it, and its place in the order of creation. */
interface Entry<Row> {
  readonly row: Row
  readonly revision: number
  readonly place: number
}

/** What a turn does to one record. `again`: it was deleted first, and so it moves to the end. */
export type Change<Row> = { readonly put: Row; readonly again: boolean } | 'delete'

/** When changes land, and where the tags that they touch are gathered. */
export interface Landing {
  readonly revision: number
  readonly touched: Set<Tag>
}

/** What has really changed: a change to what was there already is none. */
export interface Landed<Row> {
  readonly puts: (readonly [id: string, row: Row])[]
  readonly deletes: string[]
}

/** How many deletions are known by their ids. */
const mostDeletions = 10_000

/** The committed records of one model: a map from id to entry. Indexes are made at their first use and kept by what lands. */
export class Records<Row extends object> implements RowSource<Row> {
  #entries: Map<string, Entry<Row>>
  /** Whether the map may also be a fork's, so that it is copied before the first change. */
  #shared: boolean
  #nextPlace: number
  #revision: number
  /** The revisions that deleted records, by id, the latest only: what a read of one has seen must not go back. */
  #deletedAt: Map<string, number> | undefined
  /** The revision of the newest deletion that is no longer known by its id. */
  #forgottenAt: number
  #indexes: Map<string, ColumnIndex> | undefined

  private constructor(
    readonly table: string,
    readonly tracking: Tracking,
    from: {
      readonly entries: Map<string, Entry<Row>>
      readonly shared: boolean
      readonly revision: number
      readonly nextPlace: number
      readonly forgottenAt?: number
    },
  ) {
    this.#entries = from.entries
    this.#shared = from.shared
    this.#revision = from.revision
    this.#nextPlace = from.nextPlace
    this.#forgottenAt = from.forgottenAt ?? 0
  }

  /** Records that begin with these rows, in their order, all of one revision. */
  static of<Row extends object>(
    rows: Iterable<readonly [id: string, row: Row]>,
    { table, tracking, revision }: { readonly table: string; readonly tracking: Tracking; readonly revision: number },
  ): Records<Row> {
    const entries = new Map<string, Entry<Row>>()
    let nextPlace = 0
    for (const [id, row] of rows) entries.set(id, { row, revision, place: nextPlace++ })
    return new Records(table, tracking, { entries, shared: false, revision, nextPlace })
  }

  /** An equal copy, which shares the map until either of the two changes. */
  fork(tracking: Tracking): Records<Row> {
    this.#shared = true
    const { table } = this
    return new Records(table, tracking, {
      entries: this.#entries,
      shared: true,
      revision: this.#revision,
      nextPlace: this.#nextPlace,
      forgottenAt: this.#deletedAt === undefined ? this.#forgottenAt : this.#revision,
    })
  }

  get = (id: string): Row | undefined => {
    const entry = this.#entries.get(id)
    // Most reads are not tracked, and tags are texts that take longer to make than a record to find.
    if (this.tracking.reading)
      this.tracking.note(recordTag(this.table, id), entry?.revision ?? this.#deletedAt?.get(id) ?? this.#forgottenAt)
    return entry?.row
  };

  *rows(): Iterable<Row> {
    this.tracking.note(tableTag(this.table), this.#revision)
    for (const { row } of this.#entries.values()) yield row
  }

  *indexed(column: string, value: string): Iterable<Row> {
    const index = this.#index(column)
    if (this.tracking.reading) this.tracking.note(indexTag(this.table, column, value), index.revision(value))
    for (const id of index.ids(value)) {
      const entry = this.#entries.get(id)
      if (entry) yield entry.row
    }
  }

  /** Applies the changes of a turn. */
  land(changes: ReadonlyMap<string, Change<Row>>, landing: Landing): Landed<Row> {
    const landed: Landed<Row> = { puts: [], deletes: [] }
    for (const [id, change] of changes) {
      const before = this.#entries.get(id)
      if (change === 'delete') {
        if (!before) continue
        this.#drop(id, landing)
        landed.deletes.push(id)
        continue
      }
      if (before && !change.again && sameJson(before.row, change.put)) continue
      if (before && change.again) this.#drop(id, landing)
      const place = before && !change.again ? before.place : this.#nextPlace++
      this.#put(id, { row: change.put, place }, landing)
      landed.puts.push([id, change.put])
    }
    return landed
  }

  /** Makes these records what others are, their order included. What is equal already keeps its revision, wherever it stands. */
  restore(others: Records<Row>, landing: Landing): Landed<Row> {
    const landed: Landed<Row> = { puts: [], deletes: [] }
    if (this.#entries === others.#entries) return landed
    for (const id of [...this.#entries.keys()]) {
      if (others.#entries.has(id)) continue
      this.#drop(id, landing)
      landed.deletes.push(id)
    }
    const present = this.#entries
    const moved = displaced(present, others.#entries)
    for (const index of this.#indexes?.values() ?? []) index.reorder()
    this.#entries = new Map()
    this.#shared = false
    this.#nextPlace = 0
    for (const [id, { row }] of others.#entries) {
      const before = present.get(id)
      const place = this.#nextPlace++
      if (before && sameJson(before.row, row)) {
        this.#entries.set(id, before.place === place ? before : { ...before, place })
        if (!moved.has(id)) continue
        this.#touchOrder(before.row, landing)
      } else this.#put(id, { row, place }, landing, before?.row)
      landed.puts.push([id, row])
    }
    return landed
  }

  #put(
    id: string,
    { row, place }: Pick<Entry<Row>, 'row' | 'place'>,
    landing: Landing,
    before = this.#entries.get(id)?.row,
  ): void {
    this.#deletedAt?.delete(id)
    this.#own().set(id, { row, place, revision: landing.revision })
    this.#touch(id, { before, after: row, landing })
  }

  #drop(id: string, landing: Landing): void {
    const before = this.#entries.get(id)?.row
    this.#own().delete(id)
    this.#deletedAt ??= new Map()
    this.#deletedAt.set(id, landing.revision)
    this.#forget(this.#deletedAt)
    this.#touch(id, { before, after: undefined, landing })
  }

  #forget(deletedAt: Map<string, number>): void {
    const [oldest] = deletedAt
    if (!oldest || deletedAt.size <= mostDeletions) return
    deletedAt.delete(oldest[0])
    this.#forgottenAt = oldest[1]
  }

  #touch(
    id: string,
    { before, after, landing }: { before: Row | undefined; after: Row | undefined; landing: Landing },
  ): void {
    const { revision, touched } = landing
    this.#revision = revision
    touched.add(tableTag(this.table)).add(recordTag(this.table, id))
    for (const [column, index] of this.#indexes ?? []) {
      const change = { before: valueIn(before, column), after: valueIn(after, column) }
      index.touch({ id, ...change, revision })
      for (const value of Object.values(change))
        if (value !== undefined) touched.add(indexTag(this.table, column, value))
    }
  }

  /** Touches what lists a record, and not the record. */
  #touchOrder(row: Row, { revision, touched }: Landing): void {
    this.#revision = revision
    touched.add(tableTag(this.table))
    for (const [column, index] of this.#indexes ?? []) {
      const value = valueIn(row, column)
      if (value === undefined) continue
      index.touchOrder(value, revision)
      touched.add(indexTag(this.table, column, value))
    }
  }

  #index(column: string): ColumnIndex {
    const known = this.#indexes?.get(column)
    if (known) return known
    const index = new ColumnIndex(id => this.#entries.get(id)?.place ?? 0)
    for (const [id, { row, revision }] of this.#entries) {
      index.touch({ id, before: undefined, after: valueIn(row, column), revision })
    }
    this.#indexes ??= new Map()
    this.#indexes.set(column, index)
    return index
  }

  /** The map, after making sure that it is this world's alone. */
  #own(): Map<string, Entry<Row>> {
    if (this.#shared) this.#entries = new Map(this.#entries)
    this.#shared = false
    return this.#entries
  }
}

/** The committed records of all models. */
export type AllRecords = { readonly [Name in TableName]: Records<Rows[Name]> }

/** The ids that both have, and that stand elsewhere among them; none where these have the same order. */
function displaced(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): ReadonlySet<string> {
  const then = [...before.keys()].filter(id => after.has(id))
  const now = [...after.keys()].filter(id => before.has(id))
  return new Set(now.filter((id, i) => then[i] !== id))
}

function valueIn(row: object | undefined, column: string): string | undefined {
  // Indexes name the columns of their model as texts; another key would find nothing.
  const value: unknown = row?.[column as never]
  return typeof value === 'string' ? value : undefined
}
