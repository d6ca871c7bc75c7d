const fewestKept = 1_000

/** A map of limited size. Keeps at least the 1,000 entries that were used last, and forgets those that nobody uses. */
export class RecentMap<Value> {
  #young = new Map<string, Value>()
  #old: Map<string, Value> | undefined

  get size(): number {
    return this.#young.size + (this.#old?.size ?? 0)
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return young
    const old = this.#old?.get(key)
    if (old !== undefined) this.set(key, old)
    return old
  }

  set(key: string, value: Value): void {
    this.#young.set(key, value)
    if (this.#young.size <= fewestKept) return
    this.#old = this.#young
    this.#young = new Map()
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old?.delete(key)
  }
}
