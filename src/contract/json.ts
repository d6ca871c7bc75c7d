import * as z from 'zod'

/** The deepest nesting of objects and arrays that a body, a state or a scenario may have. */
export const nestingLimit = 64

/** Whether a value from JSON nests no deeper than `levels`. Looks no further than that. */
export function nestsWithin(value: unknown, levels = nestingLimit): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  if (Array.isArray(value)) return value.every(inner => nestsWithin(inner, levels - 1))
  // Not Object.values, which makes an array for each object: every body comes by here.
  for (const key in value) if (!nestsWithin(value[key as never], levels - 1)) return false // a key of it
  return true
}

const quote = 0x22
const backslash = 0x5c

/**
 * Whether a JSON text, in UTF-8, nests no deeper than `levels`. It only counts brackets outside of strings, so that a text
 * of brackets alone is refused before anybody makes objects of it. Stops where the text is too deep.
 */
export function textNestsWithin(text: Uint8Array, levels = nestingLimit): boolean {
  let depth = 0
  let inString = false
  for (let i = 0; i < text.length; i += 1) {
    const byte = text[i]
    if (inString) {
      if (byte === backslash) i += 1
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    // `[` and `{`, then `]` and `}`.
    else if (byte === 0x5b || byte === 0x7b) {
      depth += 1
      if (depth > levels) return false
    } else if (byte === 0x5d || byte === 0x7d) depth -= 1
  }
  return true
}

/** Whether a value from JSON is an object, and no list. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sets a key of an object. An assignment would take a key called `__proto__` for the prototype. */
export function setKey(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
}

/** Any JSON value that nests at most 64 levels. */
export const Json = z
  .unknown()
  .refine(value => nestsWithin(value), `expected JSON that nests at most ${nestingLimit} levels`)
  .refine(
    value => !nestsWithin(value) || isJson(value),
    'expected JSON: finite numbers, texts, true, false, null, lists and plain objects',
  )

/** Looks at all that is inside: what nests too deep, and perhaps without end, the other check has refused. */
function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return ['string', 'boolean', 'object'].includes(typeof value)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every(isJson)
}
