import { defaultWorldId } from '../contract/paths.js'
import { EventBudget } from '../control/events.js'
import type { NewWarning } from '../control/warnings/recorder.js'
import type { ScenarioSummary } from '../control/world-control.js'
import { Emitter } from '../lib/emitter.js'
import { parseInput } from '../lib/issues.js'
import { quoted, UsageError } from '../lib/messages.js'
import { real } from '../lib/real-globals.js'
import { HistoryBudget } from '../pipeline/history.js'
import type { ExchangeRecord } from '../pipeline/log.js'
import type { RequestHandler } from '../pipeline/message.js'
import { checkUnusedFaults } from '../pipeline/unused-faults.js'
import { UserCodeError } from '../pipeline/user-code.js'
import { keptScenario, type ScenarioCommands, scenarioCommands } from '../scenario/commands.js'
import { readScenario } from '../scenario/read.js'
import type { ScenarioInput } from '../scenario/schema.js'
import { defaultScenario } from '../scenario/shipped.js'
import type { ReloadSummary } from '../store/reload.js'
import { historyLengthOf, MockmakerOptions } from './options.js'
import type { CommonSettings, ReloadOptions, RunningWorld } from './running-world.js'
import { RunningWorlds } from './running-worlds.js'
import { ScenarioRegistry } from './scenario-registry.js'
import type { StorageSettings } from './world-loader.js'
import { WorldRouter } from './world-router.js'

/** The parts of a mock that depend on its entry point. */
export interface EntryParts {
  /** Reports a bug of the mock or of an override. Default: with `console.error`. */
  onBug?(error: unknown, where: string): void
  /** The name of the scenario in the options. Default: `own`, or `default` if the options have none. */
  readonly scenarioName?: string | undefined
  /** The scenarios that can be loaded by name, besides the one in the options. Default: the shipped `default`. */
  readonly scenarios?: Readonly<Record<string, ScenarioInput>> | undefined
  readonly registry?: typeof createRegistry | undefined
  /** The mock's own scenario may have commands of game servers: it comes from the user's code. Default: refused. */
  readonly commands?: 'allowed' | undefined
  /** Creates the world `default` at its first use only, because a storage may have it. Default: at once. */
  readonly isKept?: boolean | undefined
  readonly memory?: Partial<typeof memoryLimits> | undefined
}

/** The most memory that a mock uses for what it remembers, in bytes. Single entries stay, however large they are. */
const memoryLimits = {
  /** For each world's journal, and for its change sets. */
  journal: 64 * 1024 ** 2,
  /** For the journals and change sets of all worlds together: the oldest are dropped first. */
  journals: 256 * 1024 ** 2,
  /** For the events that wait for one slow reader of `changes`. */
  events: 32 * 1024 ** 2,
  /** For the events of all readers together: the reader with the most events loses them first. */
  allEvents: 128 * 1024 ** 2,
}

/** Options of a reload, for those who reload files. */
export interface CheckedReloadOptions extends ReloadOptions {
  /** Decides about a reload by its numbers. Default: all are accepted. */
  accepts?(summary: ReloadSummary): boolean
}

/** A mock: its worlds, its scenarios, and the requests of all worlds. Users hold `Mockmaker`. */
export class Mock {
  readonly router: WorldRouter
  /** Publishes each request of any world with its answer. */
  readonly log: Emitter<ExchangeRecord>
  readonly warned: Emitter<NewWarning>
  readonly answer: RequestHandler
  readonly #registry: ScenarioRegistry
  readonly #isStrict: boolean
  readonly #commands: EntryParts['commands']
  readonly #ends: (() => Promise<void>)[] = []
  readonly #checks: ((commands: ScenarioCommands) => void)[] = []
  /** Publishes the commands of each scenario that has replaced the mock's own. */
  readonly reloaded = new Emitter<ScenarioCommands>()
  /** Why the mock can answer no requests now, in sentences without a full stop. Empty: it is ready. `GET /healthz` tells it. */
  readonly notReady = new Set<string>()
  /** Texts that no journal, log or HAR may show, besides the tokens of a world. */
  readonly secrets: Set<string>
  readonly #createdAt = real.now()

  constructor(
    readonly worlds: RunningWorlds,
    settings: CommonSettings & { readonly secrets: Set<string> },
    { commands }: Pick<EntryParts, 'commands'> = {},
  ) {
    const { registry, log, warned, isStrict, secrets } = settings
    this.log = log
    this.warned = warned
    this.secrets = secrets
    this.router = new WorldRouter(worlds, settings)
    this.answer = this.router.route('refuse', world => world.handle)
    this.#registry = registry
    this.#isStrict = isStrict
    this.#commands = commands
  }

  get default(): RunningWorld {
    return this.worlds.default
  }

  /** The scenarios that can be loaded by name, the mock's own first. The array changes with `reload`. */
  get scenarios(): readonly ScenarioSummary[] {
    return this.#registry.summaries
  }

  /** The commands of its own scenario, which may start its game servers. They change with `reload`. */
  get commands(): ScenarioCommands {
    return this.#registry.commands
  }

  uptimeMs(): number {
    return real.now() - this.#createdAt
  }

