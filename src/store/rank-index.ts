import { groupIn, isSameGroup } from './group-in.js'

/** How the rows of a model stand in an order. */
export interface Ranking<Row> {
  /** Their values, joined by spaces, are the group in which a row stands. */
  readonly columns: readonly (keyof Row & string)[]
  /** `undefined` where a row stands nowhere. */
  rank(row: Row): number | undefined
}

/** Those who stand together: their ranks, lowest first, and for each the ids, in the order of creation. */
interface Ranks {
  readonly ranks: number[]
  readonly ids: Map<number, string[]>
}

/** Where a record stands. */
interface Position {
  readonly group: string
  readonly rank: number
}

interface Touch<Row> {
  readonly id: string
  readonly before: Row | undefined
  readonly after: Row | undefined
}

/** Keeps the records of a model in an order: by rank, and those of one rank in the order of creation. */
export class RankIndex<Row> {
  readonly #groups = new Map<string, Ranks>()

  /** `placeOf` tells a record's place in the order of creation. */
  constructor(
    readonly ranking: Ranking<Row>,
    readonly placeOf: (id: string) => number,
  ) {}

  /** The id of the first of a group that is wanted, lowest rank first. */
  first(group: string, isWanted: (id: string) => boolean): string | undefined {
    const there = this.#groups.get(group)
    for (const rank of there?.ranks ?? []) {
      const found = there?.ids.get(rank)?.find(isWanted)
      if (found !== undefined) return found
    }
    return undefined
  }

  touch({ id, before, after }: Touch<Row>): void {
    const { ranking } = this
    const left = before && ranking.rank(before)
    const entered = after && ranking.rank(after)
    if (before && after && left === entered && isSameGroup(ranking, [before, after])) return
    if (before && left !== undefined) this.#remove(id, { group: groupIn(ranking, before), rank: left })
    if (after && entered !== undefined) this.#insert(id, { group: groupIn(ranking, after), rank: entered })
  }

  #insert(id: string, { group, rank }: Position): void {
    const there = this.#groups.get(group) ?? { ranks: [], ids: new Map<number, string[]>() }
    this.#groups.set(group, there)
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

  #remove(id: string, { group, rank }: Position): void {
    const there = this.#groups.get(group)
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
    if (there.ranks.length === 0) this.#groups.delete(group)
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
