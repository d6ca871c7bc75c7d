import type { Fault, FaultDelay } from '../contract/faults.js'
import type { ExchangeMatch, JournalEntry, OperationPattern, PendingRequest } from '../contract/journal.js'
import type { OperationId } from '../contract/operations.js'
import { defaultWorldId } from '../contract/paths.js'
import type { Coordinates } from '../contract/regions.js'
import { createLobbies, createPlayer } from '../control/creators.js'
import { type CompletionOptions, completeDeviceLink, expireDeviceLink } from '../control/device-links.js'
import { type Environment, type LobbyEnvironmentOptions, lobbyEnvironment } from '../control/environment.js'
import { type ChangesOptions, type EventBudget, EventReader, type MockEvents } from '../control/events.js'
import { type Explanation, explain, type Question } from '../control/explain.js'
import type { PastExchange } from '../control/explain-exchange.js'
import { type HistoryJson, HistoryOptions, listHistory, listRevisions, type RevisionsJson } from '../control/history.js'
import { lobbyFields, type NewLobbies, type NewLobby, type NewPlayer } from '../control/new-rows.js'
import { listSchedule, type ScheduledJob, ScheduleOptions } from '../control/schedule.js'
import {
  type EndSimulationOptions,
  endSimulation,
  listSimulations,
  type SimulationOptions,
  type SimulationState,
  simulate,
} from '../control/simulation.js'
import { ResetOptions, SnapshotOptions, type WorldControl } from '../control/world-control.js'
import { parseInput } from '../lib/issues.js'
import { quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import type { AnyScenarioName, ScenarioInput } from '../scenario/schema.js'
import { snapshotOf } from '../scenario/world.js'
import type { MockState, ScenarioRegistry } from './scenario-registry.js'
import { type Execute, Executor } from '../server/execute.js'
import { delayed, type Failure, type FaultHandle, type FaultOptions, failure, held } from '../server/fault-calls.js'
import { WorldFaults } from '../server/faults.js'
import { createRequestHandler } from '../server/handle.js'
import { History, type HistoryLimits } from '../server/history.js'
import { WorldJournal } from '../server/journal.js'
import type { ExchangePublisher } from '../server/log.js'
import type { MockRequest, MockResponse, MockResponseInit, RequestHandler } from '../server/message.js'
import { type OverrideResolver, Overrides } from '../server/overrides.js'
import { PendingRequests } from '../server/pending.js'
import { RequestWaits, type WaitOptions } from '../server/request-waits.js'
import { Responder } from '../server/respond.js'
import { withoutWorld } from '../server/routes.js'
import { checkUnusedFaults } from '../server/unused-faults.js'
import { Scheduler } from '../simulation/scheduler.js'
import { undoChangeSets } from '../store/change-set.js'
import type { Clock } from '../store/clock.js'
import { Location } from '../store/columns.js'
import type { LobbyRow, PlayerRow } from '../store/matchmaker-rows.js'
import { Random } from '../store/random.js'
import type { ReloadSummary } from '../store/reload.js'
import { type TokenInfo, tokensOf } from '../store/tokens.js'
import { createWorld, type LiveWorld } from '../store/world.js'
import { readTables, timeOfState, type WorldDefinition, type WorldState } from '../store/world-state.js'

export interface ReloadOptions {
  /** Computes the summary, and changes nothing. Default: false. */
  readonly dryRun?: boolean | undefined
}

/** Settings that all worlds of a mock share. */
export interface MockWorldSettings {
  readonly registry: ScenarioRegistry
  readonly log: ExchangePublisher
  readonly watchTimeoutMs: number
  readonly corsOrigins: readonly string[]
  readonly history: HistoryLimits
  readonly events: EventBudget
  /** True if a reset fails after its work because of a fault that never applied. */
  readonly isStrict: boolean
  /** Reports a bug of the mock or of an override. */
  onBug(error: unknown, where: string): void
}

/** The most requests that may be blocked in a world (PROTOCOL.md B7). */
const maxWaiters = 50_000

/** Tells apart worlds that this process creates in the same millisecond. */
let createdWorlds = 0

/** One world with its journal and its faults. It answers requests, and can be controlled. */
export class MockWorld implements WorldControl {
  readonly id: string
  readonly world: LiveWorld
  readonly faults: WorldFaults
  readonly journal: WorldJournal
  /** Answers the requests of this world. */
  readonly handle: RequestHandler
  /** The reason that users read after the end of the world: see `endWorld`. */
  endedBecause: string | undefined
  readonly #settings: MockWorldSettings
  readonly #history: History
  readonly #overrides: Overrides
  readonly #pending: PendingRequests
  readonly #waits: RequestWaits
  readonly #responder: Responder
  readonly #executor: Executor
  /** Begins the ids of this world's events. */
  readonly #runId = `${Date.now().toString(36)}_${(++createdWorlds).toString(36)}`
  #tokens: { readonly state: WorldState; readonly tokens: readonly TokenInfo[] } | undefined
  #isClosed = false
  readonly #closers: (() => void)[] = []
  /** The state that a reset without a seed goes back to. */
  #initial: Pick<MockState, 'world' | 'withSeed'>

  constructor(id: string, state: MockState, settings: MockWorldSettings) {
    const { watchTimeoutMs, corsOrigins, log, onBug } = settings
    const { revision } = state.world
    const history = new History(settings.history, { revision, at: timeOfState(state.world) })
    const world = createWorld(state.world, changeSet => history.addChange(changeSet))
    world.clock.runJobs(new Scheduler(world, error => onBug(error, 'in a job of the scheduler')))
    this.id = id
    this.world = world
    this.faults = new WorldFaults(world)
    const pending = new PendingRequests(world.clock)
    this.journal = new WorldJournal(history, world, pending)
    this.#settings = settings
    this.#initial = { world: state.world, withSeed: state.withSeed }
    this.#history = history
    this.#overrides = new Overrides(world)
    this.#pending = pending
    this.#waits = new RequestWaits({ history, pending, world })
    const rayIds = new Random(world.seed, id === defaultWorldId ? 'rays' : `rays:${id}`)
    this.#responder = new Responder({
      worldId: id,
      world,
      corsOrigins,
      log,
      history,
      pending,
      rayId: () => rayIds.uuid(),
      onBug: (error, rayId) => onBug(error, `answered with 500 ERROR, ray id ${rayId}`),
    })
    this.#executor = new Executor({ world, watchTimeoutMs, maxWaiters, isClosed: () => this.#isClosed })
    this.handle = this.#createHandler(this.#execute)
    if (state.journal) this.journal.load(state.journal)
  }

  get clock(): Clock {
    return this.world.clock
  }

  /** The tokens of the scenario. */
  get tokens(): readonly TokenInfo[] {
    const { initialState } = this.world
    if (this.#tokens?.state !== initialState)
      this.#tokens = { state: initialState, tokens: tokensOf(readTables(initialState.tables)) }
    return this.#tokens.tokens
  }

  /** True while a client waits: on a watch index, for a fault, for an override, or for events. */
  get isBusy(): boolean {
    const waiting = this.world.waiters + this.#history.listenerCount + this.#overrides.waiting + this.#waits.size
    return waiting > 0 || this.faults.isHolding
  }

  /** The number of requests that wait for their answer. */
  get pendingCount(): number {
    return this.#pending.count()
  }

  on<Id extends OperationId>(operation: Id, resolver: OverrideResolver<Id>): () => void {
    return this.#overrides.add(operation, resolver)
  }

  next(operation: OperationPattern, match?: ExchangeMatch, options?: WaitOptions): Promise<JournalEntry> {
    return this.#waits.next(operation, match, options)
  }

  blocked(count?: number, operation?: OperationPattern, options?: WaitOptions): Promise<PendingRequest[]> {
    return this.#waits.blocked(count, operation, options)
  }

  /** Answers a request in this world, whatever world its path or its header names. */
  answer(request: MockRequest): MockResponse | Promise<MockResponse> {
    return this.handle(withoutWorld(request))
  }

  async lobby(fields: NewLobby = {}): Promise<LobbyRow> {
    const [lobby] = createLobbies(this.world, [fields])
    return lobby as LobbyRow // one for each input
  }

  async lobbies(count: number, fields?: NewLobbies): Promise<LobbyRow[]> {
    return createLobbies(this.world, lobbyFields(count, fields))
  }

  async player(fields?: NewPlayer): Promise<PlayerRow> {
    return createPlayer(this.world, fields)
  }

  fail(operation: OperationPattern, what: Failure, options?: FaultOptions): FaultHandle {
    return this.#addFault(failure(operation, what, options))
  }

  delay(operation: OperationPattern, delay: FaultDelay, options?: FaultOptions): FaultHandle {
    return this.#addFault(delayed(operation, delay, options))
  }

  hold(operation: OperationPattern, options?: FaultOptions): FaultHandle {
    return this.#addFault(held(operation, options))
  }

  /** Returns a handler like `handle` that answers one operation by a resolver. */
  handlerWith<Id extends OperationId>(id: Id, resolver: OverrideResolver<Id>): RequestHandler {
    return this.#createHandler(this.#overrides.overriding(id, resolver, this.#execute))
  }

  /** Answers a request with an error, for entry points. `startedAt` is in ms of `performance.now()`. Default: now. */
  refuse(request: MockRequest, error: unknown, startedAt?: number): MockResponse {
    return this.#responder.refuse(request, error, startedAt)
  }

  /** Answers a request with a response that an entry point made. `startedAt` is in ms of `performance.now()`. Default: now. */
  respond(request: MockRequest, init: MockResponseInit, startedAt?: number): MockResponse {
    return this.#responder.respond(request, init, startedAt)
  }

  changes(options?: ChangesOptions): MockEvents {
    const { world } = this
    return new EventReader(
      { world, history: this.#history, runId: this.#runId, budget: this.#settings.events },
      options,
    )
  }

  explain(question: Question): Explanation {
    const { world, faults } = this
    void world.clock.catchUp()
    const exchange = (id: number) => this.#pastExchange(id)
    return explain({ world, corsOrigins: this.#settings.corsOrigins, faults, exchange }, question)
  }

  /** Finds a past request, and the world right before it. Throws `UsageError` if the journal does not have it. */
  #pastExchange(id: number): PastExchange {
    const entry = this.#entry(id)
    const { revisions = [] } = entry
    try {
      const before = this.#stateBefore(id)
      const [first] = revisions
      const later = first === undefined ? [] : this.#history.changesSince(first - 1).later
      return { entry, before, changeSets: later.filter(({ revision }) => revisions.includes(revision)) }
    } catch (error) {
      // The history keeps fewer change sets than the journal keeps requests, and none of a snapshot.
      if (error instanceof UsageError) return { entry, before: undefined, changeSets: undefined }
      throw error
    }
  }

  /** Returns the journal entry of a request. Throws `UsageError` if the journal does not have it. */
  #entry(id: number): JournalEntry {
    const entry = this.journal.get(id)
    if (entry) return entry
    throw new UsageError(`the journal has no request ${id}: GET /__mock/journal lists the requests that it has`)
  }

  lobbyEnvironment(lobbyId: string, options?: LobbyEnvironmentOptions): Environment {
    return lobbyEnvironment(this.world.tables, lobbyId, options)
  }

  async setClientLocation(location: Coordinates | null): Promise<void> {
    const { world } = this
    const client = parseInput(Location.nullable(), location, 'location')
    const write = () => world.transaction(({ settings }) => settings.update('settings', { client }))
    world.write(write, { cause: { kind: 'control', call: 'setClientLocation' } })
  }

  simulate(options: SimulationOptions = {}): Promise<SimulationState> {
    return simulate(this.world, options)
  }

  simulations(): SimulationState[] {
    return listSimulations(this.world.tables)
  }

  endSimulation(options: EndSimulationOptions = {}): Promise<boolean> {
    return endSimulation(this.world, options)
  }

  completeDeviceLink(token: string, options?: CompletionOptions): Promise<void> {
    return completeDeviceLink(this.world, token, options)
  }

  expireDeviceLink(token: string): Promise<void> {
    return expireDeviceLink(this.world, token)
  }

  snapshot(options: SnapshotOptions = {}): ScenarioInput {
    const { with: parts = [], revision, before } = parseInput(SnapshotOptions, options, 'snapshot')
    void this.world.clock.catchUp()
    const hasFaults = parts.includes('faults')
    const hasJournal = parts.includes('journal')
    if (before !== undefined) {
      const snapshot = snapshotOf(this.#stateBefore(before), { hasFaults })
      return hasJournal ? { ...snapshot, journal: this.journal.find().filter(({ id }) => id < before) } : snapshot
    }
    const state = revision === undefined ? this.world.state : this.stateAt(revision)
    const snapshot = snapshotOf(state, { hasFaults })
    return hasJournal ? { ...snapshot, journal: this.#journalAt(revision) } : snapshot
  }

  /** Returns the state right before a request, at its time. Throws `UsageError` if the history does not have it. */
  #stateBefore(requestId: number): WorldState {
    const entry = this.#entry(requestId)
    // Its revisions may be those of other change sets here.
    if (this.#history.isLoaded(requestId))
      throw new UsageError(
        `request ${requestId} is from a snapshot, which does not have the world before it: leave before out for the present world`,
      )
    const [own] = entry.revisions ?? []
    if (own === undefined) {
      const revision = this.#history.revisionBefore(requestId)
      return undoChangeSets(this.world.state, this.#history.changesSince(revision).later, {
        revision,
        at: Date.parse(entry.time),
      })
    }
    const { revision, later } = this.#history.changesSince(own - 1)
    const { at } = this.#history.changesSince(own)
    return undoChangeSets(this.world.state, later, { revision, at })
  }

  /** Returns the state right after a change set. Throws `UsageError` if the history no longer has it. */
  stateAt(revision: number): WorldState {
    const { at, later } = this.#history.changesSince(revision)
    return undoChangeSets(this.world.state, later, { revision, at })
  }

  nextChangeId(revision: number): number | undefined {
    const id = this.#history.nextChangeAfter(revision)
    return Number.isFinite(id) ? id : undefined
  }

  history(options: HistoryOptions = {}): HistoryJson {
    return listHistory(this.#history, parseInput(HistoryOptions, options, 'history'))
  }

  revisions(options: Pick<HistoryOptions, 'since' | 'limit'>): RevisionsJson {
    return listRevisions(this.#history, parseInput(HistoryOptions, options, 'revisions'))
  }

  schedule(options: ScheduleOptions = {}): ScheduledJob[] {
    void this.world.clock.catchUp()
    return listSchedule(this.world, parseInput(ScheduleOptions, options, 'schedule'))
  }

  async reset(options: ResetOptions = {}): Promise<void> {
    const { keep = [], seed } = parseInput(ResetOptions, options, 'reset')
    const state = this.#stateWithSeed(seed)
    const unused = this.#settings.isStrict && !keep.includes('faults') ? this.faults.unused() : []
    this.#releaseRequests()
    const beforeCommit = () => this.#startOver(keep.includes('journal') ? undefined : [])
    this.world.reset({ state, keep: keep.filter(part => part !== 'journal'), beforeCommit })
    this.#waits.reject('the world was reset')
    checkUnusedFaults(unused)
  }

  async load(scenario: AnyScenarioName | ScenarioInput): Promise<void> {
    // A name that is misspelt in `mockmaker/scenarios` is undefined. It must not load the mock's own scenario.
    if (scenario === undefined || scenario === null)
      throw new UsageError(`load: the scenario is ${scenario}: expected a scenario, or the name of one`)
    this.replaceState(this.#settings.registry.stateOf(scenario, { worldId: this.id }))
  }

  async restore(snapshot: ScenarioInput): Promise<void> {
    if (typeof snapshot?.revision !== 'number') throw notASnapshot()
    const { world, journal, withSeed } = this.#settings.registry.stateOf(snapshot, { worldId: this.id })
    this.#releaseRequests()
    this.world.replaceState(world, {
      cause: { kind: 'load' },
      // Parts that the snapshot leaves out stay.
      keep: snapshot.faults ? [] : ['faults'],
      beforeCommit: () => journal && this.journal.load(journal),
    })
    this.#waits.reject('the world was restored')
    this.#initial = { world, withSeed }
  }

  /** Replaces the state and the journal. From now on a reset goes back to this state. */
  replaceState({ world, journal = [], withSeed }: MockState): void {
    this.#releaseRequests()
    this.world.replaceState(world, { cause: { kind: 'load' }, beforeCommit: () => this.#startOver(journal) })
    this.#waits.reject('the world was replaced')
    this.#initial = { world, withSeed }
  }

  /** Merges a changed scenario into the world, which keeps all other changes. Throws `UsageError`. */
  applyScenario(definition: WorldDefinition, { dryRun: isDryRun }: ReloadOptions = {}): ReloadSummary {
    const summary = this.world.reload(definition, { isDryRun })
    this.faults.releaseDeleted()
    const { registry } = this.#settings
    if (!isDryRun) this.#initial = { world: this.world.initialState, withSeed: registry.withSeed(undefined, this.id) }
    return summary
  }

  /** Calls a function when the world is closed. */
  atClose(run: () => void): void {
    this.#closers.push(run)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    for (const run of this.#closers.splice(0)) run()
    this.#waits.end(this.id === defaultWorldId ? 'the mock was closed' : `the world ${quoted(this.id)} was deleted`)
    this.world.clock.runJobs(undefined)
    this.#history.end()
    this.faults.close()
    this.#overrides.clear()
    this.world.endWaiters()
  }

  /** Answers the requests that faults hold, so that they write to the present state and not to the next one. */
  #releaseRequests(): void {
    if (this.world.openTransaction) throw new UsageError('a transaction cannot replace its world: end it first')
    this.faults.releaseAll()
  }

  /** Returns the state to reset to: that of the scenario, or the same with another seed. */
  #stateWithSeed(seed: number | undefined): WorldState | undefined {
    const { world, withSeed } = this.#initial
    if (seed !== undefined) return withSeed(seed)
    return world.seed === this.world.initialState.seed ? undefined : world
  }

  #addFault(fault: Fault): FaultHandle {
    const { faults } = this
    const state = faults.add(fault)
    const remove = () => faults.remove(state.id)
    const release = () => {
      const released = faults.release(state.id) ?? 0
      remove()
      return released
    }
    return Object.freeze({ ...state, remove, release })
  }

  #startOver(journal: readonly JournalEntry[] | undefined): void {
    this.#overrides.clear()
    if (journal) this.journal.load(journal)
  }

  /** Lists the requests before the first change set after a revision. Default: all. */
  #journalAt(revision = Number.POSITIVE_INFINITY): JournalEntry[] {
    const next = this.#history.nextChangeAfter(revision)
    return this.journal.find().filter(({ id }) => id < next)
  }

  readonly #execute: Execute = call => this.#overrides.execute(call, this.#executor.execute)

  #createHandler(execute: Execute): RequestHandler {
    const { world, faults } = this
    return createRequestHandler({
      world,
      responder: this.#responder,
      faults,
      pending: this.#pending,
      corsOrigins: this.#settings.corsOrigins,
      execute,
    })
  }
}

/** Binds the methods, so that they work without their object: `const { world, reset } = createMockmaker()`. */
export function bindMethods(mock: MockWorld): void {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(MockWorld.prototype)))
    if (typeof value === 'function' && name !== 'constructor')
      Object.defineProperty(mock, name, { value: value.bind(mock), writable: true, configurable: true })
}

function notASnapshot(): UsageError {
  return new UsageError(
    'revision is missing: this is not a snapshot. Load a scenario with PUT /__mock/scenario instead',
  )
}
