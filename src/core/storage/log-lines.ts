import { firstIndex } from '../lib/binary-search.js'
/** The places of the lines of a log, by their revisions. Offsets are in bytes. */
export class LogLines {
  /** The offset of the first line after the base. */
  start: number
  #revisions: number[] = []
  #ends: number[] = []

  /** `start`: the offset of the first line after the base. */
  constructor(start = 0) {
    this.start = start
  }

  /** The offset behind the last line. */
  get end(): number {
    return this.#ends.at(-1) ?? this.start
  }

  /** Adds a line of a later revision, which ends at that offset. */
  add(revision: number, end: number): void {
    this.#revisions.push(revision)
    this.#ends.push(end)
  }

  /** Returns the offset behind the last line up to a revision. */
  endOf(revision: number): number {
    return this.#ends[this.#countUpTo(revision) - 1] ?? this.start
  }

  /** Removes the lines up to a revision, which a base has replaced. */
  dropUpTo(revision: number): void {
    this.start = this.endOf(revision)
    const count = this.#countUpTo(revision)
    this.#revisions = this.#revisions.slice(count)
    this.#ends = this.#ends.slice(count)
  }

  /** Moves all lines by a number of bytes. */
  move(distance: number): void {
    this.start += distance
    this.#ends = this.#ends.map(end => end + distance)
  }

  #countUpTo(revision: number): number {
    return firstIndex(this.#revisions.length, line => (this.#revisions[line] ?? revision) > revision)
  }
}
