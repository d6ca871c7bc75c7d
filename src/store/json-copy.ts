import { setKey } from '../lib/json.js'
import type { Draft } from './draft.js'

/** A copy of a JSON value that is frozen in all its depth. Keys whose value is undefined are left out, as JSON does. */
export function frozenCopy<T>(value: T): T {
  return copied(value, Object.freeze) as T // a copy is of the type of what it is made of
}

/** A copy of a JSON value that may be changed. */
export function draftOf<T>(value: T): Draft<T> {
  return copied(value, copy => copy) as Draft<T> // the same
}

function copied(value: unknown, finish: (copy: object) => object): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return finish(value.map(inner => copied(inner, finish)))
  const copy: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue
    if (key === '__proto__') setKey(copy, key, copied(inner, finish))
    else copy[key] = copied(inner, finish)
  }
  return finish(copy)
}
