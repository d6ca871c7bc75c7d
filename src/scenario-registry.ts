import { didYouMean, quoted } from './lib/text.js'
import { UsageError } from './lib/usage-error.js'
import type { MockDefinition, MockState } from './mock-world.js'
import { readScenario } from './scenario/read.js'
import type { Scenario, ScenarioInput } from './scenario/schema.js'
import { beginningOf, faultChanceOf } from './scenario/world-state.js'
import { worldPath } from './server/routes.js'
import { createState, type WorldState } from './store/world-state.js'

/** Settings of all worlds that the registry makes. */
interface RegistryOptions {
  /** The scenario of the mock itself. */
  readonly own: { readonly name: string; readonly scenario: ScenarioInput }
  /** Scenarios that can be loaded by name. */
  readonly named: Readonly<Record<string, ScenarioInput>>
  /** Replaces the seeds of the scenarios. */
  readonly seed: number | undefined
  readonly publicUrl: string | undefined
  /** Whether players come and go where a scenario says nothing about it. */
  readonly live: boolean | undefined
}

/** A world that is made of a scenario. */
interface NewWorld {
  readonly worldId: string
  /** Replaces the seed of the mock, or of the scenario. */
  readonly seed?: number | undefined
}

/** The scenarios that can be loaded by name. Worlds of the same scenario share what they have in common. */
export class ScenarioRegistry {
  readonly #options: RegistryOptions
  readonly #inputs: Map<string, ScenarioInput>
  readonly #scenarios = new Map<string, Scenario>()
  readonly #states = new Map<string, WorldState>()

  constructor(options: RegistryOptions) {
    const { own, named } = options
    this.#options = options
    this.#inputs = new Map([[own.name, own.scenario], ...Object.entries(named).filter(([name]) => name !== own.name)])
  }

  /** The names of all scenarios, the mock's own first. */
  get names(): string[] {
    return [...this.#inputs.keys()]
  }

  /** Makes the initial state of a world. Default: of the mock's own scenario. Throws `UsageError`. */
  stateOf(wanted: string | ScenarioInput | undefined, { worldId, seed = this.#options.seed }: NewWorld): MockState {
    const asked = wanted ?? this.#options.own.name
    const scenario = typeof asked === 'string' ? this.#scenario(asked) : readScenario(asked)
    const definition = beginningOf(scenario, { ...this.#options, seed, path: worldPath(worldId) })
    const { faults } = scenario
    // The mock's own scenario makes all worlds, and its journal is of one.
    const journal = wanted === undefined ? undefined : scenario.journal
    const parts = { journal, faults, faultRandom: faultChanceOf(scenario, definition.seed) }
    // Worlds with other seeds have nothing to share.
    if (typeof asked !== 'string' || seed !== this.#options.seed) return { world: createState(definition), ...parts }
    const world = createState(definition, this.#states.get(asked))
    if (!this.#states.has(asked)) this.#states.set(asked, world)
    return { world, ...parts }
  }

  /** Reads a scenario that shall replace the mock's own. `replace` does it. Throws `UsageError`. */
  readOwn(input: ScenarioInput, worldId: string): { readonly definition: MockDefinition; replace(): void } {
    const { own, ...options } = this.#options
    const scenario = readScenario(input)
    const world = beginningOf(scenario, { ...options, path: worldPath(worldId) })
    return {
      definition: { world, faults: scenario.faults },
      replace: () => {
        this.#scenarios.set(own.name, scenario)
        this.#states.delete(own.name)
      },
    }
  }

  #scenario(name: string): Scenario {
    const known = this.#scenarios.get(name)
    if (known) return known
    const input = this.#inputs.get(name)
    if (input === undefined)
      throw new UsageError(`there is no scenario ${quoted(name)}.${didYouMean(name, this.names)}`)
    const scenario = readScenario(input)
    this.#scenarios.set(name, scenario)
    return scenario
  }
}
