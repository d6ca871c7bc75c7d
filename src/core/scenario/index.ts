import * as yaml from 'yaml'
import type { ScenarioInput } from './schema.js'
import { parseYamlScenario, type TextOptions } from './yaml.js'

/**
 * Reads a scenario from one document of YAML, or from JSON. Throws one `UsageError` with a line for each problem, which
 * begins with file, line and column.
 */
export function parseScenario(text: string, options: TextOptions = {}): ScenarioInput {
  return parseYamlScenario(text, { ...options, yaml, commands: 'allowed' })
}

/** Returns the scenario, typed. A mock checks it when it loads it. */
export function defineScenario(scenario: ScenarioInput): ScenarioInput {
  return scenario
}

export type { ScenarioInput } from './schema.js'
export { scenarios } from './shipped.js'
export type { TextOptions } from './yaml.js'
