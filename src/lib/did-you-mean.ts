import { distance } from 'fastest-levenshtein'
import { shortened } from './quote.js'

/** Longer words, in characters, get no suggestion. */
const longestWord = 256

/** How many choices are compared with a word, so that a suggestion costs less than the call. */
const mostCompared = 10_000

/** A shorter word is a part of too many choices. */
const shortestPart = 3

/**
 * The choice that a mistyped word most likely meant: at most a third of its letters differ, case aside.
 * Else the only choice that has the word as a part: `lnd-fra` for `fra`. Looks at the first 10,000 choices.
 */
export function nearest(word: string, choices: Iterable<string>): string | undefined {
  if (word === '' || word.length > longestWord) return undefined
  const lower = word.toLowerCase()
  let found: string | undefined
  let least = Number.POSITIVE_INFINITY
  const havingIt: string[] = []
  let compared = 0
  for (const choice of choices) {
    compared += 1
    if (compared > mostCompared) break
    if (hasPart(choice, lower)) havingIt.push(choice)
    const allowed = Math.min(Math.floor(Math.max(word.length, choice.length) / 3), least - 1)
    // Where the lengths differ by more, so do the words.
    if (Math.abs(word.length - choice.length) > allowed) continue
    const letters = distance(lower, choice.toLowerCase())
    if (letters > allowed) continue
    found = choice
    least = letters
  }
  return found ?? (havingIt.length === 1 ? havingIt[0] : undefined)
}

/** Whether a word in lower case stands in a choice between hyphens, dots and the like. */
function hasPart(choice: string, lower: string): boolean {
  if (lower.length < shortestPart || choice.length > longestWord) return false
  return choice
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .includes(lower)
}

/** The end of a message about an unknown word: ` Known: a, b.` and, where one is near, ` Did you mean a?` At most some 1,500 characters. */
export function didYouMean(word: string, choices: readonly string[]): string {
  const known = choices.length === 0 ? ' There are none.' : ` Known: ${listed(choices)}.`
  const near = nearest(word, choices)
  return near === undefined ? known : `${known} Did you mean ${shortened(near, longestWord)}?`
}

const shown = 20

/** The longest choice in a list, in characters. */
const longestListed = 60

function listed(choices: readonly string[]): string {
  const texts = choices.slice(0, shown).map(choice => shortened(choice, longestListed))
  if (choices.length <= shown) return texts.join(', ')
  return `${texts.join(', ')} and ${choices.length - shown} more`
}

/** For the JSON Schema of a text: editors suggest these values, and any other text is right too. */
export function suggestedValues(values: readonly string[]) {
  return { anyOf: [{ enum: [...values] }, { type: 'string' }] }
}
