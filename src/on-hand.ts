import { didYouMean } from './lib/did-you-mean.js'
import { quoted } from './lib/quote.js'
import { UsageError } from './lib/usage-error.js'
import type { MockBeginning, RebasedBeginning } from './mock-beginning.js'
import { readScenario } from './scenario/read.js'
import type { Scenario, ScenarioInput } from './scenario/schema.js'
import { beginningOf, faultChanceOf, type Progress } from './scenario/world-state.js'
import { worldPath } from './server/routes.js'
import { begin, type Standing } from './store/standing.js'

/** The scenarios that can be named, and where worlds of them stand. */
export interface OnHand {
  /** Their names: the mock's own first. */
  readonly names: readonly string[]
  /** How a world of a scenario begins: by its name, in the fixture format, or the mock's own without its journal. Throws `UsageError`. */
  beginningOf(scenario: string | ScenarioInput | undefined, world: NewWorld): MockBeginning
  /** How a world begins where the mock's own scenario is that one, and what makes it so from then on. Throws `UsageError`. */
  replacing(own: ScenarioInput, world: NewWorld): { readonly beginning: RebasedBeginning; replace(): void }
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
  /** Whether players come and go in all of them. */
  readonly live: boolean | undefined
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
    beginningOf(wanted, { worldId, seed = making.seed }) {
      const asked = wanted ?? own.name
      const scenario = typeof asked === 'string' ? scenarioOf(asked) : readScenario(asked)
      const beginning = beginningOf(scenario, { ...making, seed, path: worldPath(worldId) })
      const { faults } = scenario
      // Of the scenario of all worlds, the journal is of one.
      const journal = wanted === undefined ? undefined : scenario.journal
      const around = { journal, faults, faultChance: faultChanceOf(scenario, beginning.seed) }
      if (typeof asked !== 'string') return { standing: begin(beginning), ...around }
      // Each world of another seed may have one of its own, and then there is nothing to share.
      if (seed !== making.seed) return { standing: begin(beginning), ...around }
      const standing = begin(beginning, earlier.get(asked))
      if (!earlier.has(asked)) earlier.set(asked, standing)
      return { standing, ...around }
    },
    replacing(input, { worldId, seed = making.seed }) {
      const scenario = readScenario(input)
      const { faults } = scenario
      // Whoever looked at the progress of the beginning has other things before them now.
      const options = { ...making, progress: undefined, seed, path: worldPath(worldId) }
      return {
        beginning: { beginning: beginningOf(scenario, options), faults },
        replace() {
          read.set(own.name, scenario)
          earlier.delete(own.name)
        },
      }
    },
  }
}

function inputOf(name: string, named: ReadonlyMap<string, ScenarioInput>): ScenarioInput {
  const input = named.get(name)
  if (input !== undefined) return input
  throw new UsageError(`no scenario is called ${quoted(name)}.${didYouMean(name, [...named.keys()])}`)
}
