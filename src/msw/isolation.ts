import { AsyncLocalStorage } from 'node:async_hooks'
import type { SetupServer } from 'msw/node'
import type { Fault, FaultState } from '../core/contract/faults.js'
import type { NewWorldOptions, ScenarioSummary } from '../core/control/world-control.js'
import { quoted } from '../core/lib/text.js'
import { UsageError } from '../core/lib/usage-error.js'
import type { MockmakerWorld, MockmakerWorlds } from '../core/mock/facade.js'
import type { Mock } from '../core/mock/mock.js'
import { type RunningWorld, testHasEnded } from '../core/mock/running-world.js'
import { checkUnusedFaults } from '../core/pipeline/unused-faults.js'
import { loadScenarioSync } from '../server/files/scenario-file.js'

/** Options of `isolated`: those of `worlds.put`, and faults. */
export interface IsolatedOptions extends NewWorldOptions {
  /** Faults to add to the world. Default: none but those of the scenario. */
  readonly faults?: readonly Fault[] | undefined
}

type FailureListener = (error: unknown, own: MockmakerWorld) => void

let listener: FailureListener = () => {}

/** Sets the function that gets each error of an isolated function, while its world still exists. It replaces the one before. */
export function onIsolatedFailure(listen: FailureListener): void {
  listener = listen
}

const running = new Set<MockmakerWorld>()

/** Lists the worlds of the functions that run in isolation now. */
export function isolatedWorlds(): MockmakerWorld[] {
  return [...running]
}

/** Gives running functions worlds of their own. */
export class Isolation {
  readonly #running = new AsyncLocalStorage<RunningWorld>()
  readonly #isStrict: boolean
  #count = 0

  /** Strict: the end of a function fails if a fault that its code has added never applied. */
  constructor({ strict: isStrict = false }: { readonly strict?: boolean | undefined }) {
    this.#isStrict = isStrict
  }

  /** The world of the function that runs now. */
  readonly current = (): RunningWorld | undefined => this.#running.getStore()

  /** Runs a function in a new world, and inside a boundary of MSW. Deletes the world afterwards. */
  async run<T>(
    {
      mock,
      worlds,
      boundary,
    }: { readonly mock: Mock; readonly worlds: MockmakerWorlds } & Pick<SetupServer, 'boundary'>,
    use: (own: MockmakerWorld) => T | Promise<T>,
    isolatedOptions: IsolatedOptions = {},
  ): Promise<T> {
    if (typeof use !== 'function')
      throw new UsageError('mock.isolated expects a function, as in mock.isolated(async own => …)')
    const { faults, options } = checkOptions(isolatedOptions)
    const own = await worlds.put(this.#newId(worlds), withScenario(options, mock.scenarios))
    let result: T
    let unused: readonly FaultState[]
    running.add(own)
    try {
      for (const fault of faults) own.faults.add(fault)
      result = await this.#running.run(
        mock.worlds.known(own.id),
        boundary(() => use(own)),
      )
      unused = this.#isStrict ? own.faults.list({ unused: true }) : []
    } catch (error) {
      listener(error, own)
      throw error
    } finally {
      running.delete(own)
      await mock.worlds.delete(own.id, testHasEnded)
    }
    checkUnusedFaults(unused)
    return result
  }

  #newId(worlds: MockmakerWorlds): string {
    let id: string
    do id = `isolated-${++this.#count}`
    while (worlds.get(id))
    return id
  }
}

/** Splits the options of `isolated`. Throws `UsageError` before there is a world. */
function checkOptions(given: IsolatedOptions): {
  readonly faults: readonly Fault[]
  readonly options: NewWorldOptions
} {
  if (typeof given !== 'object' || given === null)
    throw new UsageError(`mock.isolated: the options are ${quoted(given)}: expected an object such as { scenario }`)
  const { faults = [], ...options } = given
  if (!Array.isArray(faults))
    throw new UsageError(`mock.isolated: faults is ${quoted(faults)}: expected an array of faults`)
  return { faults, options }
}

/** Loads a scenario that is the path of a file, or the name of a shipped one that the mock does not have. */
function withScenario({ scenario, ...options }: NewWorldOptions, known: readonly ScenarioSummary[]): NewWorldOptions {
  const isUnknown = typeof scenario === 'string' && !known.some(({ name }) => name === scenario)
  return { ...options, scenario: isUnknown ? loadScenarioSync(scenario) : scenario }
}
