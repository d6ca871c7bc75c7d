import type { Faker } from '@faker-js/faker'
import type { FaultEntry } from './contract/fault.js'
import { quoted } from './contract/issue.js'
import { knownChoices } from './contract/nearest.js'
import { UsageError } from './contract/usage-error.js'
import { beginningOf, faultChanceOf } from './scenario/beginning.js'
import type { Progress } from './scenario/progress.js'
import { readScenario } from './scenario/read.js'
import type { Scenario, ScenarioInput } from './scenario/schema.js'
import { worldPath } from './server/world-path.js'
import { type Beginning, begin, type Standing } from './store/standing.js'
import type { MockBeginning } from './world-mock.js'

/** The scenarios that can be named, and where worlds of them stand. */
export interface OnHand {
  /** Their names: the mock's own first. */
  readonly names: readonly string[]
  /** The name of the mock's own. */
  readonly ownName: string
  /** How a world of a scenario begins: by its name, in the fixture format, or the mock's own. Throws `UsageError`. */
  beginningOf(scenario: string | ScenarioInput | undefined, world: NewWorld): MockBeginning
  /** How a world begins where the mock's own scenario is that one. Throws `UsageError`. */
  ownBeginningOf(own: ScenarioInput, world: NewWorld): OwnBeginning
  /** Has the mock's own be another one from now on. Throws `UsageError`. */
  replaceOwn(scenario: ScenarioInput): void
}

/** How a world begins, with its made-up trouble. */
interface OwnBeginning {
  readonly beginning: Beginning
  readonly faults: readonly FaultEntry[] | undefined
}

/** What a world has of its own. */
interface NewWorld {
  readonly worldId: string
  /** Instead of the mock's, or the scenario's. */
  readonly seed?: number | undefined
}

/** What all worlds are made with. */
interface OnHandOptions {
  readonly own: { readonly name: string; readonly scenario: ScenarioInput }
  /** By their names. */
  readonly shipped: Readonly<Record<string, ScenarioInput>>
  /** Instead of the scenarios'. */
  readonly seed: number | undefined
  readonly publicUrl: string | undefined
  faker(): Faker
  readonly progress: Progress | undefined
}

/** The scenarios on hand. Worlds of the same one share what they have in common. */
export function createOnHand({ own, shipped, ...making }: OnHandOptions): OnHand {
  const named = new Map<string, ScenarioInput>([...Object.entries(shipped), [own.name, own.scenario]])
  const read = new Map<string, Scenario>()
  const earlier = new Map<string, Standing>()
  const scenarioOf = (name: string) => {
    const scenario = read.get(name) ?? readScenario(inputOf(name, named))
    read.set(name, scenario)
    return scenario
  }
  return {
    names: [own.name, ...Object.keys(shipped).filter(name => name !== own.name)],
    ownName: own.name,
    beginningOf(asked = own.name, { worldId, seed = making.seed }) {
      const scenario = typeof asked === 'string' ? scenarioOf(asked) : readScenario(asked)
      const beginning = beginningOf(scenario, { ...making, seed, path: worldPath(worldId) })
      const { journal, faults } = scenario
      const around = { journal, faults, faultChance: faultChanceOf(scenario, beginning.seed) }
      if (typeof asked !== 'string') return { standing: begin(beginning), ...around }
      const key = `${seed} ${asked}`
      const standing = begin(beginning, earlier.get(key))
      if (!earlier.has(key)) earlier.set(key, standing)
      return { standing, ...around }
    },
    ownBeginningOf(input, { worldId, seed = making.seed }) {
      const scenario = readScenario(input)
      // Whoever looked at the progress of the beginning has other things before them now.
      const options = { ...making, progress: undefined, seed, path: worldPath(worldId) }
      return { beginning: beginningOf(scenario, options), faults: scenario.faults }
    },
    replaceOwn(scenario) {
      read.set(own.name, readScenario(scenario))
      // Of each seed one may have begun with it.
      for (const key of [...earlier.keys()]) if (key.endsWith(` ${own.name}`)) earlier.delete(key)
    },
  }
}

function inputOf(name: string, named: ReadonlyMap<string, ScenarioInput>): ScenarioInput {
  const input = named.get(name)
  if (input !== undefined) return input
  throw new UsageError(`${quoted(name)} is no scenario on hand.${knownChoices(name, [...named.keys()])}`)
}
