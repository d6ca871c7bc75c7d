import { existsSync, readFileSync } from 'node:fs'
import { knownChoices } from '../contract/nearest.js'
import { UsageError } from '../contract/usage-error.js'
import type { ScenarioInput } from '../scenario/schema.js'
import { scenarios } from '../scenario/shipped.js'
import { parseYaml, type Yaml } from '../scenario/yaml.js'
import { explained } from './system-error.js'

/** What a door loads scenarios with. */
interface Loading {
  /** Loads the YAML library. Called only when a file is read. */
  yaml(): Yaml
}

/** A scenario by the name of a shipped one, or from a file; a relative path starts at the working directory. Throws `UsageError`. */
export function loadScenario(nameOrPath: string, { yaml }: Loading): ScenarioInput {
  // An own key of the shipped ones is the name of one.
  if (Object.hasOwn(scenarios, nameOrPath)) return scenarios[nameOrPath as keyof typeof scenarios]
  if (!existsSync(nameOrPath)) {
    throw new UsageError(
      `there is no scenario file ${nameOrPath}, and no shipped scenario has that name.${knownChoices(nameOrPath, Object.keys(scenarios))}`,
    )
  }
  return parseYaml(textOf(nameOrPath), { file: nameOrPath, yaml: yaml() })
}

function textOf(path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${path} is not UTF-8 text: a scenario is YAML or JSON`)
    throw explained(error, `${path} cannot be read`)
  }
}
