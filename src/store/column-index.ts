/** The ids of the records with one value in a column, in the order of creation. */
interface Bucket {
  ids: Set<string>
  /** The newest revision that touched a record in here, or took one away. */
  revision: number
  /** The place of the record that was added last. */
  lastPlace: number
  /** False while a record that was added may stand out of order. */
  sorted: boolean
  /** Whether its revision has been asked for, so that it must not go back. */
  asked: boolean
}

/** What happened to one record at a revision: the value it had in the column, and the value it has. */
interface Touch {
  readonly id: string
  readonly before: string | undefined
  readonly after: string | undefined
  readonly revision: number
}

/** Finds the records of a model by the value of one column. */
export class ColumnIndex {
  readonly #buckets = new Map<string, Bucket>()

  /** `placeOf` tells a record's place in the order of creation; a record that changes its place leaves first. */
  constructor(readonly placeOf: (id: string) => number) {}

  revision(value: string): number {
    const bucket = this.#bucket(value)
    bucket.asked = true
    return bucket.revision
  }

  ids(value: string): Iterable<string> {
    const bucket = this.#buckets.get(value)
    if (!bucket) return []
    if (!bucket.sorted) {
      const ids = [...bucket.ids].sort((a, b) => this.placeOf(a) - this.placeOf(b))
      bucket.ids = new Set(ids)
      bucket.lastPlace = this.placeOf(ids.at(-1) ?? '')
    }
    bucket.sorted = true
    return bucket.ids
  }

  /** Is told that records are about to get other places. */
  reorder(): void {
    for (const bucket of this.#buckets.values()) bucket.sorted = false
  }

  /** Is told that a record with that value has got another place at a revision. */
  touchOrder(value: string, revision: number): void {
    const bucket = this.#bucket(value)
    bucket.revision = Math.max(bucket.revision, revision)
  }

  touch({ id, before, after, revision }: Touch): void {
    if (before !== undefined) {
      const left = this.#bucket(before)
      left.revision = Math.max(left.revision, revision)
      if (before !== after) left.ids.delete(id)
      // Else it would keep all values that ever were.
      if (left.ids.size === 0 && !left.asked) this.#buckets.delete(before)
    }
    if (after === undefined) return
    const entered = this.#bucket(after)
    entered.revision = Math.max(entered.revision, revision)
    if (entered.ids.has(id)) return
    const place = this.placeOf(id)
    entered.sorted &&= place > entered.lastPlace
    entered.lastPlace = Math.max(entered.lastPlace, place)
    entered.ids.add(id)
  }

  #bucket(value: string): Bucket {
    const known = this.#buckets.get(value)
    if (known) return known
    const bucket = { ids: new Set<string>(), revision: 0, lastPlace: -1, sorted: true, asked: false }
    this.#buckets.set(value, bucket)
    return bucket
  }
}

/** The value of a row in a column, if that is a text. */
export function valueIn(row: object | undefined, column: string): string | undefined {
  // Indexes name the columns of their model as texts; another key would find nothing.
  const value: unknown = row?.[column as never]
  return typeof value === 'string' ? value : undefined
}
