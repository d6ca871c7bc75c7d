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
