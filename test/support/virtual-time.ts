/** Timers whose time passes only when nothing else is left to do. */
export class VirtualTime {
  #now = 0
  #nextId = 0
  readonly #timers = new Map<number, { readonly at: number; readonly run: () => void }>()

  /** In ms since the start. */
  get now(): number {
    return this.#now
  }

  /** Calls a function at a time, after those of earlier calls for the same time. Returns a function that cancels it. */
  at(time: number, run: () => void): () => void {
    const id = this.#nextId++
    this.#timers.set(id, { at: Math.max(time, this.#now), run })
    return () => void this.#timers.delete(id)
  }

  after(ms: number, run: () => void): () => void {
    return this.at(this.#now + ms, run)
  }

  /** Passes the time until there is no timer before `end`. */
  async runUntil(end: number): Promise<void> {
    for (;;) {
      await settled()
      const next = this.#first()
      if (next === undefined || next.at > end) break
      this.#timers.delete(next.id)
      this.#now = next.at
      next.run()
    }
    this.#now = end
  }

  #first() {
    let first: { readonly id: number; readonly at: number; readonly run: () => void } | undefined
    for (const [id, timer] of this.#timers) if (first === undefined || timer.at < first.at) first = { id, ...timer }
    return first
  }
}

/** Resolves when all promises have run that can. */
function settled(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}
