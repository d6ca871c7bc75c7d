import { version } from '../../version.js'
import { ApiError } from '../contract/errors.js'
import type { JournalEntry } from '../contract/journal.js'
import type { OperationId } from '../contract/operations.js'
import { defaultWorldId } from '../contract/paths.js'
import { type ChangesOptions, type EventBudget, EventReader, type MockEvents } from '../control/events.js'
import { explain, type Question } from '../control/explain/explain.js'
import type { Explanation } from '../control/explain/explain-find.js'
import { Past } from '../control/explain/past.js'
import { type HistoryJson, HistoryOptions, listHistory } from '../control/history.js'
import { ObservedWorld } from '../control/states.js'
import { explainRefusal } from '../control/stories/explain-refusal.js'
import { StoryBook } from '../control/stories/find-stories.js'
import { servedLobby } from '../control/stories/served-lobby.js'
import { type SavedStories, StoryRecorder } from '../control/stories/stories.js'
import { type NewWarning, WarningRecorder } from '../control/warnings/recorder.js'
import type { WarningsState } from '../control/warnings/warning.js'
import { CapsuleOptions, ResetOptions, SnapshotOptions } from '../control/world-control.js'
import type { Emitter } from '../lib/emitter.js'
import { parseInput } from '../lib/issues.js'
import { jsonPieces } from '../lib/long-json.js'
import { quoted, UsageError } from '../lib/messages.js'
import { runAtOnce, type Steps } from '../lib/steps.js'
import { formatInstant, parseDuration } from '../lib/time.js'
import { applyOutages } from '../operations/outages.js'
import { Exchange } from '../pipeline/exchange.js'
import { type CallRunner, Executor } from '../pipeline/execute.js'
import { LiveFaults } from '../pipeline/faults.js'
import { LiveHeldRequests } from '../pipeline/held-requests.js'
import { History, type HistoryLimits, type StoredExchange } from '../pipeline/history.js'
import { LiveJournal } from '../pipeline/journal.js'
import type { ExchangeRecord } from '../pipeline/log.js'
import type { MockRequest, MockResponse, RequestHandler } from '../pipeline/message.js'
import { type OverrideResolver, Overrides } from '../pipeline/overrides.js'
import { PendingRequests } from '../pipeline/pending.js'
import { Redactor } from '../pipeline/redact.js'
import { RequestWaits } from '../pipeline/request-waits.js'
import { Responder } from '../pipeline/respond.js'
import { withoutWorld } from '../pipeline/routes.js'
import { checkUnusedFaults } from '../pipeline/unused-faults.js'
import { readSnapshot } from '../scenario/read.js'
import type { AnyScenarioName, ScenarioInput } from '../scenario/schema.js'
import { snapshotSteps } from '../scenario/world.js'
import { resumeWorld } from '../simulation/resume.js'
import { Scheduler } from '../simulation/scheduler.js'
import { type GameServerLog, LiveServers } from '../simulation/servers.js'
import { encodePast, withoutSecrets } from '../storage/capsule.js'
import type { UseFacts, WorldInStorage } from '../storage/world-storage.js'
import type { Clock, ClockState } from '../store/clock.js'
import { Random } from '../store/random.js'
import type { ReloadSummary } from '../store/reload.js'
import { runInSlices } from '../store/timers.js'
import { type TokenInfo, tokensOf } from '../store/tokens.js'
import { LiveWorld, type LoggedWorld } from '../store/world.js'
import { readTables, type StateDefinition, timeOfState } from '../store/world-state.js'
import { otherSeeds, type ScenarioRegistry, type StartState } from './scenario-registry.js'

/** The reason for a world whose test has ended. */
export const testHasEnded = 'this mock belongs to a test that has ended: use the mock of the present test'

export interface ReloadOptions {
  /** Computes the summary, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined
}

export interface CommonSettings {
  readonly registry: ScenarioRegistry
  readonly log: Emitter<ExchangeRecord>
  readonly warned: Emitter<NewWarning>
  readonly watchTimeoutMs: number
  readonly corsOrigins: readonly string[]
  readonly history: HistoryLimits
  readonly events: EventBudget
  /** Texts that no journal, log or HAR may show, besides the tokens of a world. */
  readonly secrets: ReadonlySet<string>
  /** True if a reset fails after its work because of a fault that never applied. */
  readonly isStrict: boolean
  /** Reports a bug of the mock or of an override. */
  onBug(error: unknown, where: string): void
}

