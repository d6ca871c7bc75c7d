import { createRegistry, type EntryParts } from '../core/mock/mock.js'
import type { ScenarioRegistry } from '../core/mock/scenario-registry.js'
import type { ScenarioInput } from '../core/scenario/schema.js'

/** The scenarios of earlier mocks, so that the tests of a file read each scenario only once. */
export class ScenarioCache {
  readonly #registries = new Map<unknown, Map<string, ScenarioRegistry>>()
  #testFile: string | undefined

  /** For `loadScenarioSync`. */
  readonly parsed = new Map<string, ScenarioInput>()

  /** Creates a registry, or copies that of an earlier mock with the same scenario object, seed, URL and simulation. */
  readonly registry: NonNullable<EntryParts['registry']> = (options, entry) => {
    const { scenario, seed, publicUrl, live } = options
    const ofScenario = this.#registries.get(scenario) ?? new Map<string, ScenarioRegistry>()
    this.#registries.set(scenario, ofScenario)
    const key = JSON.stringify([seed, publicUrl, live, entry.scenarioName])
    const known = ofScenario.get(key)
    if (known) return known.copy()
    const created = createRegistry(options, entry)
    // Reads the scenario, and throws if it is wrong.
    created.defaultState()
    ofScenario.set(key, created)
    return created.copy()
  }

  /** Forgets the scenarios of another file of tests, so that a long run keeps few of them. */
  begin(testFile: string): void {
    if (this.#testFile !== testFile) this.clear()
    this.#testFile = testFile
  }

  clear(): void {
    this.#registries.clear()
    this.parsed.clear()
  }
}
