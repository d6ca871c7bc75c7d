import { callListener } from '../lib/emitter.js'
import { sameJson } from '../lib/json.js'
import { UsageError } from '../lib/messages.js'
import type { Steps } from '../lib/steps.js'
import { type Cause, type Change, type ChangeSet, ChangeSetPublisher, type ChangeSetResult } from './change-set.js'
import { type Clock, type ClockChange, type ClockState, LiveClock } from './clock.js'
import { callAll, clockTag, Dependencies, type Reading, type Tag } from './dependencies.js'
import { type FaultsState, outageOf, replaceScenarioFaults, shiftFaults, withoutScenario } from './faults.js'
import type { ServerStarter } from './lobby-rules.js'
import type { Tables } from './model.js'
import { models } from './models.js'
import { Random, type RandomState } from './random.js'
import { realTime } from './real-time.js'
import { type ReloadSummary, reloadState } from './reload.js'
import type { TableName } from './rows.js'
import { type TableContext, TreeTable } from './table.js'
import { tableNames } from './table-names.js'
import { Transaction } from './transaction.js'
import {
  arrivedLobbies,
  type Initial,
  initialClock,
  mapTables,
  nameOf,
  type StateDefinition,
  type TableStates,
  timeOfState,
  type WorldState,
} from './world-state.js'
import { openTables, rowStore, TableCollection, type TransactionTables, type WorldTables } from './world-tables.js'

/** One isolated sandbox: its tables, clock, seed and revision. Reads are synchronous, and rows are frozen. */
export interface World extends WorldTables {
  readonly title: string
  /** The description of the scenario. `undefined` if it has none. */
  readonly description: string | undefined
  readonly seed: number
  readonly clock: Clock
  /** The number of the newest change set. */
  readonly revision: number
  /** The number of blocked requests. */
  readonly waiters: number
  /**
   * Runs a function at once, and commits its writes through `tx`. If the function throws, all its writes are undone, and the
   * error is thrown again. A transaction inside another one is a savepoint: if the outer one catches the error, only the
   * inner writes are undone. Throws `UsageError` if rows break a constraint, or if the function returns a promise.
   */
  transaction<T>(write: (tx: TransactionTables) => T): T
  /** Calls the listener after each change set. Returns a function that unsubscribes. A write by a listener is published later. */
  subscribe(listener: (changeSet: ChangeSet) => void): () => void
}

/** A world for reads. It has no clock, only `hasPassed`: so `Reading.until` says how long the answer of a read is valid. */
export interface ReadView {
  readonly tables: Tables
  /** Checks if the world's time has reached `at`, in ms since the epoch. */
  hasPassed(at: number): boolean
  /** Identifies the tokens that the world created. */
  readonly seed: number
  /** Tells which lobbies can get a game server, and how one ended. */
  readonly starter: Pick<ServerStarter, 'starts' | 'endText'>
  /** Returns the id of the fault that has taken a region down. `undefined` if the region is up. */
  outageOf(region_id: string): string | undefined
}

/** Starts no game server. */
const noStarter: ServerStarter = { starts: () => false, serves: () => false, endText: () => undefined }

/** A blocked request. It stays in `world.waiting` until its answer. */
export interface Waiter {
  /** Answers the request with the present state, as at its deadline. */
  end(): void
}

/** The options of a transaction of the mock itself. */
export interface WriteOptions {
  /** A function is called at the commit. */
  readonly cause: Cause | (() => Cause)
  /** The time of the transaction, in ms since the epoch. Default: the present time. */
  readonly at?: number | undefined
  /** The transaction appends the revisions of its change sets to this list. */
  readonly revisions?: number[] | undefined
}

interface ReplaceOptions {
  readonly cause: Cause
  /** The parts that stay. Default: none. */
  readonly keep?: readonly ('clock' | 'faults')[] | undefined
  /** Runs in the transaction, before its commit. */
  readonly beforeCommit?: (() => void) | undefined
}

/** Keeps the change sets of a world outside the process. */
export interface ChangeLog {
  /**
   * Appends a change set before it is committed. `initial` is the new initial state, if the change set replaces it. If it
   * throws, the transaction is rolled back.
   */
  append(changeSet: ChangeSet, initial: Initial | undefined): void
  /** Throws if the log takes no change sets now. */
  check(): void
  /** Resolves when all change sets until now are kept. `undefined` if they are. Throws or rejects with `ApiError` if one is not. */
  settled(): Promise<void> | undefined
  /** Resolves when few change sets wait to be kept, or when they cannot be kept. `undefined` if they are few. */
  drained(): Promise<void> | undefined
}

