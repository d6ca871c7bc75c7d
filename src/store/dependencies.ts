/** A thing that a read looked at: a row, a group of an index, a sum, a view, a table, or the clock. */
export type Tag = string

export const tableTag = (table: string): Tag => table
export const rowTag = (table: string, id: string): Tag => `${table}#${id}`
export const indexTag = (table: string, index: string, group: string): Tag => `${table}.${index}=${group}`
export const sumTag = (table: string, sum: string, group: string): Tag => `${table}+${sum}=${group}`
export const viewTag = (table: string, view: string, group: string): Tag => `${table}~${view}=${group}`
/** Touched where the clock jumps: a time that had passed may come again. */
export const clockTag: Tag = '@clock'

/** What a tracked read has looked at. */
export interface Tracked {
  readonly tags: ReadonlySet<Tag>
  /** The newest revision among what it looked at. */
  readonly revision: number
  /** When the clock alone may change what was read, in ms since the epoch. */
  readonly until: number | undefined
}

interface Tracker {
  readonly tags: Set<Tag>
  revision: number
  until: number | undefined
}

/** Records what reads of one world look at, and tells listeners when it changes. Reads are synchronous; an inner one adds to the outer. */
export class Dependencies {
  #tracker: Tracker | undefined
  // Most tags have one listener, which then stands without a set around it.
  readonly #listeners = new Map<Tag, Listener | Set<Listener>>()

  get isTracking(): boolean {
    return this.#tracker !== undefined
  }

  /** Notes that the current read depends on a tag that last changed at a revision. */
  note(tag: Tag, revision: number): void {
    const tracker = this.#tracker
    if (!tracker) return
    tracker.tags.add(tag)
    if (revision > tracker.revision) tracker.revision = revision
  }

  /** Notes that the clock changes the current read at that time. */
  noteUntil(at: number): void {
    const tracker = this.#tracker
    if (tracker) tracker.until = Math.min(tracker.until ?? Number.POSITIVE_INFINITY, at)
  }

  track<T>(read: () => T): { readonly value: T; readonly tracked: Tracked } {
    const outer = this.#tracker
    const tracker: Tracker = { tags: new Set(), revision: 0, until: undefined }
    this.#tracker = tracker
    try {
      return { value: read(), tracked: tracker }
    } finally {
      this.#tracker = outer
      for (const tag of tracker.tags) this.note(tag, tracker.revision)
      if (tracker.until !== undefined) this.noteUntil(tracker.until)
    }
  }

  /** Whether anyone listens to changes of rows. */
  get hasListeners(): boolean {
    return this.#listeners.size > (this.#listeners.has(clockTag) ? 1 : 0)
  }

  /** Calls the listener, once for each change set, when any of the tags is touched. Returns a function that ends this. */
  listen(tags: ReadonlySet<Tag>, listener: Listener): () => void {
    for (const tag of tags) this.#add(tag, listener)
    const [first, ...others] = tags
    // Most listen to one tag. There may be as many listeners as blocked requests, so none of them holds a list.
    if (first !== undefined && others.length === 0) return () => this.#remove(first, listener)
    const all = [...tags]
    return () => {
      for (const tag of all) this.#remove(tag, listener)
    }
  }

  /** Tells the listeners of the tags. A listener that throws stops no other: the first error is thrown at the end. */
  tell(tags: ReadonlySet<Tag>): void {
    const called = new Map<Listener, Tag>()
    for (const tag of tags) {
      const listeners = this.#listeners.get(tag)
      if (listeners instanceof Set) for (const listener of listeners) called.set(listener, tag)
      else if (listeners) called.set(listeners, tag)
    }
    callAll(called, ([listener, tag]) => {
      // One listener may have ended another.
      if (this.#isListening(tag, listener)) listener()
    })
  }

  #add(tag: Tag, listener: Listener): void {
    const known = this.#listeners.get(tag)
    if (known instanceof Set) known.add(listener)
    else this.#listeners.set(tag, known === undefined || known === listener ? listener : new Set([known, listener]))
  }

  #remove(tag: Tag, listener: Listener): void {
    const known = this.#listeners.get(tag)
    if (known instanceof Set) known.delete(listener)
    if (known === listener || (known instanceof Set && known.size === 0)) this.#listeners.delete(tag)
  }

  #isListening(tag: Tag, listener: Listener): boolean {
    const known = this.#listeners.get(tag)
    return known === listener || (known instanceof Set && known.has(listener))
  }
}

type Listener = () => void

/** Calls a function for each item, also after one that throws; then throws the first error. */
export function callAll<T>(items: Iterable<T>, call: (item: T) => void): void {
  const errors: unknown[] = []
  for (const item of items) {
    try {
      call(item)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
