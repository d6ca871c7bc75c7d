import { distance } from 'fastest-levenshtein'

/** The longest value in a message, in characters. */
const longestQuote = 80

/** Quotes a value in a message, as JSON of at most 80 characters. A large value costs no more time. */
export function quoted(value: unknown): string {
  return shortened(print(value))
}

/** Cuts a text to `longest` characters, and ends a shortened one with `…`. */
export function shortened(text: string, longest = longestQuote): string {
  // Strict JSON readers refuse half of a surrogate pair.
  return text.length > longest ? `${text.slice(0, longest - 3).replace(/[\ud800-\udbff]$/, '')}…` : text
}

/** Tells whether a value is a `Date`. It may come from another realm. */
export function isDate(value: unknown): value is Date {
  return Object.prototype.toString.call(value) === '[object Date]'
}

function print(value: unknown): string {
  // Its JSON looks like the text that is expected.
  if (isDate(value)) return 'a Date'
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
    const kind = Object.prototype.toString.call(value).slice('[object '.length, -1)
    if (text === '{}' && kind !== 'Object') return `a ${kind}`
    return text ?? shortened(String(value))
  } catch {
    // JSON has no cycles and no bigints.
    return typeof value === 'bigint' ? `${shortened(String(value))}n` : 'an object'
  }
}

/** Cuts a long list or object. Returns a short one itself, so that `JSON.stringify` still finds cycles. */
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

/** The longest word that gets a suggestion, in characters. */
const longestWord = 256

/** The most choices to compare. A suggestion must cost less than the call. */
const mostCompared = 2_000

/** The shortest word that is searched as a part of choices, in characters. */
const shortestPart = 3

/**
 * Finds the choice that a mistyped word most likely meant: at most a third of the letters differ, ignoring case. Two neighbours that
 * are swapped are one different letter.
 * If there is none, it returns the only choice that has the word as a part: `lnd-fra` for `fra`, `A_LOBBY_FULL` for
 * `LOBBY_FULL`.
 */
export function nearest(word: string, choices: Iterable<string>): string | undefined {
  if (word === '' || word.length > longestWord) return undefined
  const lower = word.toLowerCase()
  let found: string | undefined
  let least = Number.POSITIVE_INFINITY
  const withPart: string[] = []
  let compared = 0
  for (const choice of choices) {
    compared += 1
    if (compared > mostCompared) break
    if (hasPart(choice, lower)) withPart.push(choice)
    const allowed = Math.min(Math.floor(Math.max(word.length, choice.length) / 3), least - 1)
    // The distance is at least the difference of the lengths.
    if (Math.abs(word.length - choice.length) > allowed) continue
    const letters = lettersBetween(lower, choice.toLowerCase())
    if (letters > allowed) continue
    found = choice
    least = letters
  }
  return found ?? (withPart.length === 1 ? withPart[0] : undefined)
}

/** Counts the letters that differ. */
function lettersBetween(one: string, other: string): number {
  let i = 0
  while (i < one.length && one[i] === other[i]) i++
  const isSwap = one.length === other.length && one[i] === other[i + 1] && one[i + 1] === other[i]
  return i + 1 < one.length && isSwap && one.slice(i + 2) === other.slice(i + 2) ? 1 : distance(one, other)
}

function hasPart(choice: string, lower: string): boolean {
  if (lower.length < shortestPart || choice.length > longestWord) return false
  return words(choice).includes(words(lower))
}

/** Writes the words of a text in lower case, each between spaces. */
function words(text: string): string {
  return ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `
}

/** The most choices that a message lists. */
const mostListed = 20

/** The longest choice in a list, in characters. */
const longestListed = 60

/**
 * Ends a message about an unknown word: ` Known: a, b.`, and ` Did you mean a?` if one is near.
 * It is at most about 1,500 characters long.
 */
export function didYouMean(word: string, known: readonly string[]): string {
  const choices = [...new Set(known)]
  if (choices.length === 0) return ' There are none.'
  const listed = choices.slice(0, mostListed).map(choice => shortened(choice, longestListed))
  const more = choices.length > mostListed ? ` and ${choices.length - mostListed} more` : ''
  const near = nearest(word, choices)
  const question = near === undefined ? '' : ` Did you mean ${shortened(near, longestWord)}?`
  return ` Known: ${listed.join(', ')}${more}.${question}`
}

/** Writes a number with separators: `4,544`. */
export function grouped(number: number): string {
  // `toLocaleString` would load tables for 30 ms at the start.
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Writes a number with its noun: `1 lobby`, `12,000 lobbies`. */
export function counted(count: number, one: string, many: string): string {
  return `${grouped(count)} ${count === 1 ? one : many}`
}

/** Writes a number of bytes: `999 bytes`, `2.1 MB`. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const amount = bytes / 1_000 ** power
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`
}

/** Quotes a word for a POSIX shell, if necessary. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** Returns the JSON Schema of a text for which editors suggest these values. Other texts are valid too. */
export function suggestedValues(values: readonly string[]) {
  return { anyOf: [{ enum: [...values] }, { type: 'string' }] }
}

/** Matches a text against a pattern. Each `*` stands for any text, or none. No other character is special. */
export function matchesGlob(text: string, glob: string): boolean {
  const [first = '', ...others] = glob.split('*')
  const last = others.pop()
  if (last === undefined) return text === glob
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
