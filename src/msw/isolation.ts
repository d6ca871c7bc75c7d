import { AsyncLocalStorage } from 'node:async_hooks'
import type { SetupServer } from 'msw/node'
import { ApiError } from '../core/contract/errors.js'
import type { Fault, FaultState } from '../core/contract/faults.js'
import type { NewWorldOptions, ScenarioSummary } from '../core/control/world-control.js'
import { quoted, UsageError } from '../core/lib/messages.js'
import type { MockmakerWorld, MockmakerWorlds } from '../core/mock/facade.js'
import type { Mock } from '../core/mock/mock.js'
import { type RunningWorld, testHasEnded } from '../core/mock/running-world.js'
import { checkUnusedFaults } from '../core/pipeline/unused-faults.js'
import { loadScenarioSync } from '../server/files/scenario-file.js'
import { contextIsLost, promisesKeepContext } from './async-context.js'
import { StrayRequests, sharedCode } from './stray-requests.js'

/** Options of `isolated`: those of `worlds.put`, and faults. */
export interface IsolatedOptions extends NewWorldOptions {
  /** Faults to add to the world. Default: none but those of the scenario. */
  readonly faults?: readonly Fault[] | undefined
}

type FailureListener = (error: unknown, own: MockmakerWorld) => void

/** Without a reporter, the console names the requests that may have gone astray. */
let listener: FailureListener = (_error, own) => {
  const found = strays.describe(own)
  // biome-ignore lint/suspicious/noConsole: no reporter is there
  if (found !== undefined) console.warn(`mockmaker: a function in isolation has failed. ${found}`)
}

/** Sets the function that gets each error of an isolated function, while its world still exists. It replaces the one before. */
export function onIsolatedFailure(listen: FailureListener): void {
  listener = listen
}

/** The functions that run in isolation now, by their worlds, and the requests that were not for them. */
const strays = new StrayRequests<object>()
const running = new Set<MockmakerWorld>()

/** Lists the worlds of the functions that run in isolation now. */
export function isolatedWorlds(): MockmakerWorld[] {
  return [...running]
}

/** Describes the requests that came while the function of a world ran, and that were not for it. */
export function straysBeside(world: object): string | undefined {
  return strays.describe(world)
}

interface Isolated {
  readonly own: MockmakerWorld
  readonly world: RunningWorld
}

/** Gives running functions worlds of their own. */
export class Isolation {
  readonly #running = new AsyncLocalStorage<Isolated>()
  /** The only function that may run, where no context tells whose request it is. */
  #only: Isolated | undefined
  readonly #isStrict: boolean
  #count = 0

  /** Strict: the end of a function fails if a fault that its code has added never applied. */
  constructor({ strict: isStrict = false }: { readonly strict?: boolean | undefined }) {
    this.#isStrict = isStrict
  }

  /** Returns the world of the function that sends a request. Throws `ApiError` if that function has ended. */
  readonly current = ({ url, headers }: Request): RunningWorld | undefined => {
    if (/\/w\/isolated-\d+\//.test(url) || headers.get('x-mock-world')?.startsWith('isolated-')) return undefined
    const sender = this.#only ?? this.#running.getStore()
    const hasEnded = sender && !running.has(sender.own)
    const name = sender
      ? `a function in isolation${hasEnded ? ' that has ended' : ''}`
      : 'code that belongs to no function'
    strays.add(hasEnded ? undefined : sender?.own, name)
    if (!hasEnded) return sender?.world
    const advice = running.size > 0 ? `. ${sharedCode}, or let it call the url of its world` : ''
    throw new ApiError('API_NOT_FOUND', `this request belongs to ${name}${advice}`)
  }

  /** Runs a function in a new world, and inside a boundary of MSW. Deletes the world afterwards. */
  async run<T>(
    { mock, worlds, server }: { readonly mock: Mock; readonly worlds: MockmakerWorlds; readonly server: SetupServer },
    use: (own: MockmakerWorld) => T | Promise<T>,
    isolatedOptions: IsolatedOptions = {},
  ): Promise<T> {
    if (typeof use !== 'function')
      throw new UsageError('mock.isolated expects a function, as in mock.isolated(async own => …)')
    const { faults, options } = checkOptions(isolatedOptions)
    const keepsContext = await promisesKeepContext()
    const own = await worlds.put(this.#newId(worlds), withScenario(options, mock.scenarios))
    let result: T
    let unused: readonly FaultState[]
    const isAlone = running.size === 0
    running.add(own)
    strays.begin(own)
    try {
      for (const fault of faults) own.faults.add(fault)
      const isolated = { own, world: mock.worlds.known(own.id) }
      const body = () => use(own)
      if (keepsContext) result = await this.#running.run(isolated, server.boundary(body))
      else if (isAlone) result = await this.#runAlone(isolated, server, body)
      else throw new UsageError(`mock.isolated runs several functions: ${contextIsLost}. Run them one after the other`)
      unused = this.#isStrict ? own.faults.list({ unused: true }) : []
    } catch (error) {
      listener(error, own)
      throw error
    } finally {
      running.delete(own)
      strays.end(own)
      await mock.worlds.delete(own.id, testHasEnded)
    }
    checkUnusedFaults(unused)
    return result
  }

  /** Runs the only function. The handlers that it has added end with it. */
  async #runAlone<T>(isolated: Isolated, server: SetupServer, body: () => T | Promise<T>): Promise<T> {
    const before = server.listHandlers()
    this.#only = isolated
    try {
      return await body()
    } finally {
      this.#only = undefined
      server.resetHandlers()
      const initial = server.listHandlers()
      server.use(...before.filter(handler => !initial.includes(handler)))
    }
  }

  #newId(worlds: MockmakerWorlds): string {
    let id: string
    do id = `isolated-${++this.#count}`
    while (worlds.get(id))
    return id
  }
}

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

function withScenario({ scenario, ...options }: NewWorldOptions, known: readonly ScenarioSummary[]): NewWorldOptions {
  const isUnknown = typeof scenario === 'string' && !known.some(({ name }) => name === scenario)
  return { ...options, scenario: isUnknown ? loadScenarioSync(scenario) : scenario }
}
