/** A dependency: a row, a group of an index, a sum, a view, a table, or the clock. */
export type Tag = string

export const tableTag = (table: string): Tag => table
export const rowTag = (table: string, id: string): Tag => `${table}#${id}`
export const indexTag = (table: string, index: string, group: string): Tag => `${table}.${index}=${group}`
export const sumTag = (table: string, sum: string, group: string): Tag => `${table}+${sum}=${group}`
export const viewTag = (table: string, view: string, group: string): Tag => `${table}~${view}=${group}`
/** Changes when the clock is set: a time that had passed may come again. */
export const clockTag: Tag = '@clock'

/** The value of a read, and its dependencies. */
export interface Reading<T> {
  readonly value: T
  /** Each tag once. An array, because a blocked request keeps it, and a set takes three times the memory. */
  readonly tags: readonly Tag[]
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

/** Listens to changes of dependencies. An object and not a function, because thousands of requests may be blocked at once. */
export interface DependencyListener {
  onChange(): void
}

/** Records the dependencies of synchronous reads. Calls listeners when one changes. Inner reads add theirs to the outer one. */
export class Dependencies {
  #tracker: Tracker | undefined
  readonly #listeners = new Map<Tag, Set<DependencyListener>>()

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

  track<T>(read: () => T): Reading<T> {
    const outer = this.#tracker
    const tracker: Tracker = { tags: new Set(), revision: 0, until: undefined }
    this.#tracker = tracker
    try {
      const value = read()
      const { tags, revision, until } = tracker
      return { value, tags: [...tags], revision, until }
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

  /** Calls the listener once for each change set that touches a tag. */
  listen(tags: readonly Tag[], listener: DependencyListener): void {
    for (const tag of tags) {
      const listeners = this.#listeners.get(tag)
      if (listeners) listeners.add(listener)
      else this.#listeners.set(tag, new Set([listener]))
    }
  }

  unlisten(tags: readonly Tag[], listener: DependencyListener): void {
    for (const tag of tags) {
      const listeners = this.#listeners.get(tag)
      listeners?.delete(listener)
      if (listeners?.size === 0) this.#listeners.delete(tag)
    }
  }

  /** Calls all listeners: every row may have changed. */
  notifyAll(): void {
    this.notify(new Set(this.tags))
  }

  get tags(): Iterable<Tag> {
    return this.#listeners.keys()
  }

  /** Calls the listeners of the tags. If some throw, it calls the others too, and then throws the first error. */
  notify(tags: ReadonlySet<Tag>): void {
    const called = new Map<DependencyListener, Tag>()
    for (const tag of tags) for (const listener of this.#listeners.get(tag) ?? []) called.set(listener, tag)
    callAll(called, ([listener, tag]) => {
      // A listener may have removed another one.
      if (this.#listeners.get(tag)?.has(listener)) listener.onChange()
    })
  }
}

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
