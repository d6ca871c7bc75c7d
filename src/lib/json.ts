import * as z from 'zod'

/** The deepest nesting of objects and arrays in a body, a state or a scenario. */
export const nestingLimit = 64

/** Checks that a JSON value nests at most `levels` deep. It looks no deeper, so cycles end. */
export function nestsWithin(value: unknown, levels = nestingLimit): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  if (Array.isArray(value)) return value.every(inner => nestsWithin(inner, levels - 1))
  // Every body passes here, and Object.values would make an array for each object.
  for (const key in value) if (!nestsWithin(value[key as never], levels - 1)) return false // a key of it
  return true
}

const [quote, backslash, openBracket, closeBracket, openBrace, closeBrace] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/**
 * Checks that a JSON text in UTF-8 nests at most `levels` deep. It counts the brackets outside strings and makes no
 * objects, so a text of a million brackets costs little. It stops at the first bracket that is too deep.
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
    else if (byte === openBracket || byte === openBrace) {
      depth += 1
      if (depth > levels) return false
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1
  }
  return true
}

/** Checks that a JSON value is an object, not an array. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sets a key of an object. An assignment to the key `__proto__` would set the prototype instead. */
export function setKey(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, configurable: true, enumerable: true, writable: true })
}

/** Any JSON value that nests at most 64 levels. */
export const Json = z
  .unknown()
  .refine(value => nestsWithin(value), `expected JSON that nests at most ${nestingLimit} levels`)
  .refine(
    // A value that nests too deep may have cycles, and has failed the first check.
    value => !nestsWithin(value) || isJson(value),
    'expected JSON: finite numbers, texts, true, false, null, lists and plain objects',
  )

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return ['string', 'boolean', 'object'].includes(typeof value)
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null) return false
  return Object.values(value).every(isJson)
}

/** `z.record` of any keys. It also keeps and checks a key called `__proto__`, which `z.record` drops. */
export function record<Value extends z.core.$ZodType>(value: Value): z.ZodRecord<z.ZodString, Value> {
  const definition = { type: 'record', keyType: z.string(), valueType: value } as const
  // The class has no type parameters. The definition has the key and the value of the result.
  return new ProtoKeepingRecord(definition) as unknown as z.ZodRecord<z.ZodString, Value>
}

// `.optional()` and `.describe()` copy a schema by its class, so this must be a zod class.
const ProtoKeepingRecord = z.core.$constructor<z.ZodRecord>('ProtoKeepingRecord', (schema, def) => {
  const init: (instance: typeof schema, definition: typeof def) => void = z.ZodRecord.init
  init(schema, def)
  const parse = schema._zod.parse
  schema._zod.parse = (payload, context) => {
    const input = payload.value
    const parsed = parse(payload, context)
    if (parsed instanceof Promise || parsed.value === input) return parsed
    const own = Object.getOwnPropertyDescriptor(input, '__proto__')
    if (!own) return parsed
    const inner = def.valueType._zod.run({ value: own.value, issues: [] }, context)
    if (inner instanceof Promise) throw new z.core.$ZodAsyncError()
    parsed.issues.push(...z.core.util.prefixIssues('__proto__', inner.issues))
    setKey(parsed.value as object, '__proto__', inner.value) // a record is parsed to an object
    return parsed
  }
})

/**
 * Deletes, in place, each optional key that is null: null in an optional field means absent (PROTOCOL.md B9).
 * It also looks into nested objects, lists and records.
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

/** Tells whether two values are the same JSON to the byte, with their keys in the same order. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [keys, others] = [Object.keys(one), Object.keys(other)]
  if (keys.length !== others.length) return false
  // The keys are own keys, so this also reads an own key called `__proto__`.
  return keys.every((key, i) => others[i] === key && sameJson(one[key as never], other[key as never]))
}

/** A value that may be changed in all its depth. */
export type Draft<T> = T extends readonly (infer Item)[]
  ? Draft<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]: Draft<T[K]> }
    : T

/** Copies a JSON value, and freezes the copy in all its depth. Leaves out keys with an undefined value, as JSON does. */
export function frozenCopy<T>(value: T): T {
  return copy(value, Object.freeze) as T // a copy has the type of its original
}

/** Copies a JSON value, so that the copy may be changed. */
export function draftOf<T>(value: T): Draft<T> {
  return copy(value, inner => inner) as Draft<T> // a copy has the type of its original
}

function copy(value: unknown, finish: (copied: object) => object): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return finish(value.map(inner => copy(inner, finish)))
  const copied: Record<string, unknown> = {}
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined) continue
    if (key === '__proto__') setKey(copied, key, copy(inner, finish))
    else copied[key] = copy(inner, finish)
  }
  return finish(copied)
}
