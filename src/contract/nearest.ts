import { closest, distance } from 'fastest-levenshtein'

/** The choice that a mistyped word most likely meant: at most a third of its letters differ, case aside. */
export function nearest(word: string, choices: readonly string[]): string | undefined {
  if (choices.length === 0 || word === '') return undefined
  const lower = choices.map(choice => choice.toLowerCase())
  const found = closest(word.toLowerCase(), lower)
  const allowed = Math.floor(Math.max(word.length, found.length) / 3)
  return distance(word.toLowerCase(), found) <= allowed ? choices[lower.indexOf(found)] : undefined
}

/** The end of a message about an unknown word: ` Known: a, b.` and, where one is near, ` Did you mean a?` */
export function knownChoices(word: string, choices: readonly string[]): string {
  const known = choices.length === 0 ? ' There are none.' : ` Known: ${listed(choices)}.`
  const near = nearest(word, choices)
  return near === undefined ? known : `${known} Did you mean ${near}?`
}

const shown = 20

function listed(choices: readonly string[]): string {
  if (choices.length <= shown) return choices.join(', ')
  return `${choices.slice(0, shown).join(', ')} and ${choices.length - shown} more`
}
