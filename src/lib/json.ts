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

/**
 * An object with any keys, whose values have one shape. It keeps a key called `__proto__` as any other key: zod's own
 * record drops that key, and what is left then matches, or says, something else.
 */
export function record<Value extends z.core.$ZodType>(value: Value): z.ZodRecord<z.ZodString, Value> {
  const definition = { type: 'record', keyType: z.string(), valueType: value } as const
  // The class knows no type parameters. The definition has the key and the value of the result.
  return new KeepingRecord(definition) as unknown as z.ZodRecord<z.ZodString, Value>
}

// A class of zod's own making, because `.optional()` and `.describe()` copy a schema by its class.
const KeepingRecord = z.core.$constructor<z.ZodRecord>('KeepingRecord', (schema, def) => {
  const become: (instance: typeof schema, definition: typeof def) => void = z.ZodRecord.init
  become(schema, def)
  const parse = schema._zod.parse
  schema._zod.parse = (payload, context) => {
    const input = payload.value
    const parsed = parse(payload, context)
    if (parsed instanceof Promise || parsed.value === input || !hasPrototypeKey(input)) return parsed
    const inner = def.valueType._zod.run({ value: prototypeKeyOf(input), issues: [] }, context)
    if (inner instanceof Promise) throw new z.core.$ZodAsyncError()
    parsed.issues.push(...z.core.util.prefixIssues(key, inner.issues))
    setKey(parsed.value as object, key, inner.value) // a record is parsed to an object
    return parsed
  }
})

const key = '__proto__'

function hasPrototypeKey(input: unknown): input is object {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, key)
}

function prototypeKeyOf(input: object): unknown {
  return Object.getOwnPropertyDescriptor(input, key)?.value
}

/** Removes from a JSON value, in place, each optional key whose value is null. */
type RemoveNulls = (value: unknown) => void

const removers = new WeakMap<z.ZodType, RemoveNulls | undefined>()

/**
 * Removes, in place, each key of a JSON value that is null and that the schema has as optional: null in an optional field
 * means absent (PROTOCOL.md B9). Also looks into nested objects, lists and records.
 */
export function removeOptionalNulls(schema: z.ZodType, value: unknown): void {
  removerOf(schema)?.(value)
}

/** The function for a schema, made once; `undefined` where nothing in it is optional. */
function removerOf(schema: z.ZodType): RemoveNulls | undefined {
  if (!removers.has(schema)) removers.set(schema, makeRemover(schema))
  return removers.get(schema)
}

function makeRemover(schema: z.ZodType): RemoveNulls | undefined {
  if (schema instanceof z.ZodOptional) return removerOf(schema.unwrap() as z.ZodType) // its type allows zod's core schemas
  if (schema instanceof z.ZodObject) return removerOfObject(schema)
  if (schema instanceof z.ZodArray || schema instanceof z.ZodRecord) {
    const inner = removerOf((schema instanceof z.ZodArray ? schema.element : schema.valueType) as z.ZodType)
    return inner && (value => isObject(value) && Object.values(value).forEach(inner))
  }
  return undefined
}

function removerOfObject({ shape }: z.ZodObject): RemoveNulls | undefined {
  const fields = Object.entries(shape).map(([key, field]) => ({
    key,
    isOptional: field._zod.optin === 'optional',
    remove: removerOf(field as z.ZodType),
  }))
  const affected = fields.filter(({ isOptional, remove }) => isOptional || remove)
  if (affected.length === 0) return undefined
  return value => {
    if (!isObject(value)) return
    for (const { key, isOptional, remove } of affected) {
      if (!Object.hasOwn(value, key)) continue
      if (value[key] !== null) remove?.(value[key])
      else if (isOptional) delete value[key]
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
