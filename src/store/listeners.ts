import type { Tag } from './tag.js'

/** Who is to be told when a tag is touched. */
export interface Listeners {
  /** Calls the listener, once for each change set, when any of the tags is touched, until the function that comes back is called. */
  listen(tags: ReadonlySet<Tag>, listener: () => void): () => void
  /** Tells all of them, also where one throws; then throws that. */
  tell(tags: ReadonlySet<Tag>): void
}

/** Listeners in a map by tag: a change costs nothing to those it does not concern. */
export function createListeners(): Listeners {
  const byTag = new Map<Tag, Set<() => void>>()
  return {
    listen(tags, listener) {
      for (const tag of tags) {
        const listeners = byTag.get(tag)
        if (listeners) listeners.add(listener)
        else byTag.set(tag, new Set([listener]))
      }
      return () => {
        for (const tag of tags) {
          const listeners = byTag.get(tag)
          listeners?.delete(listener)
          if (listeners?.size === 0) byTag.delete(tag)
        }
      }
    },
    tell(tags) {
      const concerned = new Map<() => void, Tag>()
      for (const tag of tags) for (const listener of byTag.get(tag) ?? []) concerned.set(listener, tag)
      // One that is told may end another.
      callAll(
        [...concerned].map(
          ([listener, tag]) =>
            () =>
              byTag.get(tag)?.has(listener) && listener(),
        ),
      )
    },
  }
}

/** Calls all functions, also where one throws; then throws the first error. */
export function callAll(calls: Iterable<() => unknown>): void {
  const errors: unknown[] = []
  for (const call of calls) {
    try {
      call()
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
