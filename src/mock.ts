import { EventBudget } from './control/events.js'
import { extended } from './extended.js'
import type { MockBeginning, ReloadOptions } from './mock-beginning.js'
import { checkOptions, type MockOptions, optionDefaults } from './mock-options.js'
import { createMockWorlds, type MockWorlds, type UnknownWorld } from './mock-worlds.js'
import { createOnHand, type OnHand } from './on-hand.js'
import type { ScenarioInput } from './scenario/schema.js'
import { defaultScenario } from './scenario/shipped.js'
import type { Progress } from './scenario/world-state.js'
import type { RequestHandlers } from './server/handlers.js'
import { HistoryBudget } from './server/history-budget.js'
import { ExchangeLog } from './server/log.js'
import type { RequestHandler } from './server/message.js'
import { defaultWorldId, Worlds } from './server/worlds.js'
import type { Tally } from './store/merge.js'
import type { TurnContext } from './store/turn-queue.js'
import { createWorldMock, type WorldMock, type WorldMockSettings } from './world-mock.js'

/** What a door gives a mock. */
export interface Parts {
  /** Is told now and then, while the world is made, how many of its lobbies are there. */
  readonly progress?: Progress | undefined
  /** Makes what knows the inside of a turn, one for each world. Default: what knows its synchronous part. */
  turnContext?(): TurnContext
  /** Reports a bug of the mock or of an override; `where` says where it happened. Default: with `console.error`. */
  onBug?(error: unknown, where: string): void
  /** What the scenario of the options is called. Default: `own`, or `default` where the options have none. */
  readonly scenarioName?: string | undefined
  /** The scenarios that can be named, beside that of the options. Default: the shipped `default`. */
  readonly scenarios?: Readonly<Record<string, ScenarioInput>> | undefined
}

/** The whole service without MSW and without a transport: the world `default`, and the other worlds. */
export interface Mock extends WorldMock {
  readonly worlds: MockWorlds
  /** For handlers: answers each request in the world that it names. `answerOf` picks who answers for a world. */
  entry(answerOf: (mock: WorldMock) => RequestHandler): RequestHandlers
  /** The names of the scenarios that can be loaded. */
  readonly scenarios: readonly string[]
  /** The exchanges of all worlds as they end. */
  readonly log: ExchangeLog
  /** For how long it has been there, in real ms. */
  uptimeMs(): number
  /**
   * Has another scenario in the place of its own: the world `default` has begun with it and keeps what has happened since,
   * and new worlds begin with it; those that are there stay as they are. Rejects with `UsageError`, and then nothing has happened.
   * With `dryRun`, nothing happens: it only resolves with what would change.
   */
  reload(scenario: ScenarioInput, options?: ReloadOptions): Promise<Tally>
}

/** Puts the parts together. Throws `UsageError` where the scenario, or an option, is wrong. */
export function createMock(options: MockOptions, parts: Parts = {}): Mock {
  checkOptions(options)
  const { watchTimeoutMs = optionDefaults.watchTimeoutMs, corsOrigins = [] } = options
  const madeAt = performance.now()
  const log = new ExchangeLog()
  const onHand = onHandOf(options, parts)
  const { maxWorlds: most = optionDefaults.maxWorlds, worldTtlMs: ttlMs = optionDefaults.worldTtlMs } = options
  const settings = {
    watchTimeoutMs,
    corsOrigins,
    log,
    ...memoryLimits(options),
    turnContext: parts.turnContext,
    onBug: parts.onBug,
    beginningOf: (scenario: string | ScenarioInput, worldId: string) => onHand.beginningOf(scenario, { worldId }),
  }
  const make = (worldId: string, beginning: MockBeginning) => createWorldMock(worldId, beginning, settings)
  const own = make(defaultWorldId, onHand.beginningOf(onHand.names[0], { worldId: defaultWorldId }))
  const makeAsked = (worldId: string) => make(worldId, onHand.beginningOf(undefined, { worldId }))
  const worlds = new Worlds({ default: own, make: makeAsked, most, ttlMs })
  const mockWorlds = createMockWorlds(worlds, { onHand, corsOrigins, make })
  const entry = entryTo(mockWorlds)
  return extended(own, {
    // Of its class.
    get tokens() {
      return own.tokens
    },
    get busy() {
      return own.busy
    },
    log,
    uptimeMs: () => performance.now() - madeAt,
    scenarios: onHand.names,
    worlds: mockWorlds,
    entry,
    answer: entry(mock => mock.answer).answer,
    async reload(scenario, options = {}) {
      const { beginning, replace } = onHand.replacing(scenario, { worldId: defaultWorldId })
      const tally = await own.rebase(beginning, options)
      if (!options.dryRun) replace()
      return tally
    },
    async close() {
      await Promise.all([worlds.close(), own.close()])
    },
  } satisfies Partial<Mock>)
}

/** How much memory the journals and the waiting events of a mock may take. */
function memoryLimits(options: MockOptions): Pick<WorldMockSettings, 'history' | 'events'> {
  const of = <Name extends keyof typeof optionDefaults>(name: Name) => options[name] ?? optionDefaults[name]
  return {
    history: {
      exchanges: of('journalSize'),
      bytes: of('journalBytes'),
      budget: new HistoryBudget(of('totalJournalBytes')),
    },
    events: new EventBudget({ each: of('eventBytes'), total: of('totalEventBytes') }),
  }
}

/** The scenarios that its worlds begin with: its own, and those that can be named. */
function onHandOf({ scenario, seed, publicUrl, live }: MockOptions, parts: Parts): OnHand {
  const { progress, scenarioName, scenarios = { default: defaultScenario } } = parts
  return createOnHand({
    own: { name: scenarioName ?? (scenario ? 'own' : 'default'), scenario: scenario ?? defaultScenario },
    shipped: scenarios,
    seed,
    publicUrl,
    live,
    progress,
  })
}

function entryTo({ at, default: own }: Pick<MockWorlds, 'at' | 'default'>): Mock['entry'] {
  return answerOf => {
    const answerer =
      (unknown: UnknownWorld): RequestHandler =>
      exchange => {
        try {
          const asked = at(exchange, unknown)
          return asked ? answerOf(asked.mock)(asked.exchange) : answerOf(own)(exchange)
        } catch (error) {
          // The request reached no world, so the default one logs it.
          return own.refuse(exchange, error)
        }
      }
    return { answer: answerer('refuse'), served: answerer('make') }
  }
}
