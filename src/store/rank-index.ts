/** Where a row stands in an order: among whom, and at which rank; `undefined` where it stands nowhere. */
export type Ranking<Row> = (row: Row) => readonly [among: string, rank: number] | undefined

/** Those who stand together: their ranks, lowest first, and for each the ids, in the order of creation. */
interface Ranks {
  readonly ranks: number[]
  readonly ids: Map<number, string[]>
}

interface Touch<Row> {
  readonly id: string
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/** Keeps the records of a model in an order: by rank, and those of one rank in the order of creation. */
export class RankIndex<Row> {
  readonly #among = new Map<string, Ranks>()

  /** `placeOf` tells a record's place in the order of creation. */
  constructor(
    readonly ranking: Ranking<Row>,
    readonly placeOf: (id: string) => number,
  ) {}

  /** The ids of those who stand together, lowest rank first. */
  *ids(among: string): Iterable<string> {
    const there = this.#among.get(among)
    for (const rank of there?.ranks ?? []) yield* there?.ids.get(rank) ?? []
  }

  touch({ id, before, after }: Touch<Row>): void {
    const left = before && this.ranking(before)
    const entered = after && this.ranking(after)
    if (left && entered && left[0] === entered[0] && left[1] === entered[1]) return
    if (left) this.#remove(id, left)
    if (entered) this.#insert(id, entered)
  }

  #insert(id: string, [among, rank]: readonly [string, number]): void {
    const there = this.#among.get(among) ?? { ranks: [], ids: new Map<number, string[]>() }
    this.#among.set(among, there)
    const ids = there.ids.get(rank)
    if (ids) {
      const place = this.placeOf(id)
      ids.splice(
        firstFrom(ids, other => this.placeOf(other) >= place),
        0,
        id,
      )
      return
    }
    there.ranks.splice(
      firstFrom(there.ranks, other => other >= rank),
      0,
      rank,
    )
    there.ids.set(rank, [id])
  }

  #remove(id: string, [among, rank]: readonly [string, number]): void {
    const there = this.#among.get(among)
    const ids = there?.ids.get(rank)
    if (!there || !ids) return
    const place = this.placeOf(id)
    const found = firstFrom(ids, other => this.placeOf(other) >= place)
    // One that has been deleted has no place any more.
    const at = ids[found] === id ? found : ids.indexOf(id)
    if (at !== -1) ids.splice(at, 1)
    if (ids.length > 0) return
    there.ids.delete(rank)
    there.ranks.splice(
      firstFrom(there.ranks, other => other >= rank),
      1,
    )
    if (there.ranks.length === 0) this.#among.delete(among)
  }
}

/** Where the first of a sorted list stands that is far enough; behind the last where none is. */
function firstFrom<T>(sorted: readonly T[], isFarEnough: (item: T) => boolean): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    // It stands between the two.
    if (isFarEnough(sorted[middle] as T)) high = middle
    else low = middle + 1
  }
  return low
}
