import { didYouMean } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'

/** Throws `UsageError` if the options have a key that is not known. */
export function checkKeys(options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find(key => !known.includes(key))
  if (unknown !== undefined) throw new UsageError(`options.${unknown} is an unknown key.${didYouMean(unknown, known)}`)
}
