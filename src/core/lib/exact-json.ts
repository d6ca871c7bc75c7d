// JSON whose integers keep their digits (PROTOCOL.md B9). A number of JavaScript holds 53 bits. The digits of any other integer
// are kept beside it, in a hidden property of the object or the list around it. So code sees numbers as always.

const hidden = Symbol('digits')

/** An object or a list with the digits of integers in it, by their keys. `undefined`: code has put a value there. */
interface Holder {
  readonly [hidden]?: Map<string, string | undefined>
}

/** False until a text has such an integer. Most processes never see one, and need not look. */
let isUsed = false

/** A bare integer as an answer: no object is around it. */
export class ExactInteger extends Number {
  constructor(readonly digits: string) {
    super(digits)
  }
}

function isSurviving(digits: string): boolean {
  return String(Number(digits)) === digits
}

function setDigits(holder: object, key: string, digits: string | undefined): void {
  const known = (holder as Holder)[hidden]
  if (known) known.set(key, digits)
  else Object.defineProperty(holder, hidden, { value: new Map([[key, digits]]) })
  isUsed = true
}

/** Returns the digits of an integer that a number cannot hold. `undefined` for any other value. */
export function digitsOf(holder: object, key: string): string | undefined {
  const digits = isUsed ? (holder as Holder)[hidden]?.get(key) : undefined
  // Code may have put another value there.
  return digits !== undefined && Number(digits) === Reflect.get(holder, key) ? digits : undefined
}

/** Tells whether two objects have the same digits at a key, where their values are equal. */
export function hasSameDigits(one: object, other: object, key: string): boolean {
  return !isUsed || digitsOf(one, key) === digitsOf(other, key)
}

/** Keeps the digits of an object for one that has equal values at the same keys. Not those in nested values. Returns that one. */
export function keepDigits<T extends object>(target: T, source: object): T {
  const known = isUsed ? (source as Holder)[hidden] : undefined
  if (!known) return target
  for (const key of known.keys())
    if (Object.hasOwn(target, key) && Reflect.get(target, key) === Reflect.get(source, key))
      setDigits(target, key, digitsOf(source, key))
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

/** Gives the value at a key the digits that another object has at a key, or none. */
export function replaceDigits(target: object, key: string, source: object, sourceKey = key): void {
  if (isUsed) setDigits(target, key, digitsOf(source, sourceKey))
}

/** Keeps the digits of a row for the one that replaces it, and returns that one. Rows are copied without those of their columns. */
export function keepRowDigits<Row extends object>(row: Row, before: Row | undefined): Row {
  if (!isUsed || !before || !(before as Holder)[hidden]) return row
  return Object.freeze(keepDigits(keepDigits({ ...row }, before), row))
}

/** A text, which is a key if a colon follows, or a number. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d[\d.eE+-]*/g

/** Parses a JSON text as `JSON.parse` does, and keeps the digits of its integers. Throws `SyntaxError`. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!/\d{16}/.test(text)) return value
  let isExact = true
  // Each text gets an s before it, and each integer that needs its digits becomes a text with an n.
  const marked = text.replace(tokens, (token, colon?: string) => {
    if (colon !== undefined) return token
    if (token.startsWith('"')) return `"s${token.slice(1)}`
    if (!/^-?\d{16,}$/.test(token) || isSurviving(token)) return token
    isExact = false
    return `"n${token}"`
  })
  if (isExact) return value
  return JSON.parse(marked, function (this: object, key: string, inner: unknown) {
    if (typeof inner !== 'string') return inner
    const rest = inner.slice(1)
    if (inner.startsWith('s')) return rest
    setDigits(this, key, rest)
    return Number(rest)
  })
}

/** Parses a JSON text as the value of a key. Only the object around it can keep the digits of a text that is an integer. */
export function parseJsonAs<Key extends string>(key: Key, text: string): { [Name in Key]: unknown } {
  const parsed = { [key]: parseJson(text) } as { [Name in Key]: unknown } // the only key
  const digits = text.trim()
  if (/^-?\d{16,}$/.test(digits) && !isSurviving(digits)) setDigits(parsed, key, digits)
  return parsed
}

/** How `writeJson` writes: `space` as for `JSON.stringify`. `textOf` replaces texts, but not keys. */
interface WriteOptions {
  readonly space?: number
  readonly textOf?: (text: string) => string
}

/** Writes a value as `JSON.stringify` does, with the digits of its integers. */
export function writeJson(value: unknown, { space, textOf }: WriteOptions = {}): string {
  const replaced = textOf && ((_: string, inner: unknown) => (typeof inner === 'string' ? textOf(inner) : inner))
  const text = JSON.stringify(value, replaced, space)
  // A number from 10^21 on has an exponent.
  if (!isUsed || !/\d{16}|\de\+/.test(text)) return text
  const marked = JSON.stringify(
    value,
    function (this: object, key: string, inner: unknown) {
      if (typeof inner === 'string') return `s${textOf ? textOf(inner) : inner}`
      const digits = inner instanceof ExactInteger ? inner.digits : digitsOf(this, key)
      return digits === undefined ? inner : `n${digits}`
    },
    space,
  )
  return marked.replace(tokens, (token, colon?: string) => {
    if (colon !== undefined || !token.startsWith('"')) return token
    return token.startsWith('"n') ? token.slice(2, -1) : `"${token.slice(2)}`
  })
}

/** Writes the value at a key as `writeJson` does. */
export function writeJsonAt(holder: object, key: string, options?: WriteOptions): string {
  return digitsOf(holder, key) ?? writeJson(Reflect.get(holder, key), options)
}

/** Returns the value at a key, as a bigint if a number cannot hold it. */
export function exactValue(holder: object, key: string): unknown {
  const digits = digitsOf(holder, key)
  return digits === undefined ? Reflect.get(holder, key) : BigInt(digits)
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
    if (typeof inner === 'bigint') {
      Object.defineProperty(value, key, { value: Number(inner) })
      if (!isSurviving(String(inner))) setDigits(value, key, String(inner))
    } else withoutBigInts(inner)
  }
  return value
}
