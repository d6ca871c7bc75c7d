import type { Tag } from './tag.js'

/** What a tracked read has depended on so far. */
export interface Tracker {
  readonly tags: Set<Tag>
  /** The newest revision that the read has seen. */
  revision: number
  /** When the clock alone may change what was read, in ms since the epoch. */
  until: number | undefined
}

/** Keeps the tracker of the read that is going on. Reads are synchronous, so there is one at a time; an inner one adds to the outer. */
export interface Tracking {
  /** Runs a function and answers its value with what it depended on. */
  track<T>(read: () => T): { readonly value: T; readonly tracker: Readonly<Tracker> }
  /** Whether a read goes on: where none does, there is nothing to note. */
  readonly reading: boolean
  /** Notes that the read that is going on, if any, depends on a tag that was last touched at a revision. */
  note(tag: Tag, revision: number): void
  /** Notes that the clock changes the read at that time. */
  noteUntil(at: number): void
}

/** Tracking for one world: what is noted while no read goes on is forgotten. */
export function createTracking(): Tracking {
  let current: Tracker | undefined
  const noteUntil = (at: number) => {
    if (current) current.until = Math.min(current.until ?? Number.POSITIVE_INFINITY, at)
  }
  const note = (tag: Tag, revision: number) => {
    if (!current) return
    current.tags.add(tag)
    current.revision = Math.max(current.revision, revision)
  }
  return {
    get reading() {
      return current !== undefined
    },
    note,
    noteUntil,
    track(read) {
      const outer = current
      const tracker: Tracker = { tags: new Set(), revision: 0, until: undefined }
      current = tracker
      try {
        return { value: read(), tracker }
      } finally {
        current = outer
        for (const tag of tracker.tags) note(tag, tracker.revision)
        if (tracker.until !== undefined) noteUntil(tracker.until)
      }
    },
  }
}
