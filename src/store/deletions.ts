/** How many deletions are known by their ids at least; at most twice as many are. */
const least = 5_000

/** The revisions that deleted records: what a read of one has seen must not go back. */
export class Deletions {
  /** By id, the latest only, in two generations, of which the older one is forgotten as a whole. Most tables lose no record. */
  #recent: Map<string, number> | undefined
  #older: Map<string, number> | undefined
  /** The newest revision of each. */
  #recentAt = 0
  #olderAt = 0
  /** Of the newest deletion that is no longer known by its id. */
  #forgottenAt: number

  constructor(forgottenAt: number) {
    this.#forgottenAt = forgottenAt
  }

  /** Whether any record has ever been deleted, be it that it is there again. */
  get some(): boolean {
    return this.#recent !== undefined
  }

  /** The revision up to which a record may have been deleted that is not known by its id. */
  get forgottenAt(): number {
    return this.#forgottenAt
  }

  /** The revision that a read sees that finds no record. */
  revision(id: string): number {
    return this.#recent?.get(id) ?? this.#older?.get(id) ?? this.#forgottenAt
  }

  add(id: string, revision: number): void {
    this.#recent ??= new Map()
    if (this.#recent.size >= least) {
      if (this.#older) this.#forgottenAt = this.#olderAt
      this.#older = this.#recent
      this.#olderAt = this.#recentAt
      this.#recent = new Map()
    }
    this.#recent.set(id, revision)
    this.#recentAt = revision
  }

  /** Of a record that is there again. */
  delete(id: string): void {
    this.#recent?.delete(id)
    this.#older?.delete(id)
  }
}
