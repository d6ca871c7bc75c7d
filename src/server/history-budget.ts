/** An entry of the budget's list, from the oldest to the newest. The budget sets its neighbours. */
export interface Listed {
  /** About how much memory it takes, in bytes. */
  readonly bytes: number
  older: Listed | undefined
  newer: Listed | undefined
  /** Drops it from its history, where it is the oldest of its kind. The history then removes it from the budget. */
  drop(): void
}

/** Limits what the histories of all worlds keep together. Above the limit, the oldest entry of all worlds goes first. */
export class HistoryBudget {
  #oldest: Listed | undefined
  #newest: Listed | undefined
  #bytes = 0

  /** `most` in bytes. */
  constructor(readonly most: number) {}

  /** How many bytes are kept. */
  get bytes(): number {
    return this.#bytes
  }

  add(kept: Listed): void {
    kept.older = this.#newest
    if (this.#newest) this.#newest.newer = kept
    else this.#oldest = kept
    this.#newest = kept
    this.#bytes += kept.bytes
    // A single entry is kept, however large it is.
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
