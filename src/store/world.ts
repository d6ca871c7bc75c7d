import type { ChangeSet } from './change-set.js'
import { type Clock, type ClockStanding, hasPassed, WorldClock } from './clock.js'
import { commit } from './commit.js'
import { committedTable } from './committed-table.js'
import type { Landed, Landing } from './landing.js'
import { callAll, Listeners } from './listeners.js'
import { LazyTables, lazyTables, mapTables } from './map-tables.js'
import type { Tally } from './merge.js'
import { models } from './model.js'
import { Random } from './random.js'
import { rebased } from './rebase.js'
import type { AllRecords } from './records.js'
import type { TableName } from './rows.js'
import { type Beginning, type Standing, startOf, unread } from './standing.js'
import { type InnerTables, readTable, type Tables } from './table.js'
import { clockTag, type Tag } from './tag.js'
import { type Tracker, Tracking } from './tracker.js'
import { createTurn } from './turn.js'
import { createSyncContext, createTurnQueue, type TurnContext, type TurnQueue } from './turn-queue.js'
import type { Writes } from './writes.js'

/** One isolated universe: its records, clock, seed and revision. Reads are synchronous, writes return promises, records are frozen. */
export interface World extends Tables {
  readonly title: string
  readonly seed: number
  readonly clock: Clock
  /** The number of the newest change set. */
  readonly revision: number
  /** How many requests are blocked on a watch index. */
  readonly waiters: number
  /**
   * One turn: waits for the turn before it; then everything in it happens at once or, if it throws, nothing does.
   * A write to the same world from inside, other than through `tables`, throws `UsageError` where it is seen: anywhere in
   * the turn under `mockmaker/node` and the command, else before the turn's first `await`; after that it waits for itself.
   */
  write<T>(turn: (tables: Tables) => T | Promise<T>): Promise<T>
  /** Calls the listener after each turn that has changed something, until the function that comes back is called. */
  subscribe(listener: (changeSet: ChangeSet) => void): () => void
}

/** What a read sees: the tables, and whether a time has passed; nothing else of the clock, so that what was read stays true until `until`. */
export interface View {
  readonly tables: InnerTables
  /** Whether the world's time has reached `at`, in ms since the epoch. */
  hasPassed(at: number): boolean
  /** The seed of the world, by which it recognises the tokens that it minted. */
  readonly seed: number
}

/** What a read answered, and what it depended on. */
export interface Reading<T> extends Readonly<Tracker> {
  readonly value: T
}

/** A blocked request. It is in `world.waiting` until it is answered. */
export interface Waiter {
  /** Answers it with the present state, as its deadline would. Called when the world is replaced or closed. */
  end(): void
}

/** What happens with a landing, before anything else can: for what is around a world and changes with it. */
interface LandingOptions {
  readonly landed?: (() => void) | undefined
}

/** A world as the rooms above see it. */
export type LiveWorld = WorldCore & Tables & Omit<World, 'write'>

/** A world that stands where it is told. */
export function createWorld(standing: Standing, turnContext: () => TurnContext = createSyncContext): LiveWorld {
  // Its tables are getters that TypeScript does not see.
  return new WorldCore(standing, turnContext) as LiveWorld
}

class WorldCore extends LazyTables {
  readonly clock: WorldClock
  readonly random: Random
  readonly waiting = new Set<Waiter>()
  readonly view: View
  readonly #records: AllRecords
  #begun: Standing
  /** Where its clock started. */
  #start: ClockStanding
  /** The records as they stand, for forks; `undefined` where they have changed since they were last asked for. */
  #standing: AllRecords | undefined
  /** Made with the first turn: a fork may never have one. */
  #turns: TurnQueue | undefined
  readonly #turnContext: () => TurnContext
  readonly #tracking = new Tracking()
  readonly #listeners = new Listeners()
  readonly #subscribers = new Set<(changeSet: ChangeSet) => void>()
  #revision: number

  constructor(standing: Standing, turnContext: () => TurnContext) {
    super(name => committedTable(name, this))
    const { seed, chance, revision, records } = standing
    this.clock = new WorldClock(startOf(standing))
    this.random = new Random(seed, 'world')
    this.random.restore(chance)
    this.#turnContext = turnContext
    this.#revision = revision
    this.#begun = standing
    this.#start = this.clock.state
    this.#standing = records
    this.#records = lazyTables(name => records[name].fork(this.#tracking))
    const tables = lazyTables<InnerTables>(name => readTable<object>(this.#records[name], models[name]))
    const seedNow = () => this.seed
    this.view = {
      tables,
      hasPassed: at => this.#hasPassed(at),
      get seed() {
        return seedNow()
      },
    }
  }

  get title(): string {
    return this.#begun.title
  }

  get seed(): number {
    return this.#begun.seed
  }

  /** Where it began: where a reset leads. */
  get begun(): Standing {
    return this.#begun
  }

  get revision(): number {
    return this.#revision
  }

  get waiters(): number {
    return this.waiting.size
  }

  /**
   * Does what is due by now, and resolves then. Returns `undefined` where nothing is due, and inside a turn, which would
   * wait for itself.
   */
  catchUp(): Promise<void> | undefined {
    return this.#turns?.isInside ? undefined : this.clock.catchUp?.()
  }

  /** Answers every waiter with the present state. */
  endWaiters(): void {
    callAll([...this.waiting].map(waiter => () => waiter.end()))
  }

  get queue(): TurnQueue {
    this.#turns ??= createTurnQueue(this.#turnContext())
    return this.#turns
  }

  write = <T>(turn: (tables: Tables, writes: Writes) => T | Promise<T>): Promise<T> =>
    this.queue.next(async () => {
      const saved = this.random.save()
      const { tables, writes, changes, finish, abandon } = createTurn({
        records: this.#records,
        random: this.random,
        now: () => this.clock.now(),
      })
      try {
        const value = await turn(tables, writes)
        await finish()
        return () => {
          this.#commit((name, landing) => {
            const done = changes(name)
            return done.size === 0 ? nothing : this.#records[name].land(done as never, landing)
          })
          return value
        }
      } catch (error) {
        await abandon()
        this.random.restore(saved)
        throw error
      }
    })

