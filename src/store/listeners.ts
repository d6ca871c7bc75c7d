import type { Tag } from './tag.js'

/** Who is to be told when a tag is touched. */
export interface Listeners {
  /** Calls the listener, once for each change set, when any of the tags is touched, until the function that comes back is called. */
  listen(tags: ReadonlySet<Tag>, listener: () => void): () => void
  /** Tells all of them, also where one throws; then throws that. */
  tell(tags: ReadonlySet<Tag>): void
}

type Listener = () => void

/** Listeners in a map by tag: a change costs nothing to those it does not concern. */
export function createListeners(): Listeners {
  // Most tags have one listener, which then stands without a set around it.
  const byTag = new Map<Tag, Listener | Set<Listener>>()
  const add = (tag: Tag, listener: Listener) => {
    const there = byTag.get(tag)
    if (there instanceof Set) there.add(listener)
    else byTag.set(tag, there === undefined || there === listener ? listener : new Set([there, listener]))
  }
  const remove = (tag: Tag, listener: Listener) => {
    const there = byTag.get(tag)
    if (there instanceof Set) there.delete(listener)
    if (there === listener || (there instanceof Set && there.size === 0)) byTag.delete(tag)
  }
  const hears = (tag: Tag, listener: Listener) => {
    const there = byTag.get(tag)
    return there === listener || (there instanceof Set && there.has(listener))
  }
  // Most listen to one tag, of which no list is held: there are as many as blocked requests.
  const ending = (tag: Tag, listener: Listener) => () => remove(tag, listener)
  const endingAll = (tags: readonly Tag[], listener: Listener) => () => {
    for (const tag of tags) remove(tag, listener)
  }
  return {
    listen(tags, listener) {
      for (const tag of tags) add(tag, listener)
      const [tag, ...others] = tags
      return tag !== undefined && others.length === 0 ? ending(tag, listener) : endingAll([...tags], listener)
    },
    tell(tags) {
      const concerned = new Map<Listener, Tag>()
      for (const tag of tags) {
        const there = byTag.get(tag)
        if (there instanceof Set) for (const listener of there) concerned.set(listener, tag)
        else if (there) concerned.set(there, tag)
      }
      // One that is told may end another.
      callEach(concerned, ([listener, tag]) => hears(tag, listener) && listener())
    },
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
