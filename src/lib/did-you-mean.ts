import { distance } from 'fastest-levenshtein'
import { shortened } from './quote.js'

/** Longer words get no suggestion. In characters. */
const longestWord = 256

/** Compares no more choices than this: a suggestion must cost less than the call. */
const mostCompared = 10_000

/** Shorter words are part of too many choices. In characters. */
const shortestPart = 3

/**
 * Finds the choice that a mistyped word most likely meant: at most a third of the letters differ, ignoring case.
 * If there is none, it returns the only choice that has the word as a part: `lnd-fra` for `fra`.
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
    // Words differ at least as much as their lengths.
    if (Math.abs(word.length - choice.length) > allowed) continue
    const letters = distance(lower, choice.toLowerCase())
    if (letters > allowed) continue
    found = choice
    least = letters
  }
  return found ?? (withPart.length === 1 ? withPart[0] : undefined)
}

function hasPart(choice: string, lower: string): boolean {
  if (lower.length < shortestPart || choice.length > longestWord) return false
  return choice
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .includes(lower)
}

/** The most choices that a message lists. */
const mostListed = 20

/** Longer choices are cut in a list. In characters. */
const longestListed = 60

/**
 * Ends a message about an unknown word: ` Known: a, b.`, and ` Did you mean a?` if one is near.
 * It is at most about 1,500 characters long.
 */
export function didYouMean(word: string, choices: readonly string[]): string {
  if (choices.length === 0) return ' There are none.'
  const listed = choices.slice(0, mostListed).map(choice => shortened(choice, longestListed))
  const more = choices.length > mostListed ? ` and ${choices.length - mostListed} more` : ''
  const near = nearest(word, choices)
  const question = near === undefined ? '' : ` Did you mean ${shortened(near, longestWord)}?`
  return ` Known: ${listed.join(', ')}${more}.${question}`
}

/** JSON Schema of a text for which editors suggest these values. Any other text is valid too. */
export function suggestedValues(values: readonly string[]) {
  return { anyOf: [{ enum: [...values] }, { type: 'string' }] }
}
