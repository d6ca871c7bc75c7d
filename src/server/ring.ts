/** The newest of some items, the oldest first. */
export class Ring<Item extends object> implements Iterable<Item> {
  #items: (Item | undefined)[] = []
  /** How many at the front have left. */
  #left = 0

  constructor(readonly most: number) {}

  /** Adds an item, and answers the one that has to go for it, if any. */
  push(item: Item): Item | undefined {
    this.#items.push(item)
    return this.#items.length - this.#left > this.most ? this.shift() : undefined
  }

  /** Takes the oldest out. */
  shift(): Item | undefined {
    const item = this.#items[this.#left]
    if (item === undefined) return undefined
    this.#items[this.#left] = undefined
    this.#left += 1
    // Seldom enough to cost nothing.
    if (this.#left * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#left)
      this.#left = 0
    }
    return item
  }

  *[Symbol.iterator](): Iterator<Item> {
    for (const item of this.#items.slice(this.#left)) if (item !== undefined) yield item
  }
}