  /**
   * Keeps the worlds in a storage from now on. One that has worlds goes on with them: the mock's own scenario is merged into
   * the default world, if it has changed since. Returns the numbers of changed rows. Throws `UsageError` for the worlds of
   * another scenario, and `StorageError`.
   */
  keepIn(
    kept: StorageSettings,
    { reset = false }: { readonly reset?: boolean | undefined } = {},
  ): ReloadSummary | undefined {
    const { storage } = kept
    const { name, scenario } = this.#registry.own
    const text = this.settingsText()
    if (reset) storage.clear()
    const { settings: before } = storage
    const known = before === undefined ? undefined : (JSON.parse(before) as { readonly name: string }) // written below
    if (known && known.name !== name)
      throw new UsageError(
        `${storage.place} keeps the worlds of the scenario ${quoted(known.name)}, and not of ${quoted(name)}: serve ${quoted(known.name)} to go on with them, or add --reset to delete them and begin anew`,
      )
    this.worlds.keepIn(kept)
    const hasChanged = known !== undefined && before !== text
    const summary = hasChanged
      ? this.default.applyScenario(this.#registry.definitionOf(scenario, defaultWorldId), () => true)
      : undefined
    if (before !== text) storage.settings = text
    return summary
  }

  async reload(
    changed: ScenarioInput,
    { dryRun = false, accepts = () => !dryRun }: CheckedReloadOptions = {},
  ): Promise<ReloadSummary> {
    const scenario = readScenario(changed, { commands: this.#commands })
    if (this.#checks.length > 0) for (const check of this.#checks) check(scenarioCommands(scenario))
    const summary = this.default.applyScenario(this.#registry.definitionOf(scenario, defaultWorldId), accepts)
    if (!accepts(summary)) return summary
    this.#registry.replaceOwn(scenario)
    const { storage } = this.worlds
    if (storage) storage.settings = this.settingsText()
    this.reloaded.emit(this.commands)
    return summary
  }

  /** Returns the mock's own scenario as JSON, for `settings` of a storage. */
  settingsText(): string {
    const { name, scenario } = this.#registry.own
    return JSON.stringify({ name, scenario: keptScenario(scenario) })
  }

  /** Calls a function with the commands of each reload, before anything happens. What it throws refuses the reload. */
  checkReloads(check: (commands: ScenarioCommands) => void): void {
    this.#checks.push(check)
  }

  /** Calls a function when the mock closes, before its worlds do. The mock waits for its promise. */
  atClose(end: () => Promise<void>): void {
    this.#ends.push(end)
  }

  /** Says that the mock will close. What ends before it may still need its answers. */
  announceClose(): void {
    this.notReady.add('the mock is closing')
  }

  async close(): Promise<void> {
    this.announceClose()
    if (this.#ends.length > 0) await Promise.all(this.#ends.map(end => end()))
    const unused = this.#isStrict ? this.worlds.unusedFaults() : []
    await this.worlds.close()
    checkUnusedFaults(unused)
  }
}

/** Creates a mock. Throws `UsageError` if the scenario or an option is wrong. */
export function createMock(input: MockmakerOptions = {}, entry: EntryParts = {}): Mock {
  const { commands } = entry
  const parsed = parseInput(MockmakerOptions, input, 'options')
  const { scenario } = parsed
  const options = commands && scenario ? { ...parsed, scenario: readScenario(scenario, { commands }) } : parsed
  const memory = { ...memoryLimits, ...entry.memory }
  const registry = (entry.registry ?? createRegistry)(options, entry)
  const settings = {
    registry,
    log: new Emitter(),
    warned: new Emitter(),
    watchTimeoutMs: options.watchTimeoutMs,
    corsOrigins: options.corsOrigins,
    history: {
      exchanges: options.journalSize,
      changes: historyLengthOf(options.history) ?? { ms: 0 }, // the schema accepts no other
      bytes: memory.journal,
      budget: new HistoryBudget(memory.journals),
    },
    events: new EventBudget({ each: memory.events, total: memory.allEvents }),
    isStrict: options.strict,
    secrets: new Set<string>(),
    onBug: entry.onBug ?? reportBug,
  } satisfies CommonSettings
  const worlds = new RunningWorlds(settings, options)
  if (!entry.isKept) void worlds.default
  return new Mock(worlds, settings, entry)
}

/** Creates a registry with the scenario of the options and the named ones. Throws `UsageError` if the scenario is wrong. */
export function createRegistry(
  { scenario, seed, publicUrl, live }: MockmakerOptions,
  { scenarioName, scenarios = { default: defaultScenario } }: EntryParts,
): ScenarioRegistry {
  const name = scenarioName ?? (scenario ? 'own' : 'default')
  const own = { name, scenario: scenario ?? defaultScenario }
  return new ScenarioRegistry({ own, named: scenarios, seed, publicUrl, live })
}

/** Returns the title of a report, and the error below it. `where` says what came of it. */
export function describeBug(error: unknown, where: string): readonly [title: string, error: unknown] {
  if (error instanceof UserCodeError) return [`mockmaker: ${error.subject} failed, ${where}`, error.cause]
  return [`mockmaker: unexpected error, ${where}`, error]
}

function reportBug(error: unknown, where: string): void {
  const [title, cause] = describeBug(error, where)
  // biome-ignore lint/suspicious/noConsole: the one place that reports bugs
  console.error(`${title}\n`, cause)
}
