import type { JournalEntry } from '../contract/journal.js'
import { defaultWorldId, worldPath } from '../contract/paths.js'
import { hasKnownKinds, type SavedStories } from '../control/stories/stories.js'
import type { ScenarioSummary } from '../control/world-control.js'
import { didYouMean, quoted, UsageError } from '../lib/messages.js'
import { runAtOnce, type Steps } from '../lib/steps.js'
import { keptScenario, type ScenarioCommands, scenarioCommands } from '../scenario/commands.js'
import { damagedPast, type Past, pastOf } from '../scenario/past.js'
import { readScenario } from '../scenario/read.js'
import type { CheckedScenario, ScenarioInput } from '../scenario/schema.js'
import { defaultTitle, defineWorld, linkBase } from '../scenario/world.js'
import { type DecodedPast, decodePast } from '../storage/capsule.js'
import type { PublicUrlOf } from '../storage/encoding.js'
import type { LoadContext } from '../storage/world-storage.js'
import { Random } from '../store/random.js'
import { createState, type StateDefinition, type WorldState } from '../store/world-state.js'

/** The state and the journal of a world. */
export interface StartState {
  readonly world: WorldState
  /** Earlier requests. A reset deletes them. Default: none. */
  readonly journal?: readonly JournalEntry[] | undefined
  /** The past of a capsule. Its end is the state. */
  readonly past?: DecodedPast | undefined
  /** Creates the same state with another seed. */
  withSeed(seed: number): WorldState
}

/** The state of a scenario, whose past `decoded` decodes. */
export interface ScenarioState extends Omit<StartState, 'past'> {
  readonly past?: Past | undefined
}

interface RegistryOptions {
  readonly own: { readonly name: string; readonly scenario: ScenarioInput }
  readonly named: Readonly<Record<string, ScenarioInput>>
  readonly seed: number | undefined
  readonly publicUrl: string | undefined
  /** Simulates players in namespaces whose scenario does not set its players. */
  readonly live: boolean | undefined
}

/** The scenarios of a mock. Worlds of the same scenario share their initial rows. */
export class ScenarioRegistry {
  /** By name. Those that a world has are checked, and the others as they were given. */
  readonly #scenarios: Map<string, ScenarioInput>
  readonly #states = new Map<string, WorldState>()
  #commands: ScenarioCommands | undefined
  readonly summaries: ScenarioSummary[]

