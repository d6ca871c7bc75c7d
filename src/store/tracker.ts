import type { Tag } from './tag.js'

/** What a tracked read has depended on so far. */
export interface Tracker {
  readonly tags: Set<Tag>
  /** The newest revision that the read has seen. */
  revision: number
  /** When the clock alone may change what was read, in ms since the epoch. */
  until: number | undefined
}

/** Keeps the tracker of the read that is going on in one world. Reads are synchronous, so there is one at a time; an inner one adds to the outer. */
export class Tracking {
  #current: Tracker | undefined

  /** Whether a read goes on: where none does, there is nothing to note. */
  get reading(): boolean {
    return this.#current !== undefined
  }

  /** Notes that the read that is going on, if any, depends on a tag that was last touched at a revision. */
  note(tag: Tag, revision: number): void {
    const current = this.#current
    if (!current) return
    current.tags.add(tag)
    current.revision = Math.max(current.revision, revision)
  }

  /** Notes that the clock changes the read at that time. */
  noteUntil(at: number): void {
    const current = this.#current
    if (current) current.until = Math.min(current.until ?? Number.POSITIVE_INFINITY, at)
  }

  /** Runs a function and answers its value with what it depended on. */
  track<T>(read: () => T): { readonly value: T; readonly tracker: Readonly<Tracker> } {
    const outer = this.#current
    const tracker: Tracker = { tags: new Set(), revision: 0, until: undefined }
    this.#current = tracker
    try {
      return { value: read(), tracker }
    } finally {
      this.#current = outer
      for (const tag of tracker.tags) this.note(tag, tracker.revision)
      if (tracker.until !== undefined) this.noteUntil(tracker.until)
    }
  }
}
