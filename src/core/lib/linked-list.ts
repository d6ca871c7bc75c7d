/** An item of a linked list, which sets its neighbours. */
export interface Linked<Item> {
  older: Item | undefined
  newer: Item | undefined
}

/** Items in the order of their addition. An item is in one list at a time. All calls take constant time. */
export class LinkedList<Item extends Linked<Item>> {
  #oldest: Item | undefined
  #newest: Item | undefined

  get oldest(): Item | undefined {
    return this.#oldest
  }

  push(item: Item): void {
    item.older = this.#newest
    if (this.#newest) this.#newest.newer = item
    else this.#oldest = item
    this.#newest = item
  }

  remove(item: Item): void {
    const { older, newer } = item
    if (older) older.newer = newer
    else this.#oldest = newer
    if (newer) newer.older = older
    else this.#newest = older
    item.older = undefined
    item.newer = undefined
  }
}
