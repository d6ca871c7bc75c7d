/** The longest value in a message, in characters. */
const longestQuote = 80

/** A value in a message: as JSON, and at most 80 characters long. The cost does not depend on the size of the value. */
export function quoted(value: unknown): string {
  return shortened(printed(value))
}

/** A text in a message: no longer than `longest` characters, with `…` where it was cut. */
export function shortened(text: string, longest = longestQuote): string {
  // Not in the middle of a character: strict readers of JSON accept no half of one.
  return text.length > longest ? `${text.slice(0, longest - 3).replace(/[\ud800-\udbff]$/, '')}…` : text
}

/** Not everything has a JSON: cycles and bigints do not. */
function printed(value: unknown): string {
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
    return typeof value === 'bigint' ? `${shortened(String(value))}n` : `that ${typeof value}`
  }
}

/** As much of a list or an object as a message can show. A small one is returned itself, so that cycles are still found. */
function excerpt(value: object): object {
  if (Array.isArray(value)) return value.length > longestQuote ? value.slice(0, longestQuote) : value
  const keys = Object.keys(value)
  if (keys.length <= longestQuote && keys.every(key => key.length <= longestQuote)) return value
  // An own key of an object may be used on it.
  return Object.fromEntries(
    keys.slice(0, longestQuote).map(key => [key.slice(0, longestQuote), value[key as never] as unknown]),
  )
}

/** Characters that a terminal obeys instead of showing them: C0 and C1 controls, bidi controls, line separators, the byte order mark. */
const obeyed = /[\p{Cc}\p{Bidi_Control}\u2028\u2029\ufeff]/gu

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': ' ' }

/**
 * One line that no terminal obeys: control characters become `\u001b` and the like, as in JSON, so that a line of JSON
 * keeps its meaning. A tab becomes a space, so that what stands below it stays in its column.
 */
export function escapedLine(text: string): string {
  return text.replaceAll(
    obeyed,
    character => shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
