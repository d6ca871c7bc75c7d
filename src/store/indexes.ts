import { ColumnIndex, valueIn } from './column-index.js'
import type { ViewOf } from './derived.js'
import { RankIndex, type Ranking } from './rank-index.js'
import { SumIndex, type Summand } from './sum-index.js'
import { indexTag, sumTag, type Tag, viewTag } from './tag.js'
import { ViewIndex } from './view-index.js'

/** What the indexes of a table are of. */
interface Indexed {
  readonly table: string
  /** The place of a record in the order of creation. */
  placeOf(id: string): number
}

/** What happened to one record: as it was, and as it is. */
interface Touch {
  readonly before: object | undefined
  readonly after: object | undefined
  readonly revision: number
  /** Where the tags of the values are gathered that it had and has. */
  readonly touched: Set<Tag> | undefined
}

/** All records of a table, with the revisions that touched them last. */
type Entries = () => Iterable<readonly [id: string, entry: { readonly row: object; readonly revision: number }]>

/** The indexes of a table: made at their first use, and kept by what lands. */
export class Indexes {
  readonly #indexed: Indexed
  // Most tables of most worlds are never looked up so.
  #byColumn: Map<string, ColumnIndex> | undefined
  #sums: Map<string, SumIndex<object>> | undefined
  #ranks: Map<string, RankIndex<object>> | undefined
  #views: Map<string, ViewIndex> | undefined

  constructor(indexed: Indexed) {
    this.#indexed = indexed
  }

  /** The index of a column. */
  of(column: string, entries: Entries): ColumnIndex {
    const known = this.#byColumn?.get(column)
    if (known) return known
    const index = new ColumnIndex(this.#indexed.placeOf)
    for (const [id, { row, revision }] of entries())
      index.touch({ id, before: undefined, after: valueIn(row, column), revision })
    this.#byColumn ??= new Map()
    this.#byColumn.set(column, index)
    return index
  }

  /** The sums of that name. */
  sums(name: string, { summand, entries }: { readonly summand: Summand<object>; readonly entries: Entries }) {
    const known = this.#sums?.get(name)
    if (known) return known
    const index = new SumIndex(summand)
    for (const [, { row, revision }] of entries()) index.touch({ before: undefined, after: row, revision })
    this.#sums ??= new Map()
    this.#sums.set(name, index)
    return index
  }

  /** The order of that name. */
  ranks(name: string, { ranking, entries }: { readonly ranking: Ranking<object>; readonly entries: Entries }) {
    const known = this.#ranks?.get(name)
    if (known) return known
    const index = new RankIndex(ranking, this.#indexed.placeOf)
    for (const [id, { row }] of entries()) index.touch({ id, before: undefined, after: row })
    this.#ranks ??= new Map()
    this.#ranks.set(name, index)
    return index
  }

  /** The view of that name. */
  view(name: string, { view, entries }: { readonly view: ViewOf<object>; readonly entries: Entries }) {
    const known = this.#views?.get(name)
    if (known) return known
    const index = new ViewIndex(view, this.#indexed.placeOf)
    for (const [id, { row, revision }] of entries()) index.touch({ id, before: undefined, after: row, revision })
    this.#views ??= new Map()
    this.#views.set(name, index)
    return index
  }

  touch(id: string, { before, after, revision, touched }: Touch): void {
    const { table } = this.#indexed
    for (const [column, index] of this.#byColumn ?? []) {
      const was = valueIn(before, column)
      const is = valueIn(after, column)
      index.touch({ id, before: was, after: is, revision })
      if (was !== undefined) touched?.add(indexTag(table, column, was))
      if (is !== undefined) touched?.add(indexTag(table, column, is))
    }
    for (const [name, index] of this.#sums ?? [])
      index.touch({ before, after, revision }, group => touched?.add(sumTag(table, name, group)))
    for (const [name, index] of this.#views ?? [])
      index.touch({ id, before, after, revision }, group => touched?.add(viewTag(table, name, group)))
    for (const index of this.#ranks?.values() ?? []) index.touch({ id, before, after })
  }

  /** Is told that records are about to get other places. */
  reorder(): void {
    for (const index of this.#byColumn?.values() ?? []) index.reorder()
    for (const index of this.#views?.values() ?? []) index.reorder()
    // They are made anew when somebody asks.
    this.#ranks = undefined
  }

  /** Is told that a record has got another place. */
  touchOrder(row: object, { revision, touched }: Pick<Touch, 'revision' | 'touched'>): void {
    for (const [column, index] of this.#byColumn ?? []) {
      const value = valueIn(row, column)
      if (value === undefined) continue
      index.touchOrder(value, revision)
      touched?.add(indexTag(this.#indexed.table, column, value))
    }
    for (const [name, index] of this.#views ?? []) {
      const group = index.touchOrder(row, revision)
      touched?.add(viewTag(this.#indexed.table, name, group))
    }
  }
}
