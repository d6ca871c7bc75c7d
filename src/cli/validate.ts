import { UsageError } from '../lib/usage-error.js'
import type { Console } from './console.js'
import { load } from './load.js'

/** Checks scenarios, prints what is wrong with each, and returns whether all are right. */
export async function validate(
  files: readonly string[],
  { print, fail }: Pick<Console, 'print' | 'fail'>,
): Promise<boolean> {
  let right = true
  for (const file of files) {
    try {
      await load(file)
      print(`${file}: ok`)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      fail(error.message)
      right = false
    }
  }
  return right
}
