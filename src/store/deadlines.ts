/** What a clock does at a deadline. */
export type Alarm = () => void

/** Something that waits for its time, in some `Deadlines`. */
export interface Deadline<Due = Alarm> {
  /** In ms of the clock that keeps it. */
  readonly at: number
  /** What is due then. */
  readonly due: Due
  /** Those of the same time ring in this order. */
  readonly order: number
  /** Where it stands; nowhere when it has left. */
  place: number | undefined
}

/**
 * Deadlines, earliest first, those of the same time in the order they were added. Adding, taking and removing cost
 * O(log n): a binary heap whose deadlines know their places, so that one that is given up leaves at once.
 */
export class Deadlines<Due = Alarm> {
  readonly #heap: Deadline<Due>[] = []
  #added = 0

  get size(): number {
    return this.#heap.length
  }

  first(): Deadline<Due> | undefined {
    return this.#heap[0]
  }

  add({ at, due }: Pick<Deadline<Due>, 'at' | 'due'>): Deadline<Due> {
    const deadline: Deadline<Due> = { at, due, order: this.#added++, place: this.#heap.length }
    this.#rise(deadline, this.#heap.length)
    return deadline
  }

  /** Does nothing for one that has left. */
  remove(deadline: Deadline<Due>): void {
    const { place } = deadline
    if (place === undefined) return
    deadline.place = undefined
    const last = this.#heap.pop()
    if (!last || last === deadline) return
    // The last one takes the place, and goes from there whichever way it has to.
    const parent = this.#heap[(place - 1) >> 1]
    if (parent && earlier(last, parent)) this.#rise(last, place)
    else this.#sink(last, place)
  }

  #put(deadline: Deadline<Due>, place: number): void {
    this.#heap[place] = deadline
    deadline.place = place
  }

  #rise(deadline: Deadline<Due>, from: number): void {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = this.#heap[above]
      if (!parent || !earlier(deadline, parent)) break
      this.#put(parent, place)
      place = above
    }
    this.#put(deadline, place)
  }

  #sink(deadline: Deadline<Due>, from: number): void {
    let place = from
    for (;;) {
      const below = earliestChild(this.#heap, place)
      const child = this.#heap[below]
      if (!child || !earlier(child, deadline)) break
      this.#put(child, place)
      place = below
    }
    this.#put(deadline, place)
  }
}

function earlier(a: Deadline<unknown>, b: Deadline<unknown>): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

/** The place of the earlier of the two that stand below a place; one where nothing stands, if there is none. */
function earliestChild(heap: readonly Deadline<unknown>[], place: number): number {
  const left = heap[2 * place + 1]
  const right = heap[2 * place + 2]
  return 2 * place + (left && right && earlier(right, left) ? 2 : 1)
}
