import type { OperationId } from '../contract/operations.js'
import { defaultWorldId } from '../contract/paths.js'
import { EventBudget } from '../control/events.js'
import type {
  GameServerState,
  NewWorldOptions,
  ScenarioSummary,
  WorldControl,
  WorldsControl,
} from '../control/world-control.js'
import { bindMethods, MockWorld, type MockWorldSettings, type ReloadOptions } from './mock-world.js'
import { MockWorlds } from './mock-worlds.js'
import { type MockmakerOptions, parseOptions } from './options.js'
import { readScenario } from '../scenario/read.js'
import type { ScenarioInput } from '../scenario/schema.js'
import { defaultScenario } from '../scenario/shipped.js'
import { ScenarioRegistry } from './scenario-registry.js'
import { HistoryBudget } from '../server/history.js'
import { type ExchangeLog, ExchangePublisher } from '../server/log.js'
import type { RequestHandler } from '../server/message.js'
import type { OverrideResolver } from '../server/overrides.js'
import { checkUnusedFaults } from '../server/unused-faults.js'
import type { ReloadSummary } from '../store/reload.js'

/** The parts of a mock that depend on its entry point. */
export interface MockEnvironment {
  /** Reports a bug of the mock or of an override. Default: with `console.error`. */
  onBug?(error: unknown, where: string): void
  /** The name of the scenario in the options. Default: `own`, or `default` if the options have none. */
  readonly scenarioName?: string | undefined
  /** The scenarios that can be loaded by name, besides the one in the options. Default: the shipped `default`. */
  readonly scenarios?: Readonly<Record<string, ScenarioInput>> | undefined
  /** Creates the registry of scenarios. Default: `createRegistry`. */
  readonly registry?: typeof createRegistry | undefined
}

/** One world of a mock. */
export interface MockedWorld extends WorldControl {
  /**
   * Answers an operation by a resolver in this world, through every entry point. The newest resolver of an operation wins.
   * The returned function removes it, and so do `reset`, `load` and `worlds.put`. The mock checks each request before, and
   * each answer after. Throws `UsageError` for an unknown operation.
   */
  on<Id extends OperationId>(operation: Id, resolver: OverrideResolver<Id>): () => void
  /** Answers a request in this world, whatever world it names. `answer` of a mock answers in the world that it names. */
  readonly answer: RequestHandler
}

/** The worlds of a mock, by their ids. */
export interface MockedWorlds extends WorldsControl {
  /** The world of requests that name none. */
  readonly default: MockedWorld
  get(id: string): MockedWorld | undefined
  put(id: string, options?: NewWorldOptions): Promise<MockedWorld>
}

/** The whole service, without MSW and without a server. Its own methods act on the world `default`. */
export interface Mock extends MockedWorld {
  readonly worlds: MockedWorlds
  /** Answers each request in the world that it names. */
  readonly answer: RequestHandler
  /** The scenarios that can be loaded by name, the mock's own first. */
  readonly scenarios: readonly ScenarioSummary[]
  /** Publishes each request of any world with its answer. */
  readonly log: ExchangeLog
  /** Returns the age of the mock, in real ms. */
  uptimeMs(): number
  /**
   * Replaces the mock's own scenario. The world `default` gets the differences, and keeps all other changes. New worlds start
   * with the new scenario, and other worlds stay. Rejects with `UsageError`, and then nothing has happened.
   */
  reload(scenario: ScenarioInput, options?: ReloadOptions): Promise<ReloadSummary>
  /** Answers every waiting and held request. From now on no request blocks. Rejects as the option `strict` says. */
  close(): Promise<void>
}

/** A mock with the parts that entry points need, and that users do not see. */
export type ServableMock = Mock &
  MockWorld & {
    readonly worlds: MockWorlds
    /** Lists the game servers that a command has started for a world. */
    gameServers?: (worldId: string) => readonly GameServerState[]
  }

export function toServable(mock: Mock): ServableMock {
  return mock as ServableMock // `createMock` makes every mock
}

/** Creates a mock. Throws `UsageError` if the scenario or an option is wrong. */
export function createMock(input: MockmakerOptions = {}, environment: MockEnvironment = {}): ServableMock {
  const options = parseOptions(input)
  const createdAt = performance.now()
  const registry = (environment.registry ?? createRegistry)(options, environment)
  const log = new ExchangePublisher()
  const settings: MockWorldSettings = {
    registry,
    log,
    watchTimeoutMs: options.watchTimeoutMs,
    corsOrigins: options.corsOrigins,
    history: {
      exchanges: options.journalSize,
      bytes: options.journalBytes,
      budget: new HistoryBudget(options.totalJournalBytes),
    },
    events: new EventBudget({ each: options.eventBytes, total: options.totalEventBytes }),
    isStrict: options.strict,
    onBug: environment.onBug ?? reportBug,
  }
  const own = new MockWorld(defaultWorldId, registry.defaultState(), settings)
  bindMethods(own)
  const worlds = new MockWorlds(own, settings, options)
  const closeOwn = own.close
  const added = {
    worlds,
    log,
    get scenarios() {
      return registry.summaries
    },
    answer: worlds.route('refuse', world => world.handle),
    uptimeMs: () => performance.now() - createdAt,
    async reload(changed: ScenarioInput, reloadOptions: ReloadOptions = {}) {
      const scenario = readScenario(changed)
      const summary = own.applyScenario(registry.definitionOf(scenario, defaultWorldId), reloadOptions)
      if (!reloadOptions.dryRun) registry.replaceOwn(scenario)
      return summary
    },
    async close() {
      const unused = options.strict ? worlds.unusedFaults() : []
      await Promise.all([worlds.close(), closeOwn()])
      checkUnusedFaults(unused)
    },
  }
  // Not `Object.assign`: a reload changes `scenarios`.
  return Object.defineProperties(own, Object.getOwnPropertyDescriptors(added)) as typeof own & typeof added
}

/** Creates a registry with the scenario of the options and the named ones. Throws `UsageError` if the scenario is wrong. */
export function createRegistry(
  { scenario, seed, publicUrl, live }: MockmakerOptions,
  { scenarioName, scenarios = { default: defaultScenario } }: MockEnvironment,
): ScenarioRegistry {
  const name = scenarioName ?? (scenario ? 'own' : 'default')
  const own = { name, scenario: scenario ?? defaultScenario }
  return new ScenarioRegistry({ own, named: scenarios, seed, publicUrl, live })
}

function reportBug(error: unknown, where: string): void {
  // biome-ignore lint/suspicious/noConsole: the one place that reports bugs
  console.error(`mockmaker: unexpected error, ${where}\n`, error)
}