/** A world as a log has it: its initial state, a later state, and the change sets since then, which may be decoded as they are read. */
export interface LoggedWorld {
  readonly initial: Initial
  readonly base: WorldState & { readonly clock: ClockState }
  readonly changeSets: Iterable<LoggedChangeSet>
  /** Returns the clock that goes on now. `clock`: right after the newest change set. */
  clockNow(clock: ClockState): ClockState
}

/** The result of a change set. `initial` is as for `ChangeLog.append`. */
export interface LoggedChangeSet extends ChangeSetResult {
  readonly initial?: Initial | undefined
}

/** A world with the calls for the mock itself. */
export class LiveWorld implements WorldTables, TableContext, ReadView {
  readonly clock: LiveClock
  readonly random: Random
  readonly waiting = new Set<Waiter>()
  readonly dependencies = new Dependencies()
  readonly tables: Tables
  openTransaction: Transaction | undefined
  /** Starts the game servers of its lobbies. Default: nobody does. */
  starter = noStarter
  #initial: Initial
  #faults: FaultsState
  #revision: number
  #cause: Cause = { kind: 'code' }
  readonly #record: ((changeSet: ChangeSet) => void) | undefined
  #log: ChangeLog | undefined
  /** Resolves when the newest promise of `settled` has settled. `undefined` if all have. */
  #lastOutput: Promise<void> | undefined
  readonly #publisher = new ChangeSetPublisher()
  #collections: { [Name in TableName]?: unknown } = {}
  #endedBecause: string | undefined

  /** Calls `record` with each change set after its commit, even if no row changed. */
  constructor(state: WorldState, record?: (changeSet: ChangeSet) => void) {
    this.clock = new LiveClock(initialClock(state), {
      onMove: before => this.#recordClock(before),
      checkMove: () => {
        this.checkUsable()
        this.checkTakesChanges()
      },
      drained: () => this.#log?.drained(),
    })
    this.#record = record
    this.#faults = state.faults
    this.random = new Random(state.seed, 'world')
    this.random.restore(state.random)
    this.#revision = state.revision
    this.#initial = { state, clock: this.clock.state }
    const tables = { ...state.tables, lobbies: arrivedLobbies(state.tables.lobbies) }
    this.tables = mapTables<Tables>(name => new TreeTable<object>(tables[name], this))
  }

  // No static block makes these: Turbopack of Next.js 15 gives that a private name which minified code may have already.

  get settings(): WorldTables['settings'] {
    return this.#collection('settings')
  }

  get games(): WorldTables['games'] {
    return this.#collection('games')
  }

  get regions(): WorldTables['regions'] {
    return this.#collection('regions')
  }

  get namespaces(): WorldTables['namespaces'] {
    return this.#collection('namespaces')
  }

  get gameModes(): WorldTables['gameModes'] {
    return this.#collection('gameModes')
  }

  get lobbies(): WorldTables['lobbies'] {
    return this.#collection('lobbies')
  }

  get players(): WorldTables['players'] {
    return this.#collection('players')
  }

  get simulations(): WorldTables['simulations'] {
    return this.#collection('simulations')
  }

  get deviceLinks(): WorldTables['deviceLinks'] {
    return this.#collection('deviceLinks')
  }

  get tokens(): WorldTables['tokens'] {
    return this.#collection('tokens')
  }