const noWarnings: WarningsState = { warnings: [], dropped: 0 }

/** The most requests that may be blocked in a world (PROTOCOL.md B7). */
const maxWaiters = 50_000

function raysOf(id: string): string {
  return id === defaultWorldId ? 'rays' : `rays:${id}`
}

/** One world with its journal and its faults. It answers requests, and can be controlled. */
export class RunningWorld {
  readonly id: string
  readonly world: LiveWorld
  readonly faults: LiveFaults
  readonly held: LiveHeldRequests
  readonly journal: LiveJournal
  readonly handle: RequestHandler
  /** Responds without running an operation: with a page, a result of the control API, or an error. */
  readonly responder: Responder
  readonly overrides: Overrides
  readonly pending: PendingRequests
  readonly waits: RequestWaits
  readonly servers: LiveServers
  readonly states: ObservedWorld
  readonly past: Past
  readonly stories: StoryBook
  readonly warnings: WarningRecorder
  readonly #settings: CommonSettings
  readonly #history: History
  readonly #recorder: StoryRecorder
  readonly #runner: CallRunner
  readonly #handlerOf: (runner: CallRunner) => RequestHandler
  #isClosed = false
  readonly #closers: (() => void)[] = []
  /** Creates the state that a reset goes back to, with another seed. */
  #withSeed: StartState['withSeed']
  readonly #rays: Random

