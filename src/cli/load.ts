import type { ScenarioInput } from '../scenario/schema.js'
import { explained } from './system-error.js'

/** A scenario by the name of a shipped one, or from a file. Rejects with `UsageError`, also where the file cannot be read. */
export async function load(nameOrPath: string): Promise<ScenarioInput> {
  // Loaded here, so that serving the default scenario never loads the YAML library.
  const { loadScenario } = await import('../node/load-scenario.js')
  try {
    return loadScenario(nameOrPath)
  } catch (error) {
    throw explained(error, `${nameOrPath} cannot be read`)
  }
}
