/** The longest value in a message, in characters. */
const longestQuote = 80

/** Quotes a value in a message, as JSON of at most 80 characters. The cost does not grow with the value. */
export function quoted(value: unknown): string {
  return shortened(print(value))
}

/** Cuts a text to `longest` characters, with `…` where it was cut. */
export function shortened(text: string, longest = longestQuote): string {
  // Strict JSON readers refuse half of a surrogate pair.
  return text.length > longest ? `${text.slice(0, longest - 3).replace(/[\ud800-\udbff]$/, '')}…` : text
}

function print(value: unknown): string {
  // JSON has no NaN.
  if (typeof value === 'number') return String(value)
  let containers = 0
  try {
    const text = JSON.stringify(value, (_, inner: unknown) => {
      if (typeof inner === 'string') return inner.slice(0, longestQuote)
      if (typeof inner !== 'object' || inner === null) return inner
      containers += 1
      return containers > longestQuote ? undefined : excerpt(inner)
    })
    return text ?? shortened(String(value))
  } catch {
    // JSON has no cycles and no bigints.
    return typeof value === 'bigint' ? `${shortened(String(value))}n` : 'an object'
  }
}

/** Cuts a list or an object to what a message can show. Returns a small one itself, so that cycles are still found. */
function excerpt(value: object): object {
  if (Array.isArray(value)) return value.length > longestQuote ? value.slice(0, longestQuote) : value
  const keys = Object.keys(value)
  if (keys.length <= longestQuote && keys.every(key => key.length <= longestQuote)) return value
  const entries = keys.slice(0, longestQuote).map(key => [key.slice(0, longestQuote), value[key as never]]) // an own key
  return Object.fromEntries(entries)
}

/** Characters that a terminal acts on: C0 and C1 controls, bidi controls, line separators, the byte order mark. */
const controls = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/gu

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': ' ' }

/**
 * Makes one line that is safe to print on a terminal. Escapes control characters as JSON does, so that a line of JSON
 * keeps its meaning. A tab becomes a space, so that columns keep their place.
 */
export function escapedLine(text: string): string {
  return text.replaceAll(
    controls,
    character => shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
