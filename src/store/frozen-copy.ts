/** A copy of a JSON value that is frozen in all its depth. Keys whose value is undefined are left out, as JSON does. */
export function frozenCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  const copy = Array.isArray(value)
    ? value.map(frozenCopy)
    : // Not by assignment, which would take a key `__proto__` for the prototype.
      Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => entry(key, inner)))
  return Object.freeze(copy) as T // a copy is of the type of what it is made of
}

function entry(key: string, value: unknown): [string, unknown][] {
  return value === undefined ? [] : [[key, frozenCopy(value)]]
}
