import type { ScenarioInput } from '../scenario/schema.js'

/** A scenario by the name of a shipped one, or from a file. Rejects with `UsageError`. */
export async function load(nameOrPath: string): Promise<ScenarioInput> {
  // Loaded here, so that serving the default scenario never loads the YAML library.
  const [{ loadScenario }, yaml] = await Promise.all([import('../node/load-scenario.js'), import('yaml')])
  return loadScenario(nameOrPath, { yaml: () => yaml })
}
