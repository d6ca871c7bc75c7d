/**
 * A set of objects, of which most hold one object: that one needs no `Set`, which takes 150 bytes. Thousands of requests may
 * be blocked at once, each in sets of its own. `undefined` is the empty set.
 */
export type SmallSet<T extends object> = T | Set<T> | undefined

/** Returns the set with the item. May change `set`. */
export function addItem<T extends object>(set: SmallSet<T>, item: T): SmallSet<T> {
  if (set instanceof Set) return set.add(item)
  return set === undefined || set === item ? item : new Set([set, item])
}

/** Returns the set without the item. May change `set`. */
export function removeItem<T extends object>(set: SmallSet<T>, item: T): SmallSet<T> {
  if (!(set instanceof Set)) return set === item ? undefined : set
  set.delete(item)
  return set.size === 0 ? undefined : set
}

export function hasItem<T extends object>(set: SmallSet<T>, item: T): boolean {
  return set instanceof Set ? set.has(item) : set === item
}

/** Returns a new list of the items, in the order of their addition. */
export function itemsOf<T extends object>(set: SmallSet<T>): readonly T[] {
  if (set === undefined) return []
  return set instanceof Set ? [...set] : [set]
}
