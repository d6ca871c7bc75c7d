import { ColumnIndex, valueIn } from './column-index.js'
import { indexTag, type Tag } from './tag.js'

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
  readonly touched: Set<Tag>
}

/** The indexes of a table by their columns: made at their first use, and kept by what lands. */
export class Indexes {
  readonly #indexed: Indexed
  // Most tables of most worlds are never looked up so.
  #byColumn: Map<string, ColumnIndex> | undefined

  constructor(indexed: Indexed) {
    this.#indexed = indexed
  }

  /** The index of a column; `entries` are all records with the revisions that touched them last. */
  of(
    column: string,
    entries: () => Iterable<readonly [id: string, entry: { row: object; revision: number }]>,
  ): ColumnIndex {
    const known = this.#byColumn?.get(column)
    if (known) return known
    const index = new ColumnIndex(this.#indexed.placeOf)
    for (const [id, { row, revision }] of entries())
      index.touch({ id, before: undefined, after: valueIn(row, column), revision })
    this.#byColumn ??= new Map()
    this.#byColumn.set(column, index)
    return index
  }

  touch(id: string, { before, after, revision, touched }: Touch): void {
    for (const [column, index] of this.#byColumn ?? []) {
      const change = { before: valueIn(before, column), after: valueIn(after, column) }
      index.touch({ id, ...change, revision })
      for (const value of Object.values(change))
        if (value !== undefined) touched.add(indexTag(this.#indexed.table, column, value))
    }
  }

  /** Is told that records are about to get other places. */
  reorder(): void {
    for (const index of this.#byColumn?.values() ?? []) index.reorder()
  }

  /** Is told that a record has got another place. */
  touchOrder(row: object, { revision, touched }: Pick<Touch, 'revision' | 'touched'>): void {
    for (const [column, index] of this.#byColumn ?? []) {
      const value = valueIn(row, column)
      if (value === undefined) continue
      index.touchOrder(value, revision)
      touched.add(indexTag(this.#indexed.table, column, value))
    }
  }
}
