import type * as z from 'zod'
import { exactValue, keepDigits, setKey } from './exact-json.js'

/** The deepest nesting of objects and arrays in a body, a state or a scenario. */
export const nestingLimit = 64

/** Checks that a JSON value nests at most `levels` deep. It also ends for a value with cycles. */
export function nestsWithin(value: unknown, levels = nestingLimit): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  if (Array.isArray(value)) return value.every(inner => nestsWithin(inner, levels - 1))
  // Every body is checked here, and Object.values would create an array for each object.
  for (const key in value) if (!nestsWithin(getKey(value, key), levels - 1)) return false
  return true
}

const [quote, comma, backslash, openBracket, closeBracket, openBrace, closeBrace] = [
  0x22, 0x2c, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d,
]

/** The limits of a JSON text. */
export interface JsonLimits {
  /** The deepest nesting of objects and arrays. */
  readonly levels: number
  /** The most values, as the sum of objects, arrays and commas. Default: any number. */
  readonly values?: number | undefined
}

/**
 * Finds the first limit that a JSON text in UTF-8 exceeds, without parsing it. It only counts the brackets and commas outside
 * strings, so a text of a million brackets costs little.
 */
export function exceededLimit(
  text: Uint8Array,
  { levels, values: most = Number.POSITIVE_INFINITY }: JsonLimits,
): 'levels' | 'values' | undefined {
  let depth = 0
  let values = 0
  let inString = false
  for (let i = 0; i < text.length; i += 1) {
    const byte = text[i]
    if (inString) {
      if (byte === backslash) i += 1
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === openBracket || byte === openBrace) {
      depth += 1
      values += 1
      if (depth > levels) return 'levels'
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1
    else if (byte === comma) values += 1
    if (values > most) return 'values'
  }
  return undefined
}

/** Checks that a JSON text in UTF-8 nests at most `levels` deep: see `exceededLimit`. */
export function textNestsWithin(text: Uint8Array, levels = nestingLimit): boolean {
  return exceededLimit(text, { levels }) === undefined
}

/** Checks that a JSON value is an object, not an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Checks that a value is an object with fields: not a promise, a `Map` or a `Date`. It may come from another realm. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === '[object Object]'
}

/** Gets the value of a key that the compiler does not know. */
export function getKey(object: object, key: PropertyKey): unknown {
  return object[key as never] // the one cast for such keys
}

/**
 * Deletes each optional key that is null, in place and in nested values. Null in an optional field means absent
 * (PROTOCOL.md B9).
 */
export function removeOptionalNulls(schema: z.core.$ZodType, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const { def } = (schema as z.core.$ZodTypes)._zod // the union of all schemas; `instanceof` takes 1 µs each
  if (def.type === 'optional') removeOptionalNulls(def.innerType, value)
  else if (def.type === 'array') removeFromEach(def.element, value)
  else if (def.type === 'record') removeFromEach(def.valueType, value)
  else if (def.type === 'object' && isJsonObject(value)) removeFromFields(def.shape, value)
}

function removeFromEach(schema: z.core.$ZodType, values: object): void {
  for (const value of Object.values(values)) removeOptionalNulls(schema, value)
}

function removeFromFields(shape: z.core.$ZodShape, object: Record<string, unknown>): void {
  for (const key of Object.keys(object)) {
    const field = Object.hasOwn(shape, key) ? shape[key] : undefined
    if (!field) continue
    if (object[key] !== null) removeOptionalNulls(field, object[key])
    else if (field._zod.optin === 'optional') delete object[key]
  }
}

/** Checks if two values are the same JSON to the byte. The order of keys counts. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [keys, others] = [Object.keys(one), Object.keys(other)]
  if (keys.length !== others.length) return false
  // These are own keys, so `__proto__` is safe.
  return keys.every((key, i) => others[i] === key && sameJson(exactValue(one, key), exactValue(other, key)))
}

/** A value that may be changed at any depth. */
export type Draft<T> = T extends readonly (infer Item)[]
  ? Draft<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Draft<T[K]> }
    : T

/** Copies a JSON value, and freezes the copy deeply. As in JSON, leaves out keys with an undefined value. */
export function frozenCopy<T>(value: T): T {
  return copy(value, Object.freeze) as T // a copy has the type of its original
}

/** Freezes a JSON value deeply, in place. It is for a value that nobody else has, such as one that was just parsed. */
export function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const key in value) frozen(value[key])
  return Object.freeze(value)
}

/** Copies a JSON value. The copy may be changed. `finish` gets each new object and list. */
export function draftOf<T>(value: T, finish = (copied: object) => copied): Draft<T> {
  return copy(value, finish) as Draft<T> // a copy has the type of its original
}

function copy(value: unknown, finish: (copied: object) => object): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value))
    return finish(
      keepDigits(
        value.map(inner => copy(inner, finish)),
        value,
      ),
    )
  const copied: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue
    if (key === '__proto__') setKey(copied, key, copy(inner, finish))
    else copied[key] = copy(inner, finish)
  }
  return finish(keepDigits(copied, value))
}