  #collection<Name extends TableName>(name: Name): WorldTables[Name] {
    this.checkUsable()
    this.#collections[name] ??= new TableCollection(rowStore(name, this), models[name].schema)
    return this.#collections[name] as WorldTables[Name] // it has the rows of that table
  }

  get title(): string {
    return this.initialState.title
  }

  get description(): string | undefined {
    return this.initialState.description
  }

  get seed(): number {
    return this.initialState.seed
  }

  /** The state that a reset goes back to. */
  get initialState(): WorldState {
    return this.#initial.state
  }

  get revision(): number {
    return this.#revision
  }

  /** The faults with their counters. Only a transaction may set them. */
  get faults(): FaultsState {
    return this.#faults
  }

  set faults(faults: FaultsState) {
    if (!this.openTransaction) throw new Error('a write to the faults outside a transaction')
    this.#faults = faults
  }

  get waiters(): number {
    return this.waiting.size
  }

  /** The reason that users of an ended world read. `undefined` until it ends. */
  get endedBecause(): string | undefined {
    return this.#endedBecause
  }

  /** Ends the world: from now on its parts throw `UsageError` with the reason. Requests in progress still get their answers. */
  end(reason: string): void {
    this.#endedBecause = reason
  }

  /** Throws `UsageError` with the reason if the world has ended. */
  checkUsable(): void {
    if (this.#endedBecause !== undefined) throw new UsageError(this.#endedBecause)
  }

  /** Throws if a storage keeps the world, and takes no changes now. */
  checkTakesChanges(): void {
    this.#log?.check()
  }

  /** The present state, for forks and snapshots. Throws `UsageError` inside a transaction, which may still be undone. */
  get state(): WorldState & { readonly clock: ClockState } {
    if (this.openTransaction) throw new UsageError('a transaction cannot copy its world: end it first')
    const { revision, faults } = this
    const { startsAt, scenarioFaults } = this.initialState
    const tables = mapTables<TableStates>(name => this.tables[name].share())
    const random = this.random.save()
    return {
      ...nameOf(this.initialState),
      clock: this.clock.state,
      startsAt,
      random,
      revision,
      tables,
      faults,
      scenarioFaults,
    }
  }

  /** Checks if the world's time has reached `at`, in ms since the epoch. A tracked read then depends on the clock. */
  readonly hasPassed = (at: number): boolean => {
    const hasPassed = this.clock.now() >= at
    if (hasPassed) this.dependencies.note(clockTag, 0)
    else this.dependencies.noteUntil(at)
    return hasPassed
  }

  readonly outageOf = (region_id: string): string | undefined =>
    this.#faults.records.length === 0 ? undefined : outageOf(this.#faults, region_id, this.clock.now())?.id

  /**
   * Resolves when all change sets until now are kept, and the promises of all earlier calls have settled. So outputs that wait for it
   * stay in order. `undefined` if there is nothing to wait for: memory keeps change sets at once. Rejects with `ApiError` if a change
   * set is not kept.
   */
  settled(): Promise<void> | undefined {
    const kept = this.#log && keptBy(this.#log)
    const earlier = this.#lastOutput
    if (!kept && !earlier) return undefined
    // It may reject before its turn comes.
    kept?.catch(() => {})
    const output = earlier ? earlier.then(() => kept) : Promise.resolve(kept)
    const end = () => {
      if (this.#lastOutput === last) this.#lastOutput = undefined
    }
    const last = output.then(end, end)
    this.#lastOutput = last
    return output
  }

  /** Appends each change set to a log from now on. */
  keepIn(log: ChangeLog): void {
    this.#log = log
  }

  /** The state that a reset goes back to, and its clock. */
  get initial(): Initial {
    return this.#initial
  }

  /**
   * Becomes the world of a log, with its revisions, a change set in each step. Calls `restart` with the oldest state, and then
   * `record` with each change set. Answers every waiter. Returns the clock right after the newest change set. The clock must stand
   * still between the steps.
   */
  *adopt({ initial, base, changeSets }: LoggedWorld, restart: () => void): Steps<ClockState> {
    if (this.openTransaction) throw new UsageError('a transaction cannot replace its world: end it first')
    this.#initial = initial
    this.random.restore(base.random)
    this.#faults = base.faults
    this.#revision = base.revision
    for (const name of tableNames) {
      const table: TreeTable<object> = this.tables[name]
      table.adopt(base.tables[name])
    }
    this.clock.restore(base.clock)
    restart()
    let { clock, random } = base
    for (const changeSet of changeSets) {
      this.#replay(changeSet, random)
      random = changeSet.random ?? random
      clock = changeSet.clock?.after ?? { ...clock, now: Math.max(clock.now, changeSet.at) }
      yield
    }
    this.random.restore(random)
    this.clock.restore(clock)
    this.dependencies.notifyAll()
    this.endWaiters()
    return clock
  }

  /** Lets a reset go back to the present state from now on. */
  beginHere(): void {
    this.#initial = { state: this.state, clock: this.clock.state }
  }

  /** Commits a change set of a log as its transaction did. `random` is the random state before it. */
  #replay(result: LoggedChangeSet, random: RandomState): void {
    const { revision, at, cause, clock, initial } = result
    const changes = result.changes.map(({ table, id, after }): Change => {
      const rows: TreeTable<object> = this.tables[table]
      return { table, id, before: rows.state.entry(id), after } as Change // of that table
    })
    // First delete rows: a row may get the creation number of a row that goes.
    for (const { table, before, after } of changes) {
      const rows: TreeTable<object> = this.tables[table]
      if (before && before.seq !== after?.seq) rows.replay(before, undefined)
    }
    for (const { table, before, after } of changes) {
      const rows: TreeTable<object> = this.tables[table]
      if (after) rows.replay(before?.seq === after.seq ? before : undefined, after)
    }
    const faults = this.#faults
    const name = nameOf(this.initialState)
    if (result.faults) this.#faults = result.faults
    if (initial) this.#initial = initial
    this.#commit(changes, revision, undefined)
    const nameAfter = initial ? nameOf(initial.state) : name
    this.#record?.({
      revision,
      at,
      cause,
      changes,
      ...(result.random ? { random: { before: random, after: result.random } } : {}),
      ...(clock ? { clock } : {}),
      ...(result.faults ? { faults: { before: faults, after: result.faults } } : {}),
      ...(sameJson(name, nameAfter) ? {} : { scenario: { before: name, after: nameAfter } }),
    })
  }

  /** Runs a synchronous read. Returns its value and its dependencies. */
  read<T>(read: (view: ReadView) => T): Reading<T> {
    return this.dependencies.track(() => read(this))
  }

  transaction<T>(write: (tx: TransactionTables) => T): T {
    if (typeof write !== 'function')
      throw new UsageError('world.transaction expects a function, as in world.transaction(tx => …)')
    this.checkUsable()
    return this.write(() => {
      const { tables, end } = openTables(this)
      try {
        return write(tables)
      } finally {
        end()
      }
    })
  }

  /** Runs a transaction over `tables`: see `World.transaction`. */
  write<T>(write: (transaction: Transaction) => T, options: WriteOptions = { cause: this.#cause }): T {
    if (this.openTransaction) return this.#writeInside(this.openTransaction, write)
    if (options.at === undefined) void this.clock.catchUp()
    return this.#run(write, options)
  }

  /** Runs a transaction over `tables`, and undoes it. Throws what the function throws, and `UsageError` as a transaction does. */
  preview<T>(write: () => T): T {
    if (this.openTransaction) throw new UsageError('a transaction cannot preview another one: end it first')
    void this.clock.catchUp()
    const values: T[] = []
    try {
      this.#run(
        transaction => {
          const value = write()
          transaction.finish()
          values.push(value)
          throw undo
        },
        { cause: this.#cause },
      )
    } catch (error) {
      if (error !== undo) throw error
    }
    return values[0] as T // only `undo` comes here
  }

  /** Runs a function. This is the default cause of its synchronous writes. */
  causedBy<T>(cause: Cause, run: () => T): T {
    const before = this.#cause
    this.#cause = cause
    try {
      return run()
    } finally {
      this.#cause = before
    }
  }

  /** Calls the listener after each change set with changed rows. Returns a function that unsubscribes. */
  subscribe(listener: (changeSet: ChangeSet) => void): () => void {
    if (typeof listener !== 'function')
      throw new UsageError('world.subscribe expects a function, as in world.subscribe(changeSet => …)')
    this.checkUsable()
    return this.#publisher.subscribe(listener)
  }

  /** Answers every waiter with the present state. */
  endWaiters(): void {
    callAll([...this.waiting], waiter => waiter.end())
  }

  /**
   * Replaces the state in one transaction. The new state is the initial state from now on. The revision still rises. Answers
   * every waiter: a request of one test must not wait during the next test.
   */
  replaceState(state: WorldState, { cause, keep = [], beforeCommit }: ReplaceOptions): void {
    if (this.openTransaction) throw new UsageError('a transaction cannot replace its world: end it first')
    const clock = initialClock(state)
    const before = this.clock.now()
    const now = keep.includes('clock') ? before : clock.now
    const replace = () => {
      // Faults keep their age when the clock changes.
      this.#faults = keep.includes('faults')
        ? shiftFaults(cause.kind === 'reset' ? this.#faults : withoutScenario(this.#faults), now - before)
        : shiftFaults(state.faults, now - timeOfState(state))
      this.#restore(state, { state, clock })
      beforeCommit?.()
    }
    try {
      this.#run(replace, {
        cause,
        isRaw: true,
        clock: keep.includes('clock') ? undefined : clock,
        minRevision: state.revision,
      })
    } finally {
      this.endWaiters()
    }
  }

  /** Goes back to the initial state, or to another one. A world whose scenario gives no time starts at the present time of `Date`. */
  reset({
    state = this.initialState,
    keep = [],
    beforeCommit,
  }: Omit<ReplaceOptions, 'cause'> & { readonly state?: WorldState | undefined } = {}): void {
    const { startingAt, unseeded } = state
    const isPresent = keep.includes('clock') || !startingAt || realTime() === this.#initial.clock.now
    const next = isPresent ? state : { ...startingAt(realTime()), unseeded }
    this.replaceState(next, { cause: { kind: 'reset' }, keep, beforeCommit })
  }

  /** Merges a changed scenario: see `reloadState`. Changes nothing if `accepts` refuses the numbers of rows. Throws `UsageError`. */
  reload(
    definition: StateDefinition,
    { accepts = () => true }: { readonly accepts?: ((summary: ReloadSummary) => boolean) | undefined } = {},
  ): ReloadSummary {
    if (this.openTransaction) throw new UsageError('a transaction cannot reload its world: end it first')
    const { initial, clock, random, tables, summary } = reloadState(definition, this.#initial, this.state)
    if (!accepts(summary)) return summary
    this.checkTakesChanges()
    const replace = () => {
      const { faults, scenarioFaults } = initial.state
      if (!sameJson(this.initialState.scenarioFaults, scenarioFaults))
        this.#faults = replaceScenarioFaults(this.#faults, scenarioFaults, {
          now: this.clock.now(),
          random: faults.random,
        })
      this.#restore({ random, tables }, initial)
    }
    this.#run(replace, { cause: { kind: 'reload' }, isRaw: true, clock })
    return summary
  }

  /** Replaces the random state and the rows, and the state that a reset goes back to. */
  #restore({ random, tables: given }: Pick<WorldState, 'random' | 'tables'>, initial: Initial): void {
    this.random.restore(random)
    const tables = { ...given, lobbies: arrivedLobbies(given.lobbies, this.starter) }
    for (const name of tableNames) {
      const table: TreeTable<object> = this.tables[name]
      table.restore(tables[name])
    }
    this.#initial = initial
  }

  #writeInside<T>(transaction: Transaction, write: (transaction: Transaction) => T): T {
    const savepoint = transaction.savepoint
    const random = this.random.save()
    const faults = this.#faults
    try {
      return refusePromise(write(transaction))
    } catch (error) {
      transaction.rollback(savepoint)
      this.random.restore(random)
      this.#faults = faults
      throw error
    }
  }

  #run<T>(
    write: (transaction: Transaction) => T,
    options: WriteOptions & {
      /** The transaction runs no triggers and no checks. */
      readonly isRaw?: true
      readonly clock?: ClockChange | undefined
      /** The setting before, if the clock has already moved. */
      readonly clockBefore?: ClockState
      readonly minRevision?: number
    },
  ): T {
    const { clock, minRevision = 0, isRaw = false, cause, at, revisions } = options
    const { reached } = this.clock
    const before: StateWithoutRows = {
      random: this.random.save(),
      faults: this.#faults,
      initial: this.#initial,
      clock: options.clockBefore ?? (clock && this.clock.state),
    }
    if (clock) this.clock.restore(clock)
    const now = this.clock.pin(at)
    const revision = Math.max(this.#revision + 1, now, minRevision)
    const transaction = new Transaction(this.tables, { revision, now, isRaw })
    const touched = this.dependencies.hasListeners || clock?.now !== undefined ? new Set<Tag>() : undefined
    if (clock?.now !== undefined) touched?.add(clockTag)
    let changeSet: ChangeSet | undefined
    this.openTransaction = transaction
    let value: T
    try {
      value = refusePromise(write(transaction))
      changeSet = this.#finish(transaction, before, cause, touched)
    } catch (error) {
      transaction.rollback()
      this.random.restore(before.random)
      this.#faults = before.faults
      this.#initial = before.initial
      // Jobs on the way of a move have run.
      if (before.clock) this.clock.restore({ ...before.clock, now: Math.max(before.clock.now, reached) })
      this.clock.unreach(reached)
      throw error
    } finally {
      this.openTransaction = undefined
      this.clock.unpin()
    }
    if (changeSet) {
      revisions?.push(changeSet.revision)
      this.#record?.(changeSet)
    }
    if (touched && touched.size > 0) callListener(tags => this.dependencies.notify(tags), touched)
    if (changeSet && changeSet.changes.length > 0) this.#publisher.publish(changeSet)
    return value
  }

  #recordClock(clockBefore: ClockState): void {
    this.#run(() => {}, { cause: { kind: 'control', call: 'clock' }, clockBefore })
  }

  /** Checks and stamps the changes of a transaction. Returns `undefined` if nothing changed. */
  #finish(
    transaction: Transaction,
    before: StateWithoutRows,
    cause: WriteOptions['cause'],
    touched: Set<Tag> | undefined,
  ): ChangeSet | undefined {
    const changes = transaction.finish()
    const random = this.random.save()
    const hasDrawn = before.random.some((number, i) => number !== random[i])
    const hasFaults = !sameJson(before.faults, this.#faults)
    const [was, is] = [before.initial.state, this.initialState]
    const hasName = was !== is && !sameJson(nameOf(was), nameOf(is))
    const initial = was === is || !this.#log ? undefined : this.#initial
    const { revision, now: at } = transaction
    const clock = before.clock && { ...this.clock.state, now: at }
    const hasClock = !sameJson(before.clock, clock)
    const hasChanged = hasDrawn || hasFaults || hasName || hasClock || initial !== undefined
    if (changes.length === 0 && !hasChanged) return undefined
    const changeSet: ChangeSet = {
      revision,
      at,
      cause: typeof cause === 'function' ? cause() : cause,
      changes,
      ...(hasDrawn ? { random: { before: before.random, after: random } } : {}),
      ...(hasClock && before.clock && clock ? { clock: { before: before.clock, after: clock } } : {}),
      ...(hasFaults ? { faults: { before: before.faults, after: this.#faults } } : {}),
      ...(hasName ? { scenario: { before: nameOf(was), after: nameOf(is) } } : {}),
    }
    this.#log?.append(changeSet, initial)
    this.#commit(changes, revision, touched)
    return changeSet
  }

  #commit(changes: readonly Change[], revision: number, touched: Set<Tag> | undefined): void {
    const { dependencies } = this
    // To list what they touch takes longer than to ask each listener again.
    const isWide = changes.length > manyChanges
    if (isWide && touched) for (const tag of dependencies.tags) touched.add(tag)
    const toTouch = isWide || !dependencies.hasListeners ? undefined : touched
    for (const name of tableNames) {
      const table: TreeTable<object> = this.tables[name]
      const own = changes.filter(change => change.table === name)
      if (own.length > 0) table.commit(own, revision, toTouch)
    }
    this.#revision = revision
  }
}

/** Thrown to undo a transaction that was only a preview. */
const undo = new Error('undone')

/** More changes than this may call listeners whose dependencies have not changed. These then find no difference. */
const manyChanges = 1000

interface StateWithoutRows {
  readonly random: RandomState
  readonly faults: FaultsState
  readonly initial: Initial
  /** `undefined` if the transaction does not set the clock. */
  readonly clock: ClockState | undefined
}

function keptBy(log: ChangeLog): Promise<void> | undefined {
  try {
    return log.settled()
  } catch (error) {
    return Promise.reject(error)
  }
}

function refusePromise<T>(value: T): T {
  const then: unknown = (value as { readonly then?: unknown } | null | undefined)?.then
  if (typeof then !== 'function') return value
  // The promise has no handler, and its rejection must not become an uncaught error.
  then.call(
    value,
    () => {},
    () => {},
  )
  throw new UsageError('the function of a transaction returned a promise: await first, then write in one go')
}
