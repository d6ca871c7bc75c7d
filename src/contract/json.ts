import * as z from 'zod'

/** The deepest nesting of objects and arrays that a body, a state or a scenario may have. */
export const nestingLimit = 64

/** Whether a value from JSON nests no deeper than `levels`. Looks no further than that. */
export function nestsWithin(value: unknown, levels = nestingLimit): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every(inner => nestsWithin(inner, levels - 1))
}

/** Any JSON value that nests at most 64 levels. */
export const Json = z
  .unknown()
  .refine(value => nestsWithin(value), `expected JSON that nests at most ${nestingLimit} levels`)
