import { createRegistry, type MockEnvironment } from '../core/mock/mock.js'
import type { ScenarioRegistry } from '../core/mock/scenario-registry.js'

/** The registries of earlier mocks, so that the tests of a file read each scenario only once. */
export class ScenarioCache {
  readonly #registries = new Map<unknown, Map<string, ScenarioRegistry>>()

  /** Creates a registry, or copies that of an earlier mock with the same scenario object, seed, URL and simulation. */
  readonly registry: NonNullable<MockEnvironment['registry']> = (options, environment) => {
    const { scenario, seed, publicUrl, live } = options
    const ofScenario = this.#registries.get(scenario) ?? new Map<string, ScenarioRegistry>()
    this.#registries.set(scenario, ofScenario)
    const key = JSON.stringify([seed, publicUrl, live, environment.scenarioName])
    const known = ofScenario.get(key)
    if (known) return known.copy()
    const created = createRegistry(options, environment)
    // Reads the scenario, and throws if it is wrong.
    created.defaultState()
    ofScenario.set(key, created)
    return created.copy()
  }

  clear(): void {
    this.#registries.clear()
  }
}