  constructor(private readonly options: RegistryOptions) {
    const { own, named } = options
    this.#scenarios = new Map([
      [own.name, own.scenario],
      ...Object.entries(named).filter(([name]) => name !== own.name),
    ])
    this.summaries = [...this.#scenarios].map(([name, input]) => summarize(name, input))
  }

  /** Returns a registry with the same scenarios. What one of them reads or replaces later, the other does not see. */
  copy(): ScenarioRegistry {
    const copy = new ScenarioRegistry(this.options)
    for (const [name, scenario] of this.#scenarios) copy.#scenarios.set(name, scenario)
    for (const [name, state] of this.#states) copy.#states.set(name, state)
    return copy
  }

  get commands(): ScenarioCommands {
    this.#commands ??= scenarioCommands(this.#named(this.options.own.name))
    return this.#commands
  }

  get own(): { readonly name: string; readonly scenario: CheckedScenario } {
    const { name } = this.options.own
    return { name, scenario: this.#named(name) }
  }

  /** Creates the state of the world `default`, with the journal of the mock's own scenario. Throws `UsageError`. */
  defaultState(): StartState {
    return runAtOnce(this.decoded(this.stateOf(this.options.own.name, { worldId: defaultWorldId }), defaultWorldId))
  }

  /** Creates the initial state of a world. Default: of the mock's own scenario, without its journal. Throws `UsageError`. */
  stateOf(
    scenario: string | ScenarioInput | undefined,
    { worldId, seed = this.options.seed }: { readonly worldId: string; readonly seed?: number | undefined },
  ): ScenarioState {
    const source = scenario ?? this.options.own.name
    const read = typeof source === 'string' ? this.#named(source) : readScenario(source)
    const definition = this.definitionOf(read, worldId, seed)
    const { journal, past } = scenario === undefined ? {} : { journal: read.content.journal, past: pastOf(read) }
    // Worlds with different seeds have no rows to share.
    const withSeed = this.withSeed(typeof scenario === 'object' ? read : scenario, worldId)
    if (typeof source !== 'string' || seed !== this.options.seed)
      return { world: createState(definition), journal, past, withSeed }
    const world = createState(definition, this.#states.get(source))
    if (!this.#states.has(source)) this.#states.set(source, world)
    return { world, journal, past, withSeed }
  }

  /** Decodes the past of a state, so that a world can have it at once. Throws `UsageError` if it is damaged. */
  *decoded({ past, ...state }: ScenarioState, worldId: string): Steps<StartState> {
    if (!past) return state
    if (!hasKnownKinds(past.stories as SavedStories)) throw damagedPast('a story has a fact of an unknown kind')
    return { ...state, past: yield* decodePast(past, state.world, this.publicUrlOf(worldId)) }
  }

  /** Returns the function that gives the address of a world in links. */
  publicUrlOf(worldId: string): PublicUrlOf {
    const { publicUrl } = this.options
    const path = worldPath(worldId)
    return cdnDomain => linkBase(cdnDomain, { publicUrl, path })
  }

  /** Returns what a storage needs to read the worlds that it keeps. */
  contextOf(worldId: string): LoadContext {
    const { publicUrl } = this.options
    const path = worldPath(worldId)
    const { scenario: own } = this.own
    return {
      publicUrlOf: this.publicUrlOf(worldId),
      ownScenario: keptScenario(own),
      stateOf({ scenario, seed, live }, startsAt) {
        const read = scenario === undefined ? own : readScenario(scenario)
        const definition = defineWorld(read, { seed, live, publicUrl, path })
        // They are the rows that the schemas have accepted once, or the storage refuses them.
        return createState({ ...definition, areRowsValid: true }, undefined, startsAt)
      },
    }
  }

  /** Returns a function that creates the state of a world with any seed. Default: from the mock's own scenario. */
  withSeed(scenario: string | ScenarioInput | undefined, worldId: string): StartState['withSeed'] {
    return seed => this.stateOf(scenario, { worldId, seed }).world
  }

  /** Returns a function that creates a state like that with any seed. */
  withSeedOf(state: WorldState, worldId: string): StartState['withSeed'] {
    const { recipe } = state
    if (!recipe) return otherSeeds(state)
    return this.withSeed(recipe.scenario as CheckedScenario, worldId) // `defineWorld` makes recipes
  }

  definitionOf(scenario: CheckedScenario, worldId: string, seed = this.options.seed): StateDefinition {
    return defineWorld(scenario, { ...this.options, seed, path: worldPath(worldId) })
  }

  replaceOwn(scenario: CheckedScenario): void {
    const { name } = this.options.own
    this.#scenarios.set(name, scenario)
    this.#states.delete(name)
    this.#commands = undefined
    this.summaries[0] = summarize(name, scenario)
  }

  #named(name: string): CheckedScenario {
    const given = this.#scenarios.get(name)
    if (given === undefined)
      throw new UsageError(`there is no scenario ${quoted(name)}.${didYouMean(name, [...this.#scenarios.keys()])}`)
    const scenario = readScenario(given)
    this.#scenarios.set(name, scenario)
    return scenario
  }
}

/** Returns a function that copies a state with any seed. Its random numbers begin again. */
export function otherSeeds(state: WorldState): StartState['withSeed'] {
  return seed => ({ ...state, seed, random: new Random(seed, 'world').save() })
}

function summarize(name: string, { title, description }: ScenarioInput): ScenarioSummary {
  return { name, title: title ?? defaultTitle, ...(description == null ? {} : { description }) }
}
