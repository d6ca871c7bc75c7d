import type { OperationId } from './contract/operations.js'
import { defaultWorldId } from './contract/paths.js'
import { EventBudget } from './control/events.js'
import type { NewWorldOptions, WorldControl, WorldsControl } from './control/world-control.js'
import { type MockState, MockWorld, type MockWorldSettings, type ReloadOptions } from './mock-world.js'
import { MockWorlds } from './mock-worlds.js'
import { type MockmakerOptions, parseOptions } from './options.js'
import type { ScenarioInput } from './scenario/schema.js'
import { defaultScenario } from './scenario/shipped.js'
import { ScenarioRegistry } from './scenario-registry.js'
import { HistoryBudget } from './server/history.js'
import { ExchangeLog } from './server/log.js'
import type { RequestHandler } from './server/message.js'
import type { OverrideResolver } from './server/overrides.js'
import type { ReloadSummary } from './store/reload.js'

/** What an entry point gives a mock. */
export interface MockEnvironment {
  /** Reports a bug of the mock or of an override; `where` says where it happened. Default: with `console.error`. */
  onBug?(error: unknown, where: string): void
  /** The name of the scenario in the options. Default: `own`, or `default` where the options have none. */
  readonly scenarioName?: string | undefined
  /** The scenarios that can be loaded by name, beside that of the options. Default: the shipped `default`. */
  readonly scenarios?: Readonly<Record<string, ScenarioInput>> | undefined
}

/** One world of a mock. */
export interface MockedWorld extends WorldControl {
  /**
   * Lets a resolver answer an operation in this world, from the next request on and through every entry point. The newest
   * resolver of an operation wins. The returned function removes it, and so do `reset`, `load` and `worlds.put`. Requests
   * are checked before, and answers after. Throws `UsageError` for an unknown operation.
   */
  on<Id extends OperationId>(operation: Id, resolver: OverrideResolver<Id>): () => void
}

/** The worlds of a mock, by their ids. */
export interface MockedWorlds extends WorldsControl {
  /** The world of requests that name none. */
  readonly default: MockedWorld
  get(id: string): MockedWorld | undefined
  put(id: string, options?: NewWorldOptions): Promise<MockedWorld>
}

/** The whole service without MSW and without a transport: the world `default`, and the other worlds. */
export interface Mock extends MockedWorld {
  readonly worlds: MockedWorlds
  /** Answers each request in the world that it names. */
  readonly answer: RequestHandler
  /** The names of the scenarios that can be loaded. */
  readonly scenarios: readonly string[]
  /** The requests of all worlds, as they are answered. */
  readonly log: ExchangeLog
  /** How long the mock has existed, in real ms. */
  uptimeMs(): number
  /**
   * Replaces the mock's own scenario: the world `default` takes over its changes and keeps what has happened since, and new
   * worlds start with it. Other worlds stay. Rejects with `UsageError`, and then nothing has happened.
   */
  reload(scenario: ScenarioInput, options?: ReloadOptions): Promise<ReloadSummary>
  /** Answers every waiter as at its deadline, and releases what faults hold. Nothing blocks from now on. */
  close(): Promise<void>
}

/** A mock with the parts that entry points need, which users do not see. */
export type ServableMock = Mock & MockWorld & { readonly worlds: MockWorlds }

/** The same mock with all its parts: `createMock` makes every mock. */
export function servable(mock: Mock): ServableMock {
  return mock as ServableMock
}

/** Creates a mock. Throws `UsageError` where the scenario, or an option, is wrong. */
export function createMock(input: MockmakerOptions = {}, environment: MockEnvironment = {}): ServableMock {
  const options = parseOptions(input)
  const createdAt = performance.now()
  const log = new ExchangeLog()
  const registry = createRegistry(options, environment)
  const { watchTimeoutMs, corsOrigins, maxWorlds, worldTtlMs } = options
  const settings: MockWorldSettings = {
    watchTimeoutMs,
    corsOrigins,
    log,
    history: {
      exchanges: options.journalSize,
      bytes: options.journalBytes,
      budget: new HistoryBudget(options.totalJournalBytes),
    },
    events: new EventBudget({ each: options.eventBytes, total: options.totalEventBytes }),
    onBug: environment.onBug,
    stateOf: (scenario, worldId) => registry.stateOf(scenario, { worldId }),
  }
  const create = (id: string, state: MockState) => new MockWorld(id, state, settings)
  const own = create(defaultWorldId, registry.stateOf(registry.names[0], { worldId: defaultWorldId }))
  const worlds = new MockWorlds({ default: own, registry, corsOrigins, maxWorlds, worldTtlMs, create })
  const closeOwn = own.close.bind(own)
  return Object.assign(own, {
    worlds,
    log,
    scenarios: registry.names,
    answer: worlds.route('refuse', mock => mock.handle),
    uptimeMs: () => performance.now() - createdAt,
    async reload(scenario: ScenarioInput, reloadOptions: ReloadOptions = {}) {
      const { definition, replace } = registry.readOwn(scenario, defaultWorldId)
      const summary = own.takeOver(definition, reloadOptions)
      if (!reloadOptions.dryRun) replace()
      return summary
    },
    async close() {
      await Promise.all([worlds.close(), closeOwn()])
    },
  })
}

/** The mock's own scenario, and those that can be loaded by name. */
function createRegistry(
  { scenario, seed, publicUrl, live }: MockmakerOptions,
  { scenarioName, scenarios = { default: defaultScenario } }: MockEnvironment,
): ScenarioRegistry {
  const name = scenarioName ?? (scenario ? 'own' : 'default')
  return new ScenarioRegistry({
    own: { name, scenario: scenario ?? defaultScenario },
    named: scenarios,
    seed,
    publicUrl,
    live,
  })
}
