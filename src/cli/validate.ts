import { UsageError } from '../contract/usage-error.js'
import type { Console } from './console.js'
import { load } from './load.js'

/** Looks at all of the scenarios, prints of each whether it is right and what is wrong with it, and answers whether all are right. */
export async function validate(files: readonly string[], { print, warn }: Console): Promise<boolean> {
  let right = true
  for (const file of files) {
    try {
      await load(file)
      print(`${file}: ok`)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      warn(error.message)
      right = false
    }
  }
  return right
}
