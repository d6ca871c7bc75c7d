import { distance } from 'fastest-levenshtein'
import { beginAtCaller } from './caller-stack.js'

/** The scenario file that `init` writes, and that messages name. Editors can find a schema by such an ending. */
export const scenarioFile = 'scenario.mockmaker.yaml'

const longestQuote = 80 // characters

/** Ends a message whose causes docs/something-is-wrong.md explains. */
export const startPage = 'More in the package: docs/something-is-wrong.md'

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

/** Makes one line that is safe to print on a terminal: escapes control characters as JSON does. A tab becomes a space. */
export function escapedLine(text: string): string {
  return text.replaceAll(
    controls,
    character => shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const longestWord = 256 // characters

/** The most choices to compare. A suggestion must cost less than the call. */
const mostCompared = 2_000

const shortestPart = 3 // characters

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

function words(text: string): string {
  return ` ${text.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, ' ')} `
}

const mostListed = 20

const longestListed = 60 // characters

/** Ends a message about an unknown word: ` Known: a, b.`, and ` Did you mean a?` if one is near. */
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

/** Says how many of the players with a seat play, and how many are on the way: `5 players + 2 on the way`. */
export function playersText({
  players,
  reserved = 0,
}: {
  readonly players: number
  readonly reserved?: number | undefined
}): string {
  return `${counted(players - reserved, 'player', 'players')}${reserved > 0 ? ` + ${grouped(reserved)} on the way` : ''}`
}

/** Writes a number of bytes: `999 bytes`, `2.1 MB`. */
export function sizeText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB']
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1)
  const amount = bytes / 1_000 ** power
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power]}`
}

/** Counts the columns that a text takes on a terminal: two for each character of East Asia, and for emoji. */
export function widthOf(text: string): number {
  const wide =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uff01-\uff60]/u
  let width = 0
  for (const character of text) width += /\p{M}/u.test(character) ? 0 : wide.test(character) ? 2 : 1
  return width
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

/**
 * A mistake of our user: in a scenario, in an option, or in a write that does not fit its model.
 * The message says what is wrong, where, and what to do. The stack begins at the caller of this package. A request that the
 * service refuses is an `ApiError` instead.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError'

  constructor(message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    beginAtCaller(this)
  }
}

/** Runs a function for a caller who knows other names than it: `reword` changes the message of each `UsageError`. */
export function reworded<Value>(run: () => Value, reword: (message: string) => string): Value {
  try {
    return run()
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(reword(error.message)) : error
  }
}

/** The most problems that are looked for in an input. There are at least so many then. */
export const mostProblems = 1_000

/** Describes the first problems, and counts the rest. Calls `lineOf` only for listed problems. */
export function listedProblems<Problem>(
  problems: readonly Problem[],
  lineOf: (problem: Problem) => string = String,
  most = mostListed,
): string[] {
  const lines = problems.slice(0, most).map(one => lineOf(one))
  const more = Math.min(problems.length, mostProblems) - most
  if (more <= 0) return lines
  return [...lines, `… and ${problems.length < mostProblems ? '' : 'at least '}${more} more`]
}

/** Joins problems to one message with a line for each, as `listedProblems` gives them. */
export function problemLines<Problem>(
  problems: readonly Problem[],
  lineOf?: (problem: Problem) => string,
  most?: number,
): string {
  return listedProblems(problems, lineOf, most).join('\n')
}

/** Throws `UsageError` if a value is no function. `name` begins the message: `mock.log.subscribe: the listener`. */
export function checkFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') throw new UsageError(`${name} is ${quoted(value)}: expected a function`)
}

/** Throws `UsageError` for an unknown option, or if there is no object of options. Needs no schema. `call` begins the message. */
export function checkKeys(options: object, known: readonly string[], call?: string): void {
  const start = call === undefined ? '' : `${call}: `
  if (typeof options !== 'object' || options === null)
    throw new UsageError(`${start}the options are ${quoted(options)}: expected an object such as { ${known[0]} }`)
  const unknown = Object.keys(options).find(key => !known.includes(key))
  if (unknown !== undefined)
    throw new UsageError(`${start}options.${unknown} is an unknown key.${didYouMean(unknown, known)}`)
}

/** Common system errors by code, worded as the end of a sentence. */
const reasons: Readonly<Record<string, string>> = {
  E2BIG: 'the command and its environment are too long for this system',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EEXIST: 'it already exists',
  EIO: 'the disk or the terminal reports an error',
  EISDIR: 'it is a folder',
  ELOOP: 'its symbolic links form a circle',
  EMFILE: 'too many files are open',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'it does not exist',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'part of the path is not a folder',
  EROFS: 'the file system is read-only',
  ERR_FS_FILE_TOO_LARGE: 'it is larger than 2 GiB',
  ERR_STRING_TOO_LONG: 'it is larger than 512 MiB',
}

/** Describes a system error as the end of a sentence, without its code. */
export function systemReason({ code = '', message }: Error & { readonly code?: string | undefined }): string {
  // Other errors look like this: `EFOO: some words, open '/a/path'`.
  return reasons[code] ?? message.replace(/^(?:\w+ )?E[A-Z0-9]+:? /, '').replace(/, \w+ '.*'$/, '')
}

/** Tells the error of a call of `node:fs` from others. */
export function isSystemError(error: unknown): error is Error & { readonly code?: string } {
  if (!(error instanceof Error)) return false
  // Node.js itself refuses to read such files.
  const { code } = error as { readonly code?: unknown }
  return 'syscall' in error || code === 'ERR_FS_FILE_TOO_LARGE' || code === 'ERR_STRING_TOO_LONG'
}

/** Turns a system error into a `UsageError` that begins with `what`. Returns any other error as it is. */
export function asUsageError(error: unknown, what: string): unknown {
  return isSystemError(error) ? new UsageError(`${what}: ${systemReason(error)}`, { cause: error }) : error
}

/** Turns a system error into a `UsageError` about a file that could not be written. Returns any other error as it is. */
export function asWriteError(error: unknown, file: string): unknown {
  const what = `cannot write ${file}`
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
  return isMissing ? new UsageError(`${what}: its folder does not exist`, { cause: error }) : asUsageError(error, what)
}
