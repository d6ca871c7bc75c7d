import { Deletions } from './deletions.js'
import { type OrderName, rankingOf, type SumName, summandOf, type ViewName, viewOf } from './derived.js'
import { displaced } from './displaced.js'
import type { Entry, Since } from './entry.js'
import { Indexes } from './indexes.js'
import type { Change, Landed, Landing } from './landing.js'
import type { Rows, TableName } from './rows.js'
import { sameJson } from './same-json.js'
import type { RowSource, Wanted } from './table.js'
import { indexTag, recordTag, sumTag, tableTag, viewTag } from './tag.js'
import type { Tracking } from './tracker.js'

/** The committed records of one model: a map from id to entry. Indexes are made at their first use and kept by what lands. */
export class Records<Row extends object> implements RowSource<Row> {
  #entries: Map<string, Entry<Row>>
  /** Whether the map may also be a fork's, so that it is copied before the first change. */
  #shared: boolean
  #nextPlace: number
  #revision: number
  readonly #deletions: Deletions
  #indexes: Indexes | undefined
  /** What has changed since the map was shared; `undefined` where it never was. */
  #since: Since<Row> | undefined

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
    this.#deletions = new Deletions(from.forgottenAt ?? 0)
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
      forgottenAt: this.#deletions.some ? this.#revision : this.#deletions.forgottenAt,
    })
  }

  get(id: string): Row | undefined {
    const entry = this.#entries.get(id)
    // Most reads are not tracked, and tags are texts that take longer to make than a record to find.
    if (this.tracking.reading)
      this.tracking.note(recordTag(this.table, id), entry?.revision ?? this.#deletions.revision(id))
    return entry?.row
  }

  /** The place of a record in the order of creation. */
  placeOf(id: string): number {
    return this.#entries.get(id)?.place ?? 0
  }

  *rows(): Iterable<Row> {
    if (this.tracking.reading) this.tracking.note(tableTag(this.table), this.#revision)
    for (const { row } of this.#entries.values()) yield row
  }

  *indexed(column: string, value: string): Iterable<Row> {
    const index = this.#indexesOf().of(column, () => this.#entries)
    if (this.tracking.reading) this.tracking.note(indexTag(this.table, column, value), index.revision(value))
    yield* this.#those(index.ids(value))
  }

  sum(name: SumName, group: string): number {
    const sums = this.#indexesOf().sums(name, { summand: summandOf(this.table, name), entries: () => this.#entries })
    if (this.tracking.reading) this.tracking.note(sumTag(this.table, name, group), sums.revision(group))
    return sums.value(group)
  }

  *viewed(name: ViewName, group: string): Iterable<Row> {
    const view = this.#indexesOf().view(name, { view: viewOf(this.table, name), entries: () => this.#entries })
    if (this.tracking.reading) this.tracking.note(viewTag(this.table, name, group), view.revision(group))
    yield* this.#those(view.ids(group))
  }

  *#those(ids: Iterable<string>): Iterable<Row> {
    for (const id of ids) {
      const entry = this.#entries.get(id)
      if (entry) yield entry.row
    }
  }

  firstRanked(name: OrderName, { group, isWanted }: Wanted<Row>): Row | undefined {
    if (this.tracking.reading) this.tracking.note(tableTag(this.table), this.#revision)
    const ranking = rankingOf(this.table, name)
    const id = this.#indexesOf()
      .ranks(name, { ranking, entries: () => this.#entries })
      .first(group, one => {
        const entry = this.#entries.get(one)
        return entry !== undefined && isWanted(entry.row)
      })
    return id === undefined ? undefined : this.#entries.get(id)?.row
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
      landed.puts.push({ table: this.table, id, row: change.put })
    }
    return landed
  }

  /** Makes these records what others are, their order included. What is equal already keeps its revision, wherever it stands. */
  restore(others: Records<Row>, landing: Landing): Landed<Row> {
    const landed: Landed<Row> = { puts: [], deletes: [] }
    if (this.#entries === others.#entries) return landed
    if (this.#since?.of === others.#entries && this.#since.order === 'the same') return this.#undo(this.#since, landing)
    for (const id of [...this.#entries.keys()]) {
      if (others.#entries.has(id)) continue
      this.#drop(id, landing)
      landed.deletes.push(id)
    }
    const present = this.#entries
    const moved = displaced(present, others.#entries)
    this.#indexes?.reorder()
    this.#entries = new Map()
    this.#shared = false
    this.#since = { of: others.#entries, ids: new Set(), order: 'the same' }
    this.#nextPlace = 0
    for (const [id, { row }] of others.#entries) {
      const before = present.get(id)
      const place = this.#nextPlace++
      if (before && sameJson(before.row, row)) {
        this.#entries.set(id, before.place === place ? before : { ...before, place })
        if (!moved.has(id)) continue
        this.#touchOrder(before.row, landing)
      } else this.#put(id, { row, place }, landing, before?.row)
      landed.puts.push({ table: this.table, id, row })
    }
    return landed
  }

  /** Makes them again what they were when the map was shared: most have stayed so. */
  #undo({ of, ids }: Since<Row>, landing: Landing): Landed<Row> {
    const landed: Landed<Row> = { puts: [], deletes: [] }
    for (const id of ids) {
      const [was, is] = [of.get(id), this.#entries.get(id)]
      if (!was && is) {
        this.#drop(id, landing)
        landed.deletes.push(id)
      }
      if (!was || (is && sameJson(is.row, was.row))) continue
      this.#put(id, was, landing)
      landed.puts.push({ table: this.table, id, row: was.row })
    }
    ids.clear()
    return landed
  }

  #put(
    id: string,
    { row, place }: Pick<Entry<Row>, 'row' | 'place'>,
    landing: Landing,
    before = this.#entries.get(id)?.row,
  ): void {
    this.#deletions.delete(id)
    this.#own().set(id, { row, place, revision: landing.revision })
    this.#since?.ids.add(id)
    this.#touch(id, { before, after: row, landing })
  }

  #drop(id: string, landing: Landing): void {
    const before = this.#entries.get(id)?.row
    this.#own().delete(id)
    if (this.#since?.of.has(id)) {
      this.#since.ids.add(id)
      this.#since.order = 'another'
    } else this.#since?.ids.delete(id)
    this.#deletions.add(id, landing.revision)
    this.#touch(id, { before, landing })
  }

  #touch(id: string, { before, after, landing }: { before?: Row | undefined; after?: Row; landing: Landing }): void {
    const { revision, touched } = landing
    this.#revision = revision
    touched?.add(tableTag(this.table)).add(recordTag(this.table, id))
    this.#indexes?.touch(id, { before, after, revision, touched })
  }

  /** Touches what lists a record, and not the record. */
  #touchOrder(row: Row, landing: Landing): void {
    this.#revision = landing.revision
    landing.touched?.add(tableTag(this.table))
    this.#indexes?.touchOrder(row, landing)
  }

  #indexesOf(): Indexes {
    const { table } = this
    this.#indexes ??= new Indexes({ table, placeOf: id => this.placeOf(id) })
    return this.#indexes
  }

  /** The map, after making sure that it is this world's alone. */
  #own(): Map<string, Entry<Row>> {
    if (!this.#shared) return this.#entries
    this.#since = { of: this.#entries, ids: new Set(), order: 'the same' }
    this.#entries = new Map(this.#entries)
    this.#shared = false
    return this.#entries
  }
}

/** The committed records of all models. */
export type AllRecords = { readonly [Name in TableName]: Records<Rows[Name]> }