  /** Runs a synchronous function and says what its value depended on. */
  read<T>(read: (view: View) => T): Reading<T> {
    const { value, tracker } = this.#tracking.track(() => read(this.view))
    const { tags, revision, until } = tracker
    return { value, tags, revision, until }
  }

  /** Calls the listener when any of the tags is touched, until the function that comes back is called. */
  listen(tags: ReadonlySet<Tag>, listener: () => void): () => void {
    return this.#listeners.listen(tags, listener)
  }

  subscribe(listener: (changeSet: ChangeSet) => void): () => void {
    this.#subscribers.add(listener)
    return () => void this.#subscribers.delete(listener)
  }

  /** Where it stands, for equal worlds, which share what neither has changed. */
  get standing(): Standing & { readonly clock: ClockStanding } {
    const { title, seed, revision } = this
    const { standing: clock } = this.clock
    this.#standing ??= mapTables<AllRecords>(name => this.#records[name].fork(unread))
    return { title, seed, clock, at: this.#begun.at, chance: this.random.save(), revision, records: this.#standing }
  }

  /**
   * Goes back to the beginning in one turn, and answers every waiter. A world whose scenario names no time begins at the
   * present time of `Date`. A clock that is kept goes on; the revision goes on rising.
   */
  reset({ keep = [], landed }: LandingOptions & { readonly keep?: readonly 'clock'[] } = {}): Promise<void> {
    return this.queue.next(async () => () => {
      if (!keep.includes('clock')) this.#beginAtPresent()
      this.#replace(this.#begun, { clock: keep.includes('clock') ? undefined : this.#start, landed })
    })
  }

  /** Begins anew in one turn, from where another world stands, and answers every waiter. The revision goes on rising. */
  become(standing: Standing, { landed }: LandingOptions = {}): Promise<void> {
    return this.queue.next(async () => () => {
      this.#begun = standing
      this.#start = startOf(standing)
      this.#replace(standing, { clock: this.#start, landed })
    })
  }

  /**
   * Has begun otherwise, in one turn: what that changes lands, what has been written since stays. Rejects with `UsageError`.
   * A dry run changes nothing, and resolves with what would change.
   */
  rebase(
    beginning: Beginning,
    { landed, dryRun = false }: LandingOptions & { readonly dryRun?: boolean | undefined } = {},
  ): Promise<Tally> {
    return this.queue.next(async () => () => {
      const parts = { begun: this.#begun, start: this.#start, present: { ...this.standing, clock: this.clock.state } }
      const { begun, start, clock, chance, merged } = rebased(beginning, parts)
      if (dryRun) return merged.tally
      this.#begun = begun
      this.#start = start
      this.#land({ chance, records: merged.records, revision: 0 }, { clock, landed })
      return merged.tally
    })
  }

  #beginAtPresent(): void {
    const now = Date.now()
    if (this.#begun.beginAt === undefined || now === this.#start.now) return
    this.#begun = this.#begun.beginAt(now)
    this.#start = startOf(this.#begun)
  }

  /** Replaces the state, and answers every waiter: requests of one test must not wait on in the next. */
  #replace(
    standing: Standing,
    { clock, landed }: LandingOptions & { readonly clock: Standing['clock'] | undefined },
  ): void {
    try {
      this.#land(standing, { clock, landed })
    } finally {
      this.endWaiters()
    }
  }

  #land(
    { chance, records, revision: above }: Pick<Standing, 'chance' | 'records' | 'revision'>,
    { clock, landed }: LandingOptions & { readonly clock: Standing['clock'] | undefined },
  ): void {
    if (clock) this.clock.restore(clock)
    this.random.restore(chance)
    // One name for both: see `mapTables`.
    const restore = (name: TableName, landing: Landing) => this.#records[name].restore(records[name] as never, landing)
    try {
      this.#commit(restore, { above, also: clock?.now === undefined ? [] : [clockTag] })
    } finally {
      landed?.()
    }
  }

  /** Lands the changes, and tells of them and of what else has been touched. */
  #commit(
    land: (name: TableName, landing: Landing) => Landed<object>,
    { above = 0, also = [] }: { readonly above?: number; readonly also?: readonly Tag[] } = {},
  ): void {
    const at = this.clock.now()
    const revision = Math.max(this.#revision + 1, at, above)
    const { changeSet, touched } = commit(land, { revision, at, listened: this.#listeners.some })
    const told = changeSet ? [...this.#subscribers].map(subscriber => () => subscriber(changeSet)) : []
    this.#revision = changeSet?.revision ?? this.#revision
    if (changeSet) this.#standing = undefined
    // What is kept of reads is dropped before a subscriber can ask for it.
    callAll([() => this.#listeners.tell(new Set([...touched, ...also])), ...told])
  }

  #hasPassed(at: number): boolean {
    const passed = hasPassed(at, this.clock)
    if (passed) this.#tracking.note(clockTag, 0)
    else this.#tracking.noteUntil(at)
    return passed
  }
}

const nothing: Landed<object> = { puts: [], deletes: [] }
