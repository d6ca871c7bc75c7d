/** How many deletions are known by their ids. */
const most = 10_000

/** The revisions that deleted records: what a read of one has seen must not go back. */
export class Deletions {
  /** By id, the latest only. Most tables lose no record. */
  #revisions: Map<string, number> | undefined
  /** Of the newest deletion that is no longer known by its id. */
  #forgottenAt: number

  constructor(forgottenAt: number) {
    this.#forgottenAt = forgottenAt
  }

  /** Whether any is known by its id. */
  get some(): boolean {
    return this.#revisions !== undefined
  }

  /** The revision up to which a record may have been deleted that is not known by its id. */
  get forgottenAt(): number {
    return this.#forgottenAt
  }

  /** The revision that a read sees that finds no record. */
  revision(id: string): number {
    return this.#revisions?.get(id) ?? this.#forgottenAt
  }

  add(id: string, revision: number): void {
    this.#revisions ??= new Map()
    this.#revisions.set(id, revision)
    const [oldest] = this.#revisions
    if (!oldest || this.#revisions.size <= most) return
    this.#revisions.delete(oldest[0])
    this.#forgottenAt = oldest[1]
  }

  /** Of a record that is there again. */
  delete(id: string): void {
    this.#revisions?.delete(id)
  }
}
