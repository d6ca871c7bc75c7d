/** An alarm that waits for its time, in some `Deadlines`. */
export interface Deadline {
  /** In ms of the clock that keeps it. */
  readonly at: number
  readonly alarm: () => void | Promise<void>
  /** Those of the same time ring in this order. */
  readonly order: number
  /** Where it stands; nowhere when it has left. */
  place: number | undefined
}

/** Deadlines, earliest first, those of the same time in the order they were added. Adding, taking and removing cost O(log n). */
export interface Deadlines {
  readonly size: number
  first(): Deadline | undefined
  add(deadline: Pick<Deadline, 'at' | 'alarm'>): Deadline
  /** Does nothing for one that has left. */
  remove(deadline: Deadline): void
}

/** A binary heap whose deadlines know their places, so that one that is given up leaves at once. */
export function createDeadlines(): Deadlines {
  const heap: Deadline[] = []
  let added = 0

  const put = (deadline: Deadline, place: number) => {
    heap[place] = deadline
    deadline.place = place
  }
  const rise = (deadline: Deadline, from: number) => {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = heap[above]
      if (!parent || !earlier(deadline, parent)) break
      put(parent, place)
      place = above
    }
    put(deadline, place)
  }
  const sink = (deadline: Deadline, from: number) => {
    let place = from
    for (;;) {
      const below = earliestChild(heap, place)
      const child = heap[below]
      if (!child || !earlier(child, deadline)) break
      put(child, place)
      place = below
    }
    put(deadline, place)
  }
  return {
    get size() {
      return heap.length
    },
    first: () => heap[0],
    add({ at, alarm }) {
      const deadline: Deadline = { at, alarm, order: added++, place: heap.length }
      rise(deadline, heap.length)
      return deadline
    },
    remove(deadline) {
      const { place } = deadline
      if (place === undefined) return
      deadline.place = undefined
      const last = heap.pop()
      if (!last || last === deadline) return
      // The last one takes the place, and goes from there whichever way it has to.
      const parent = heap[(place - 1) >> 1]
      if (parent && earlier(last, parent)) rise(last, place)
      else sink(last, place)
    },
  }
}

function earlier(a: Deadline, b: Deadline): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order)
}

/** The place of the earlier of the two that stand below a place; one where nothing stands, if there is none. */
function earliestChild(heap: readonly Deadline[], place: number): number {
  const left = heap[2 * place + 1]
  const right = heap[2 * place + 2]
  return 2 * place + (left && right && earlier(right, left) ? 2 : 1)
}
