import type { ScenarioInput } from './schema.js'

/** The scenario that it is given, typed; it is read when a mock is made of it. */
export function defineScenario(scenario: ScenarioInput): ScenarioInput {
  return scenario
}
