import { groupIn, isSameGroup } from './group-in.js'

/** What is added up of the rows of a model. */
export interface Summand<Row> {
  /** Their values, joined by spaces, are the group in which a row counts. */
  readonly columns: readonly (keyof Row & string)[]
  amount(row: Row): number
}

/** A sum, and the revision at which it last became another one. */
interface Sum {
  value: number
  revision: number
  /** What it was before the newest revision that touched it, so that what goes up and down in one has not changed. */
  readonly before: { value: number; revision: number }
  /** The newest revision that touched it. */
  touchedAt: number
  /** Whether its revision has been asked for, so that it must not go back. */
  asked: boolean
}

interface Touch<Row> {
  readonly before: Row | undefined
  readonly after: Row | undefined
  readonly revision: number
}

interface Addition {
  readonly amount: number
  readonly revision: number
  readonly tell: ((group: string) => void) | undefined
}

/** Adds up amounts of the records of a model, for each group. */
export class SumIndex<Row> {
  readonly #sums = new Map<string, Sum>()

  constructor(readonly summand: Summand<Row>) {}

  value(group: string): number {
    return this.#sums.get(group)?.value ?? 0
  }

  /** The revision at which it last became another one. */
  revision(group: string): number {
    const sum = this.#sum(group)
    sum.asked = true
    return sum.revision
  }

  /** `tell` is told of the groups whose sums may be others. */
  touch({ before, after, revision }: Touch<Row>, tell?: (group: string) => void): void {
    const { summand } = this
    const left = before ? summand.amount(before) : 0
    const entered = after ? summand.amount(after) : 0
    if (before && after && left === entered && isSameGroup(summand, [before, after])) return
    if (before && left !== 0) this.#add(groupIn(summand, before), { amount: -left, revision, tell })
    if (after && entered !== 0) this.#add(groupIn(summand, after), { amount: entered, revision, tell })
  }

  #add(group: string, { amount, revision, tell }: Addition): void {
    const sum = this.#sum(group)
    // When it is made, records come in the order of their places.
    if (revision > sum.touchedAt) {
      sum.before.value = sum.value
      sum.before.revision = sum.revision
      sum.touchedAt = revision
    }
    sum.value += amount
    sum.revision = sum.value === sum.before.value ? sum.before.revision : Math.max(sum.revision, revision)
    // Else it would keep all that ever was.
    if (sum.value === 0 && !sum.asked) this.#sums.delete(group)
    tell?.(group)
  }

  #sum(group: string): Sum {
    const known = this.#sums.get(group)
    if (known) return known
    const sum: Sum = { value: 0, revision: 0, before: { value: 0, revision: 0 }, touchedAt: 0, asked: false }
    this.#sums.set(group, sum)
    return sum
  }
}
