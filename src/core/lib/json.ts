import type * as z from 'zod'

// JSON whose integers keep their digits (PROTOCOL.md B9). A number of JavaScript holds 53 bits. Any other integer is kept beside
// its number, in a hidden property of the object or the list around it. So code sees numbers as always. An integer with nothing
// around it is a bigint.

const hidden = Symbol('integers')

/** An object or a list with such integers, by their keys. `undefined`: code has put a value there. */
interface Holder {
  readonly [hidden]?: Map<string, bigint | undefined>
}

/** False until there is such an integer. Most processes never see one, and need not look. */
let isUsed = false

function keep(holder: object, key: string, integer: bigint | undefined): void {
  const known = (holder as Holder)[hidden]
  if (known) known.set(key, integer)
  else Object.defineProperty(holder, hidden, { value: new Map([[key, integer]]) })
  isUsed = true
}

/** Returns the value at a key. It is a bigint if it is an integer that a number cannot hold. */
export function exactValue(holder: object, key: string): unknown {
  const value: unknown = holder[key as never] // a key of any object. Reflect.get is slower
  const integer = isUsed ? (holder as Holder)[hidden]?.get(key) : undefined
  // Code may have put another value there.
  return integer !== undefined && Number(integer) === value ? integer : value
}

/** Sets a key of an object, also `__proto__`. A bigint becomes a number that keeps its digits. */
export function setKey(object: object, key: string, value: unknown): void {
  const number = typeof value === 'bigint' ? Number(value) : value
  Object.defineProperty(object, key, { value: number, configurable: true, enumerable: true, writable: true })
  const integer = typeof value === 'bigint' && isLost(String(value)) ? value : undefined
  if (integer !== undefined || isUsed) keep(object, key, integer)
}

/** Keeps the digits of an object for one that has equal values at the same keys. Not those in nested values. Returns that one. */
export function keepDigits<T extends object>(target: T, source: object): T {
  const known = isUsed ? (source as Holder)[hidden] : undefined
  if (!known) return target
  for (const key of known.keys()) {
    const exact = exactValue(source, key)
    if (Object.hasOwn(target, key) && Reflect.get(target, key) === Reflect.get(source, key))
      keep(target, key, typeof exact === 'bigint' ? exact : undefined)
  }
  return target
}

/** Keeps the digits of a value for a copy of it, in nested values too. Returns the copy. */
export function keepAllDigits<T>(copy: T, value: unknown): T {
  if (!isUsed || copy === value || typeof copy !== 'object' || typeof value !== 'object' || !copy || !value) return copy
  keepDigits(copy, value)
  for (const key of Object.keys(value))
    if (Object.hasOwn(copy, key)) keepAllDigits(Reflect.get(copy, key), Reflect.get(value, key))
  return copy
}

/** Keeps the digits of a row for the one that replaces it, and returns that one. Rows are copied without those of their columns. */
export function keepRowDigits<Row extends object>(row: Row, before: Row | undefined): Row {
  if (!isUsed || !before || !(before as Holder)[hidden]) return row
  return Object.freeze(keepDigits(keepDigits({ ...row }, before), row))
}

/** Lets a later assignment to an integer of an object clear its digits, also that of the same number. Returns the object. */
export function clearOnWrite<T extends object>(object: T): T {
  for (const key of (isUsed && (object as Holder)[hidden]?.keys()) || []) {
    if (typeof exactValue(object, key) !== 'bigint') continue
    const value: unknown = Reflect.get(object, key)
    const set = (next: unknown) => setKey(object, key, next)
    Object.defineProperty(object, key, { get: () => value, set, configurable: true, enumerable: true })
  }
  return object
}

/** Tells whether a text is an integer that a number cannot hold. */
function isLost(text: string): boolean {
  return /^-?\d{16,}$/.test(text) && String(Number(text)) !== text
}

/** Tells whether a text has 16 digits in a row. Such a run covers a 16th place. A regular expression takes four times as long. */
function hasLongInteger(text: string): boolean {
  for (let i = 15; i < text.length; i += 16) {
    let [from, to] = [i, i]
    while (isDigit(text.charCodeAt(from))) from -= 1
    while (isDigit(text.charCodeAt(to))) to += 1
    if (to - from > 16) return true
  }
  return false
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** A text, which is a key if a colon follows, or a number. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d[\d.eE+-]*/g

/** Parses JSON, and keeps the digits of its integers: the text of a large one becomes a bigint. Throws `SyntaxError`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!hasLongInteger(text)) return value
  if (typeof value === 'number') return isLost(text.trim()) ? BigInt(text) : value
  let isExact = true
  // Each text gets an s before it, and each integer that needs its digits becomes a text with an n.
  const marked = text.replace(tokens, (token, colon?: string) => {
    if (colon !== undefined) return token
    if (token.startsWith('"')) return `"s${token.slice(1)}`
    if (!isLost(token)) return token
    isExact = false
    return `"n${token}"`
  })
  if (isExact) return value
  return JSON.parse(marked, function (this: object, key: string, inner: unknown) {
    if (typeof inner !== 'string') return inner
    const rest = inner.slice(1)
    if (inner.startsWith('s')) return rest
    keep(this, key, BigInt(rest))
    return Number(rest)
  })
}

/** The options of `writeJson`: `space` as for `JSON.stringify`. `textOf` replaces texts, but not keys. */
interface WriteOptions {
  readonly space?: number
  readonly textOf?: (text: string) => string
}

/** Writes a value as `JSON.stringify` does, with the digits of its integers. It may be a bigint, but contain none. */
export function writeJson(value: unknown, { space, textOf }: WriteOptions = {}): string {
  if (typeof value === 'bigint') return String(value)
  const replaced = textOf && ((_: string, inner: unknown) => (typeof inner === 'string' ? textOf(inner) : inner))
  const text = JSON.stringify(value, replaced, space)
  // A number from 10^21 on has an exponent.
  if (!isUsed || !/\d{16}|\de\+/.test(text)) return text
  const marked = JSON.stringify(
    value,
    function (this: object, key: string, inner: unknown) {
      if (typeof inner === 'string') return `s${textOf ? textOf(inner) : inner}`
      const exact = exactValue(this, key)
      return typeof exact === 'bigint' ? `n${exact}` : inner
    },
    space,
  )
  return marked.replace(tokens, (token, colon?: string) => {
    if (colon !== undefined || !token.startsWith('"')) return token
    return token.startsWith('"n') ? token.slice(2, -1) : `"${token.slice(2)}`
  })
}

/** Copies a JSON value, with a bigint for each integer that a number cannot hold. */
export function withBigInts(value: unknown): unknown {
  if (!isUsed || typeof value !== 'object' || value === null) return value
  const fields = Object.keys(value).map(key => [key, withBigInts(exactValue(value, key))] as const)
  return Array.isArray(value) ? fields.map(([, inner]) => inner) : Object.fromEntries(fields)
}

/** Replaces each bigint in a value by its number, and keeps its digits. Returns the value. */
export function withoutBigInts(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  for (const key of Object.keys(value)) {
    const inner: unknown = Reflect.get(value, key)
    if (typeof inner === 'bigint') setKey(value, key, inner)
    else withoutBigInts(inner)
  }
  return value
}

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

/** Finds the first limit that a JSON text exceeds, without parsing it: a text of a million brackets costs little. */
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

/** Deletes each optional key that is null, in nested values too: it means absent (PROTOCOL.md B9). */
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
