import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { didYouMean } from '../lib/did-you-mean.js'
import { UsageError } from '../lib/usage-error.js'
import type { ScenarioInput } from '../scenario/schema.js'
import { scenarios } from '../scenario/shipped.js'
import { parseYaml, type Yaml } from '../scenario/yaml.js'
import { explained } from './system-error.js'

/** A shipped scenario by its name. */
export function shippedScenario(name: string): ScenarioInput | undefined {
  // An own key of the shipped ones is the name of one.
  return Object.hasOwn(scenarios, name) ? scenarios[name as keyof typeof scenarios] : undefined
}

/** A scenario from a file; a relative path starts at the working directory. Throws `UsageError`. */
export function scenarioFile(path: string, yaml: Yaml): ScenarioInput {
  return parseYaml(scenarioText(path), { file: path, yaml })
}

/** The text of a scenario file. Throws `UsageError`. */
export function scenarioText(path: string): string {
  if (!existsSync(path)) {
    throw new UsageError(
      `there is no scenario file ${path}, and no shipped scenario has that name.${didYouMean(path, Object.keys(scenarios))}`,
    )
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path))
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(`${path} is not UTF-8 text: a scenario is YAML or JSON`)
    if (error instanceof Error && 'code' in error && error.code === 'EISDIR')
      throw new UsageError(`${path} is a folder: name a scenario file in it, such as ${join(path, 'scenario.yaml')}`)
    throw explained(error, `${path} cannot be read`)
  }
}
