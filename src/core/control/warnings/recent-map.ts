const least = 1_000

/** A map that forgets entries that nobody has asked for among many others. */
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
    if (this.#young.size <= least) return
    this.#old = this.#young
    this.#young = new Map()
  }

  delete(key: string): void {
    this.#young.delete(key)
    this.#old?.delete(key)
  }
}
