/** A dependency: a row, a group of an index, a sum, a view, a table, or the clock. */
export type Tag = string

export const tableTag = (table: string): Tag => table
export const rowTag = (table: string, id: string): Tag => `${table}#${id}`
export const indexTag = (table: string, index: string, group: string): Tag => `${table}.${index}=${group}`
export const sumTag = (table: string, sum: string, group: string): Tag => `${table}+${sum}=${group}`
export const viewTag = (table: string, view: string, group: string): Tag => `${table}~${view}=${group}`
/** Changes when the clock is set: a time that had passed may come again. */
export const clockTag: Tag = '@clock'

/** The dependencies of a read. */
export interface Tracked {
  readonly tags: ReadonlySet<Tag>
  /** The newest revision of the dependencies. */
  readonly revision: number
  /** The time when the clock alone may change the answer, in ms since the epoch. */
  readonly until: number | undefined
}

interface Tracker {
  readonly tags: Set<Tag>
  revision: number
  until: number | undefined
}

/**
 * Records the dependencies of reads in one world. Calls listeners when a dependency changes. Reads are synchronous. A read
 * inside another read adds its dependencies to the outer one.
 */
export class Dependencies {
  #tracker: Tracker | undefined
  // Most tags have one listener, which needs no set.
  readonly #listeners = new Map<Tag, Listener | Set<Listener>>()

  get isTracking(): boolean {
    return this.#tracker !== undefined
  }

  /** Adds a dependency to the current read, with the revision that last changed it. */
  note(tag: Tag, revision: number): void {
    const tracker = this.#tracker
    if (!tracker) return
    tracker.tags.add(tag)
    if (revision > tracker.revision) tracker.revision = revision
  }

  /** Notes that the clock may change the answer of the current read at that time. */
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

  /** True if anyone listens to changes of rows. */
  get hasListeners(): boolean {
    return this.#listeners.size > (this.#listeners.has(clockTag) ? 1 : 0)
  }

  /** Calls the listener once for each change set that touches a tag. Returns a function that removes the listener. */
  listen(tags: ReadonlySet<Tag>, listener: Listener): () => void {
    for (const tag of tags) this.#add(tag, listener)
    const [first, ...others] = tags
    // Most listeners have one tag. Each blocked request is a listener, so a list for each would cost much memory.
    if (first !== undefined && others.length === 0) return () => this.#remove(first, listener)
    const all = [...tags]
    return () => {
      for (const tag of all) this.#remove(tag, listener)
    }
  }

  /** Calls the listeners of the tags. If some throw, it calls the others too, and then throws the first error. */
  notify(tags: ReadonlySet<Tag>): void {
    const called = new Map<Listener, Tag>()
    for (const tag of tags) {
      const listeners = this.#listeners.get(tag)
      if (listeners instanceof Set) for (const listener of listeners) called.set(listener, tag)
      else if (listeners) called.set(listeners, tag)
    }
    callAll(called, ([listener, tag]) => {
      // A listener may have removed another one.
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

/** Calls a function for each item, even if some calls throw. Then throws the first error. */
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

/** Calls a listener after a transaction. Its error does not reach the caller of the transaction: it becomes an uncaught error. */
export function callListener(listener: () => void): void {
  try {
    listener()
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
