import type { Faker } from '@faker-js/faker'
import { quoted } from './contract/issue.js'
import { knownChoices } from './contract/nearest.js'
import { UsageError } from './contract/usage-error.js'
import { beginningOf } from './scenario/beginning.js'
import type { Progress } from './scenario/progress.js'
import { readScenario } from './scenario/read.js'
import type { Scenario, ScenarioInput } from './scenario/schema.js'
import { scenarios } from './scenario/shipped.js'
import { worldPath } from './server/world-path.js'
import { begin, type Standing } from './store/standing.js'

/** The scenarios that can be named, and where worlds of them stand. */
export interface OnHand {
  /** Their names: the mock's own, and those that ship. */
  readonly names: readonly string[]
  /** The name of the mock's own. */
  readonly ownName: string
  /** Where a world of a scenario stands: by its name, in the fixture format, or the mock's own. Throws `UsageError`. */
  standingOf(scenario: string | ScenarioInput | undefined, world: NewWorld): Standing
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
  /** Instead of the scenarios'. */
  readonly seed: number | undefined
  readonly publicUrl: string | undefined
  faker(): Faker
  readonly progress: Progress | undefined
}

/** The scenarios on hand. Worlds of the same one share what they have in common. */
export function createOnHand({ own, ...making }: OnHandOptions): OnHand {
  const named = new Map<string, ScenarioInput>([...Object.entries(scenarios), [own.name, own.scenario]])
  const read = new Map<string, Scenario>()
  const earlier = new Map<string, Standing>()
  const scenarioOf = (name: string) => {
    const scenario = read.get(name) ?? readScenario(inputOf(name, named))
    read.set(name, scenario)
    return scenario
  }
  return {
    names: [own.name, ...Object.keys(scenarios).filter(name => name !== own.name)],
    ownName: own.name,
    standingOf(scenario = own.name, { worldId, seed = making.seed }) {
      const path = worldPath(worldId)
      if (typeof scenario !== 'string') return begin(beginningOf(readScenario(scenario), { ...making, seed, path }))
      const key = `${seed} ${scenario}`
      const standing = begin(beginningOf(scenarioOf(scenario), { ...making, seed, path }), earlier.get(key))
      if (!earlier.has(key)) earlier.set(key, standing)
      return standing
    },
  }
}

function inputOf(name: string, named: ReadonlyMap<string, ScenarioInput>): ScenarioInput {
  const input = named.get(name)
  if (input !== undefined) return input
  throw new UsageError(`${quoted(name)} is no scenario on hand.${knownChoices(name, [...named.keys()])}`)
}
