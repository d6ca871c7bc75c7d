import { clockTag, type Tag } from './tag.js'

type Listener = () => void

/** Who is to be told when a tag is touched: listeners in a map by tag, so that a change costs nothing to those it does not concern. */
export class Listeners {
  // Most tags have one listener, which then stands without a set around it.
  readonly #byTag = new Map<Tag, Listener | Set<Listener>>()

  /** Whether anybody listens to what becomes of records. */
  get some(): boolean {
    return this.#byTag.size > (this.#byTag.has(clockTag) ? 1 : 0)
  }

  /** Calls the listener, once for each change set, when any of the tags is touched, until the function that comes back is called. */
  listen(tags: ReadonlySet<Tag>, listener: Listener): () => void {
    for (const tag of tags) this.#add(tag, listener)
    const [tag, ...others] = tags
    // Most listen to one tag, of which no list is held: there are as many as blocked requests.
    return tag !== undefined && others.length === 0 ? this.#ending(tag, listener) : this.#endingAll([...tags], listener)
  }

  /** Tells all of them, also where one throws; then throws that. */
  tell(tags: ReadonlySet<Tag>): void {
    const concerned = new Map<Listener, Tag>()
    for (const tag of tags) {
      const there = this.#byTag.get(tag)
      if (there instanceof Set) for (const listener of there) concerned.set(listener, tag)
      else if (there) concerned.set(there, tag)
    }
    // One that is told may end another.
    callEach(concerned, ([listener, tag]) => this.#hears(tag, listener) && listener())
  }

  #add(tag: Tag, listener: Listener): void {
    const there = this.#byTag.get(tag)
    if (there instanceof Set) there.add(listener)
    else this.#byTag.set(tag, there === undefined || there === listener ? listener : new Set([there, listener]))
  }

  #remove(tag: Tag, listener: Listener): void {
    const there = this.#byTag.get(tag)
    if (there instanceof Set) there.delete(listener)
    if (there === listener || (there instanceof Set && there.size === 0)) this.#byTag.delete(tag)
  }

  #hears(tag: Tag, listener: Listener): boolean {
    const there = this.#byTag.get(tag)
    return there === listener || (there instanceof Set && there.has(listener))
  }

  #ending(tag: Tag, listener: Listener): () => void {
    return () => this.#remove(tag, listener)
  }

  #endingAll(tags: readonly Tag[], listener: Listener): () => void {
    return () => {
      for (const tag of tags) this.#remove(tag, listener)
    }
  }
}

/** Calls all functions, also where one throws; then throws the first error. */
export function callAll(calls: Iterable<() => unknown>): void {
  callEach(calls, call => call())
}

function callEach<T>(items: Iterable<T>, call: (item: T) => unknown): void {
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
