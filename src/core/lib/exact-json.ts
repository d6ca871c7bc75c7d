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

/**
 * Sets a key of an object. An assignment to the key `__proto__` would set the prototype instead. A bigint becomes a number that
 * keeps its digits.
 */
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

/** A text, which is a key if a colon follows, or a number. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?|-?\d[\d.eE+-]*/g

/**
 * Parses a JSON text as `JSON.parse` does, and keeps the digits of its integers. Returns a bigint if the text is one that a number
 * cannot hold. Throws `SyntaxError`.
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!/\d{16}/.test(text)) return value
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

/** How `writeJson` writes: `space` as for `JSON.stringify`. `textOf` replaces texts, but not keys. */
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
