import { basename } from 'node:path'
import { scenarioText, shippedScenario } from '../node/scenario.js'
import type { ScenarioInput } from '../scenario/schema.js'
import { parseYaml } from '../scenario/yaml.js'

/** A scenario that has been loaded, and what it is called. */
export interface Loaded {
  readonly name: string
  readonly scenario: ScenarioInput
  /** Absent for a shipped one. */
  readonly file?: ScenarioFile
}

/** A scenario file as it was read. */
export interface ScenarioFile {
  readonly path: string
  readonly text: string
}

/** A scenario by the name of a shipped one, or from a file. Rejects with `UsageError`. */
export async function load(nameOrPath: string): Promise<Loaded> {
  const shipped = shippedScenario(nameOrPath)
  if (shipped) return { name: nameOrPath, scenario: shipped }
  const file = { path: nameOrPath, text: scenarioText(nameOrPath) }
  return { name: basename(nameOrPath), scenario: await parsed(file), file }
}

/** The scenario that a file has the text of. Rejects with `UsageError`. */
export async function parsed({ path, text }: ScenarioFile): Promise<ScenarioInput> {
  // The YAML library is loaded here, so that serving a shipped scenario does without it.
  return parseYaml(text, { file: path, yaml: await import('yaml'), carets: true })
}
