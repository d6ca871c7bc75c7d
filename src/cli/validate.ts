import { loadScenario } from '../files/scenario-file.js'
import { UsageError } from '../lib/usage-error.js'
import type { Console } from './output.js'

/** Checks scenarios, and prints the problems of each. Resolves with `true` if all are valid. */
export async function validateScenarios(namesOrPaths: readonly string[], console: Console): Promise<boolean> {
  let isValid = true
  for (const nameOrPath of namesOrPaths) {
    try {
      await loadScenario(nameOrPath, { commands: 'allowed' })
      console.print(`${nameOrPath}: ok`)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      console.fail(error.message)
      isValid = false
    }
  }
  return isValid
}