  constructor(id: string, state: StartState, settings: CommonSettings) {
    const { watchTimeoutMs, corsOrigins, log, warned, onBug } = settings
    const { revision } = state.world
    const start = { revision, at: timeOfState(state.world) }
    const history = new History(settings.history, start, exchanges => this.past.explain(exchanges))
    const world = new LiveWorld(state.world, changeSet => {
      history.addChange(changeSet)
      recorder.addChange(changeSet)
      this.warnings.addChange(changeSet)
    })
    const recorder = new StoryRecorder(world.tables, start)
    this.past = new Past(world, history)
    world.clock.runJobs(new Scheduler(world, error => onBug(error, 'in a job of the scheduler')))
    this.id = id
    this.world = world
    this.faults = new LiveFaults(world)
    const redactor = new Redactor(world.tables, settings.secrets)
    this.held = new LiveHeldRequests(world, this.faults, redactor)
    this.pending = new PendingRequests(world.clock, redactor)
    this.#settings = settings
    this.#withSeed = state.withSeed
    this.#history = history
    this.#recorder = recorder
    this.overrides = new Overrides(world)
    const { faults, pending } = this
    this.waits = new RequestWaits({ history, pending, world, redactor })
    this.journal = new LiveJournal({ history, world, pending, waits: this.waits, redactor })
    this.servers = new LiveServers(world, lobbyId => servedLobby(lobbyId, { world, history, stories: recorder }))
    const { servers } = this
    const { changed } = recorder
    const stories = { state: () => this.stories.state(), changed }
    const warnings = new WarningRecorder({ id, world, servers, log: warned, onBug })
    this.warnings = warnings
    this.states = new ObservedWorld({ id, world, history, pending, faults, servers, stories, warnings })
    this.stories = new StoryBook({ world, history, past: this.past, servers, stories: recorder })
    this.#rays = new Random(world.seed, raysOf(id))
    const allowed = { tables: world.tables, corsOrigins }
    this.responder = new Responder({ worldId: id, allowed, log, redactor, rays: this.#rays, onBug })
    const executor = new Executor({ world, watchTimeoutMs, maxWaiters, isClosed: () => this.#isClosed })
    this.#runner = this.overrides.over(executor)
    const record: WarningRecorder['addExchange'] = (exchange, facts, response, endedAt) => {
      history.addExchange(exchange)
      recorder.addExchange(exchange)
      warnings.addExchange(exchange, facts, response, endedAt)
    }
    const parts = { worldId: id, world, faults, history, pending, responder: this.responder, record }
    this.#handlerOf = run => request => new Exchange(request, parts).answer(run)
    this.handle = this.#handlerOf(this.#runner)
    if (state.journal) this.journal.load(state.journal)
    this.#adoptPast(state)
  }

  get clock(): Clock {
    return this.world.clock
  }

  get tokens(): readonly TokenInfo[] {
    return tokensOf(readTables(this.world.initialState.tables))
  }

  /** True while a client waits: on a watch index, for a fault, for an override, or for events. */
  get isBusy(): boolean {
    const waiting = this.world.waiters + this.#history.listenerCount + this.overrides.waiting + this.waits.size
    return waiting > 0 || this.faults.isHolding
  }

  /** Returns this world. Throws `UsageError` with the reason if it has ended. */
  usable(): this {
    this.world.checkUsable()
    return this
  }

  /** Answers a request in this world, whatever world its path or its header names. */
  answer(request: MockRequest): MockResponse | Promise<MockResponse> {
    return this.handle(withoutWorld(request))
  }

  /** Returns a handler like `handle` that answers one operation by a resolver. */
  handlerWith<Id extends OperationId>(id: Id, resolver: OverrideResolver<Id>): RequestHandler {
    return this.#handlerOf(this.overrides.overriding(id, resolver, this.#runner))
  }

  changes(options?: ChangesOptions): MockEvents {
    const { world } = this
    return new EventReader(
      { world, history: this.#history, states: this.states, budget: this.#settings.events },
      options,
    )
  }

  explain(question: Question): Explanation {
    const { world, faults } = this
    void world.clock.catchUp()
    const reasonsOf = (id: number) => {
      const [exchange, history] = [this.#exchange(id), this.#history]
      const source = { world, history, servers: this.servers, stories: this.stories }
      return explainRefusal(exchange, this.past.reasonsOf(exchange), source)
    }
    // A transaction cannot share its tables, and its code gets the answer at once.
    const tables = world.openTransaction ? world.tables : readTables(world.state.tables)
    const { seed, hasPassed, starter, outageOf } = world
    const view = { tables, seed, hasPassed, starter, outageOf }
    return explain({ world: view, corsOrigins: this.#settings.corsOrigins, faults, reasonsOf }, question)
  }

  #exchange(id: number): StoredExchange {
    const exchange = this.#history.exchange(id)
    if (exchange) return exchange
    throw new UsageError(`the journal has no request ${id}: GET /__mock/journal lists the requests that it has`)
  }

  /** The first step takes the world and its journal as they are then. */
  *snapshot(options: SnapshotOptions = {}): Steps<ScenarioInput> {
    const { with: parts = [], revision, before } = parseInput(SnapshotOptions(), options, 'snapshot')
    void this.world.clock.catchUp()
    const next = before ?? (revision === undefined ? undefined : this.nextChangeId(revision))
    const journal = parts.includes('journal') ? this.journal.entriesBefore(next) : undefined
    const state = yield* before === undefined
      ? this.past.stateAt(revision)
      : this.past.stateBefore(this.#exchange(before))
    const snapshot = yield* snapshotSteps(state, { hasFaults: parts.includes('faults') })
    return journal ? { ...snapshot, journal } : snapshot
  }

  /** Returns the world with its past, as JSON. The first step takes all of it as it is then. */
  *capsule(options: CapsuleOptions = {}): Steps<string> {
    const { last } = parseInput(CapsuleOptions(), options, 'capsule')
    void this.world.clock.catchUp()
    const { state } = this.world
    const rays = this.#rays.save()
    const servers = this.servers.logs()
    const others = { version, rays, stories: this.#recorder.save(), warnings: this.warnings.state(), servers }
    const past = yield* encodePast(
      { world: this.world, history: this.#history, past: this.past },
      others,
      last === undefined ? undefined : parseDuration(last),
    )
    const snapshot = yield* snapshotSteps({ ...state, clock: { ...state.clock, mode: 'frozen' } }, { hasFaults: true })
    const pieces = yield* jsonPieces({ ...snapshot, past })
    return withoutSecrets(pieces.join(''), this.#settings.secrets)
  }

  nextChangeId(revision: number): number | undefined {
    return this.#history.nextChangeAfter(revision)
  }

  history(options: HistoryOptions = {}): HistoryJson {
    return listHistory(this.#history, parseInput(HistoryOptions(), options, 'history'))
  }

  async reset(options?: ResetOptions): Promise<void> {
    // The first use of a schema takes longer than the reset of a small world.
    const { keep = [], seed } = options === undefined ? {} : parseInput(ResetOptions(), options, 'reset')
    const kept = keep.filter(part => part !== 'journal')
    const { initialState } = this.world
    const { unseeded = initialState } = initialState
    const seeded = seed === undefined ? unseeded : { ...this.#withSeed(seed), unseeded }
    const unused = this.#settings.isStrict && !keep.includes('faults') ? this.faults.list({ unused: true }) : []
    this.#releaseRequests()
    this.world.reset({
      state: seeded,
      keep: kept,
      beforeCommit: () => this.#startOver(keep.includes('journal') ? undefined : []),
    })
    this.warnings.begin()
    applyOutages(this.world)
    this.waits.reject('the world was reset')
    checkUnusedFaults(unused)
  }

  async load(scenario: AnyScenarioName | ScenarioInput): Promise<void> {
    await runInSlices(this.loadInSteps(scenario))
  }

  /** Loads a scenario. Only the last step changes the world. */
  *loadInSteps(scenario: AnyScenarioName | ScenarioInput): Steps<void> {
    // A name that is misspelt in `mockmaker/scenarios` is undefined. It must not load the mock's own scenario.
    if (scenario === undefined || scenario === null)
      throw new UsageError(`load: the scenario is ${scenario}: expected a scenario, or the name of one`)
    const { registry } = this.#settings
    this.replaceState(yield* registry.decoded(registry.stateOf(scenario, { worldId: this.id }), this.id))
  }

  async restore(snapshot: ScenarioInput): Promise<void> {
    const scenario = readSnapshot(snapshot)
    const { registry } = this.#settings
    const { world, journal, withSeed } = registry.stateOf(scenario, { worldId: this.id })
    this.#releaseRequests()
    this.world.replaceState(world, {
      cause: { kind: 'load' },
      // Parts that the snapshot leaves out stay.
      keep: scenario.content.faults ? [] : ['faults'],
      beforeCommit: () => journal && this.journal.load(journal),
    })
    this.warnings.begin()
    applyOutages(this.world)
    this.waits.reject('the world was restored')
    this.#withSeed = withSeed
  }

  /** Replaces the state and the journal. From now on a reset goes back to this state. */
  replaceState(state: StartState): void {
    const { world, journal = [], withSeed } = state
    this.#releaseRequests()
    // The log of a storage would have a gap.
    if (state.past && this.#history.keptAs === undefined) {
      this.#startOver([])
      this.#adoptPast(state)
      this.waits.reject('the world was replaced')
      return
    }
    if (state.past)
      // biome-ignore lint/suspicious/noConsole: a warning has no other way to the user
      console.warn('mockmaker: warning: a storage keeps this world, so it has the end of the capsule, and not its past')
    this.world.replaceState(world, {
      cause: { kind: 'load' },
      beforeCommit: () => this.#startOver(journal),
    })
    this.warnings.begin()
    this.waits.reject('the world was replaced')
    this.#withSeed = withSeed
  }

  /** Becomes the world of a capsule, with its past. From now on a reset goes back to its end. Does nothing without a past. */
  #adoptPast({ past, world: end }: StartState): void {
    if (!past) return
    const { encoded, logged } = past
    const { clock } = this.world
    let shift = 0
    clock.halt()
    runAtOnce(
      this.world.adopt(logged, () => {
        shift = this.#history.loadPast(past)
      }),
    )
    clock.restore({ ...end.clock, now: encoded.clock.now })
    clock.resume()
    this.#rays.restore(encoded.rays)
    // `capsule` has saved all three.
    this.servers.showPast(encoded.servers as readonly GameServerLog[], formatInstant(encoded.clock.now))
    this.#recorder.load(encoded.stories as SavedStories, shift)
    this.warnings.load((encoded.warnings ?? noWarnings) as WarningsState, shift)
    this.#history.restarted.emit()
    resumeWorld(this.world, { at: encoded.clock.now, missedMs: 0 })
    this.#takeServersOf(end)
    this.world.beginHere()
    this.#withSeed = otherSeeds(this.world.initialState)
  }

  /** Takes the settings of game servers from the scenario of the reader, who may have added a command. */
  #takeServersOf({ tables }: StartState['world']): void {
    const { settings } = this.world.tables
    const [given] = tables.settings.all()
    const own = settings.get('settings')
    if (!given || !own || (given.servers === own.servers && given.ready_within_ms === own.ready_within_ms)) return
    const { servers, ready_within_ms } = given
    const changed = Object.freeze({ ...own, servers, ready_within_ms })
    this.world.write(() => settings.put(changed), { cause: { kind: 'restart' } })
  }

  /** Goes on with the world that a storage has kept. What this one did before is lost. Its clock stands still between the steps. */
  *loadFrom(logged: LoggedWorld, stored: WorldInStorage, use: UseFacts): Steps<void> {
    const { clock, seed } = this.world
    clock.halt()
    const stopped = yield* this.adopt(logged)
    const now = logged.clockNow(stopped)
    clock.restore(now)
    clock.resume()
    // An earlier run has used the first ids.
    if (stored.starts > 1) this.#rays.restore(new Random(seed, `${raysOf(this.id)}#${stored.starts}`).save())
    this.keepIn(stored, use)
    const stop = { at: stopped.now, missedMs: now.now - stopped.now }
    stored.changeSoon(() => resumeWorld(this.world, stop))
  }

  /** Becomes a kept world, at the time of its newest change. Returns its clock then. The clock must stand still between the steps. */
  *adopt(logged: LoggedWorld): Steps<ClockState> {
    this.#releaseRequests()
    const { revision, clock } = logged.base
    const stopped = yield* this.world.adopt(logged, () => {
      const start = { revision, at: clock.now }
      this.#history.restart(start)
      this.#recorder.begin(start)
      this.warnings.end()
    })
    this.warnings.begin()
    this.#recorder.restart(this.world.revision)
    this.#startOver([])
    this.waits.reject('the world was loaded from its storage')
    this.#withSeed = this.#settings.registry.withSeedOf(this.world.initialState, this.id)
    return stopped
  }

  /** Keeps each change in a storage from now on. `use` says when it was used. */
  keepIn(stored: WorldInStorage, use: UseFacts): void {
    // A folder of an earlier version has none.
    this.#history.keptAs = stored.born || undefined
    stored.follow(this.world, this.past, use)
  }

  /** Merges a changed scenario into the world, which keeps all other changes. Throws `UsageError`. */
  applyScenario(definition: StateDefinition, accepts: (summary: ReloadSummary) => boolean): ReloadSummary {
    const summary = this.world.reload(definition, { accepts })
    this.faults.releaseDeleted()
    applyOutages(this.world)
    const { registry } = this.#settings
    if (accepts(summary)) this.#withSeed = registry.withSeed(undefined, this.id)
    return summary
  }

  atClose(run: () => void): void {
    this.#closers.push(run)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const run of this.#closers.splice(0)) run()
    this.waits.end(
      this.id === defaultWorldId
        ? 'the mock was closed'
        : `the world ${quoted(this.id)} was deleted, or left this process,`,
    )
    this.world.clock.runJobs(undefined)
    this.warnings.end()
    this.#history.end()
    this.faults.close()
    this.overrides.clear()
    this.world.endWaiters()
  }

  /** Answers the requests that faults hold, so that they write to the present state and not to the next one. */
  #releaseRequests(): void {
    const { endedBecause } = this.world
    if (endedBecause !== undefined) throw new ApiError('API_NOT_FOUND', endedBecause)
    if (this.world.openTransaction) throw new UsageError('a transaction cannot replace its world: end it first')
    this.world.checkTakesChanges()
    this.faults.releaseAll()
  }

  #startOver(journal: readonly JournalEntry[] | undefined): void {
    this.overrides.clear()
    if (journal) this.journal.load(journal)
  }
}
