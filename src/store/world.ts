import type { ChangeSet } from './change-set.js'
import { type Clock, type ClockMode, createClock, hasPassed, type WorldClock } from './clock.js'
import { commit } from './commit.js'
import { callAll, createListeners, type Listeners } from './listeners.js'
import { LazyTables, lazyTables, mapTables } from './map-tables.js'
import { models } from './model.js'
import { createRandom, type Random, type RandomState } from './random.js'
import type { AllRecords, Landed, Landing } from './records.js'
import type { TableName } from './rows.js'
import { type SeedRows, seededRecords } from './seed.js'
import { type ReadTables, readTable, type Table, type Tables } from './table.js'
import { clockTag, type Tag } from './tag.js'
import { createTracking, type Tracker } from './tracker.js'
import { createTurn } from './turn.js'
import { createSyncContext, createTurnQueue, type TurnContext, type TurnQueue } from './turn-queue.js'

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
  readonly tables: ReadTables
  /** Whether the world's time has reached `at`, in ms since the epoch. */
  hasPassed(at: number): boolean
}

/** What a read answered, and what it depended on. */
export interface Reading<T> extends Readonly<Tracker> {
  readonly value: T
}

/** A request that is blocked; `end` answers it as its deadline would. */
export interface Waiter {
  end(): void
}

/** A world as the rooms above see it. */
export type LiveWorld = WorldCore & Tables & World

/** How a world begins. */
export interface Beginning {
  readonly title: string
  readonly seed: number
  readonly clock: ClockMode
  /** Where the clock starts, in ms since the epoch; the real time where absent. */
  readonly now?: number | undefined
  /** The rows of a world that begins at that time. */
  rows(now: number): SeedRows
}

/** A world as it begins. Throws `UsageError` where a row does not fit its schema. */
export function createWorld(beginning: Beginning, turnContext: TurnContext = createSyncContext()): LiveWorld {
  const { title, seed, clock: mode, now, rows } = beginning
  const clock = createClock({ mode, start: now })
  // Not the clock, which may have gone on since: with `now` set nothing depends on the real time.
  const begun = now ?? clock.now()
  const revision = Math.max(1, begun)
  const records = seededRecords(rows(begun), { tracking: unread, revision })
  return worldOf({ title, seed, clock, random: createRandom(seed, 'world'), revision, records }, turnContext)
}

/** How far a world is. */
interface Standing {
  readonly title: string
  readonly seed: number
  readonly clock: WorldClock
  readonly random: Random
  readonly revision: number
  /** They never change: a world forks them, and worlds that stand at the same place share them. */
  readonly records: AllRecords
}

/** Of records that nobody reads, because they are there to be forked. */
const unread = createTracking()

function worldOf(standing: Standing, turnContext: TurnContext): LiveWorld {
  // Its tables are getters that TypeScript does not see.
  return new WorldCore(standing, turnContext) as LiveWorld
}

class WorldCore extends LazyTables {
  readonly title: string
  readonly seed: number
  readonly clock: WorldClock
  readonly random: Random
  readonly waiting = new Set<Waiter>()
  readonly view: View
  readonly listen: Listeners['listen']
  readonly #records: AllRecords
  readonly #begun: { readonly records: AllRecords; readonly chance: RandomState }
  /** The records as they stand, for forks; `undefined` where they have changed since they were last asked for. */
  #standing: AllRecords | undefined
  readonly #turns: TurnQueue
  readonly #tracking = createTracking()
  readonly #listeners = createListeners()
  readonly #subscribers = new Set<(changeSet: ChangeSet) => void>()
  #revision: number

  constructor({ title, seed, clock, random, revision, records }: Standing, turnContext: TurnContext) {
    super(name => committedTable(name, this))
    this.title = title
    this.seed = seed
    this.clock = clock
    this.random = random
    this.#turns = createTurnQueue(turnContext)
    this.#revision = revision
    this.#begun = { records, chance: random.save() }
    this.#standing = records
    this.#records = lazyTables(name => records[name].fork(this.#tracking))
    this.listen = this.#listeners.listen
    const tables = lazyTables<ReadTables>(name => readTable<object>(this.#records[name], models[name]))
    this.view = { tables, hasPassed: at => this.#hasPassed(at) }
  }

  /** The tables as they began, whatever has been written since. */
  get beginning(): ReadTables {
    return lazyTables(name => readTable<object>(this.#begun.records[name], models[name]))
  }

  get revision(): number {
    return this.#revision
  }

  get waiters(): number {
    return this.waiting.size
  }

  write = <T>(turn: (tables: Tables) => T | Promise<T>): Promise<T> =>
    this.#turns.next(async () => {
      const saved = this.random.save()
      const { tables, changes, finish, abandon } = createTurn({
        records: this.#records,
        random: this.random,
        now: this.clock.now,
      })
      try {
        const value = await turn(tables)
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

  subscribe(listener: (changeSet: ChangeSet) => void): () => void {
    this.#subscribers.add(listener)
    return () => void this.#subscribers.delete(listener)
  }

  /** An equal world, which shares what neither has changed. It begins here: its `reset` comes back to this. */
  fork(turnContext: TurnContext = createSyncContext()): LiveWorld {
    const { title, seed, revision } = this
    const random = createRandom(seed, 'world')
    random.restore(this.random.save())
    this.#standing ??= mapTables<AllRecords>(name => this.#records[name].fork(unread))
    const records = this.#standing
    return worldOf({ title, seed, clock: this.clock.fork(), random, revision, records }, turnContext)
  }

  /** Records, chance and clock back to the beginning, in one turn. The revision goes on rising. */
  reset(): Promise<void> {
    return this.#turns.next(async () => () => {
      this.clock.reset()
      this.random.restore(this.#begun.chance)
      const restore = (name: TableName, landing: Landing) =>
        this.#records[name].restore(this.#begun.records[name] as never, landing)
      this.#commit(restore, [clockTag])
    })
  }

  /** Lands the changes and tells of them, and of what else has been touched. */
  #commit(land: (name: TableName, landing: Landing) => Landed<object>, also: readonly Tag[] = []): void {
    const at = this.clock.now()
    const { changeSet, touched } = commit(land, { revision: Math.max(this.#revision + 1, at), at })
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

/** A table over what has been committed: reads at once, and each write as a turn of its own. */
function committedTable(name: TableName, { view, write }: Pick<WorldCore, 'view' | 'write'>): unknown {
  const table = (tables: Tables) => tables[name] as unknown as Table<object, object>
  return {
    ...view.tables[name],
    create: (input: object) => write(tables => table(tables).create(input)),
    update: (...call: Parameters<Table<object, object>['update']>) => write(tables => table(tables).update(...call)),
    delete: (...call: Parameters<Table<object, object>['delete']>) => write(tables => table(tables).delete(...call)),
  }
}
