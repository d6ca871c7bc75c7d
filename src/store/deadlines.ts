/** An alarm that waits for its time. */
export interface Deadline {
  /** In ms of the clock that keeps it. */
  readonly at: number
  readonly alarm: () => void | Promise<void>
}

/** Deadlines, earliest first, those of the same time in the order they were added. Adding, taking and removing cost O(log n). */
export interface Deadlines {
  readonly size: number
  first(): Deadline | undefined
  add(deadline: Deadline): void
  /** Does nothing for one that is not there. */
  remove(deadline: Deadline): void
}

interface Node {
  readonly deadline: Deadline
  readonly order: number
  place: number
}

/** A binary heap that knows each deadline's place, so that one that is given up leaves at once. */
export function createDeadlines(): Deadlines {
  const heap: Node[] = []
  const nodes = new Map<Deadline, Node>()
  let added = 0

  const put = (node: Node, place: number) => {
    heap[place] = node
    node.place = place
  }
  const rise = (node: Node) => {
    for (let parent = heap[(node.place - 1) >> 1]; node.place > 0 && parent && earlier(node, parent); ) {
      const place = parent.place
      put(parent, node.place)
      put(node, place)
      parent = heap[(node.place - 1) >> 1]
    }
  }
  const sink = (node: Node) => {
    for (let child = earliestChild(heap, node.place); child && earlier(child, node); ) {
      const place = child.place
      put(child, node.place)
      put(node, place)
      child = earliestChild(heap, node.place)
    }
  }
  return {
    get size() {
      return heap.length
    },
    first: () => heap[0]?.deadline,
    add(deadline) {
      const node = { deadline, order: added++, place: heap.length }
      nodes.set(deadline, node)
      heap.push(node)
      rise(node)
    },
    remove(deadline) {
      const node = nodes.get(deadline)
      const last = heap.at(-1)
      if (!node || !last) return
      nodes.delete(deadline)
      heap.pop()
      if (last === node) return
      put(last, node.place)
      rise(last)
      sink(last)
    },
  }
}

function earlier(a: Node, b: Node): boolean {
  return a.deadline.at < b.deadline.at || (a.deadline.at === b.deadline.at && a.order < b.order)
}

function earliestChild(heap: readonly Node[], place: number): Node | undefined {
  const left = heap[2 * place + 1]
  const right = heap[2 * place + 2]
  return left && right && earlier(right, left) ? right : left
}
