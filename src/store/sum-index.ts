/** What is added up of a row: an amount, and the text under which it counts; `undefined` where it counts nowhere. */
export type Summand<Row> = (row: Row) => readonly [under: string, amount: number] | undefined

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

/** Adds up amounts of the records of a model, by a text. */
export class SumIndex<Row> {
  readonly #sums = new Map<string, Sum>()

  constructor(readonly summand: Summand<Row>) {}

  value(under: string): number {
    return this.#sums.get(under)?.value ?? 0
  }

  /** The revision at which it last became another one. */
  revision(under: string): number {
    const sum = this.#sum(under)
    sum.asked = true
    return sum.revision
  }

  /** Adds what a record amounts to more, where nobody asks for revisions. */
  add({ before, after }: Omit<Touch<Row>, 'revision'>): void {
    for (const _ of this.touch({ before, after, revision: 0 }));
  }

  /** Tells of the texts whose sums may be others. */
  *touch({ before, after, revision }: Touch<Row>): Iterable<string> {
    const left = before && this.summand(before)
    const entered = after && this.summand(after)
    if (left && entered && left[0] === entered[0] && left[1] === entered[1]) return
    if (left) yield this.#add(left[0], { amount: -left[1], revision })
    if (entered) yield this.#add(entered[0], { amount: entered[1], revision })
  }

  #add(under: string, { amount, revision }: { readonly amount: number; readonly revision: number }): string {
    const sum = this.#sum(under)
    if (revision !== sum.touchedAt) {
      sum.before.value = sum.value
      sum.before.revision = sum.revision
      sum.touchedAt = revision
    }
    sum.value += amount
    sum.revision = sum.value === sum.before.value ? sum.before.revision : revision
    // Else it would keep all that ever was.
    if (sum.value === 0 && !sum.asked) this.#sums.delete(under)
    return under
  }

  #sum(under: string): Sum {
    const known = this.#sums.get(under)
    if (known) return known
    const sum: Sum = { value: 0, revision: 0, before: { value: 0, revision: 0 }, touchedAt: 0, asked: false }
    this.#sums.set(under, sum)
    return sum
  }
}
