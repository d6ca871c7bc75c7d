/** What is in the list of all that histories keep. The budget sets its neighbours. */
export interface Listed {
  /** How much memory it takes, in bytes, about. */
  readonly bytes: number
  older: Listed | undefined
  newer: Listed | undefined
  /** Has its history drop it, which then removes it here. It is the oldest of its kind there. */
  drop(): void
}

/** How much the histories of several worlds keep together. Above that, the oldest of all worlds is dropped first. */
export class HistoryBudget {
  #oldest: Listed | undefined
  #newest: Listed | undefined
  #bytes = 0

  /** `most` in bytes. */
  constructor(readonly most: number) {}

  /** How much is kept, in bytes. */
  get bytes(): number {
    return this.#bytes
  }

  add(kept: Listed): void {
    kept.older = this.#newest
    if (this.#newest) this.#newest.newer = kept
    else this.#oldest = kept
    this.#newest = kept
    this.#bytes += kept.bytes
    // One alone is kept, however large it is.
    while (this.#bytes > this.most && this.#oldest && this.#oldest !== kept) this.#oldest.drop()
  }

  remove(kept: Listed): void {
    const { older, newer } = kept
    if (older) older.newer = newer
    else this.#oldest = newer
    if (newer) newer.older = older
    else this.#newest = older
    kept.older = undefined
    kept.newer = undefined
    this.#bytes -= kept.bytes
  }
}
