import { scenarioFile, shippedScenario } from '../node/scenario.js'
import type { ScenarioInput } from '../scenario/schema.js'

/** A scenario by the name of a shipped one, or from a file. Rejects with `UsageError`. */
export async function load(nameOrPath: string): Promise<ScenarioInput> {
  // The YAML library is loaded here, so that serving a shipped scenario does without it.
  return shippedScenario(nameOrPath) ?? scenarioFile(nameOrPath, await import('yaml'))
}
