import { existsSync, readFileSync } from 'node:fs'
import { knownChoices } from '../contract/nearest.js'
import { UsageError } from '../contract/usage-error.js'
import type { ScenarioInput } from '../scenario/schema.js'
import { scenarios } from '../scenario/shipped.js'
import { parseScenario } from '../scenario/yaml.js'

/** A scenario by the name of a shipped one, or from a file; a relative path starts at the working directory. Throws `UsageError`. */
export function loadScenario(nameOrPath: string): ScenarioInput {
  if (Object.hasOwn(scenarios, nameOrPath)) return scenarios[nameOrPath as keyof typeof scenarios]
  if (!existsSync(nameOrPath)) {
    throw new UsageError(
      `there is no scenario file ${nameOrPath}, and no shipped scenario has that name.${knownChoices(nameOrPath, Object.keys(scenarios))}`,
    )
  }
  return parseScenario(readFileSync(nameOrPath, 'utf8'), { file: nameOrPath })
}
