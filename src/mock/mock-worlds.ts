import { ApiError, UnavailableError, withUnknownOutcome } from '../contract/errors.js'
import type { FaultState } from '../contract/faults.js'
import { defaultWorldId, worldId, worldPath } from '../contract/paths.js'
import {
  type KeptData,
  type ListedWorld,
  NewWorldOptions,
  type ReplicaState,
  summarizeWorld,
} from '../control/world-control.js'
import { after } from '../lib/after.js'
import { Emitter } from '../lib/emitter.js'
import { parseInput } from '../lib/issues.js'
import { nextTurn } from '../lib/next-turn.js'
import { runAtOnce, type Steps } from '../lib/steps.js'
import { didYouMean, quoted } from '../lib/text.js'
import { formatDuration } from '../lib/time.js'
import { UsageError } from '../lib/usage-error.js'
import type { MockRequest, MockResponse, RequestHandler } from '../server/message.js'
import { isForeign } from '../server/origin.js'
import { Responder } from '../server/respond.js'
import { locate, type Place, requestAt, withoutWorld } from '../server/routes.js'
import type { SharedStorage, SharedSummary } from '../storage/shared-storage.js'
import type { KeptSummary } from '../storage/storage.js'
import type { WorldFile, WorldStorage } from '../storage/world-storage.js'
import { Random } from '../store/random.js'
import { realTime } from '../store/real-time.js'
import { longestDelayMs, runInSlices } from '../store/timers.js'
import type { LoggedWorld } from '../store/world.js'
import { readTables, withPublicUrl } from '../store/world-state.js'
import { MockWorld, type MockWorldSettings } from './mock-world.js'
import { type MockState, otherSeeds } from './scenario-registry.js'

/**
 * Decides about a request for an unknown world: over HTTP it creates the world, in-process it is refused. A server that no
 * request may change gives its reason.
 */
export type UnknownWorld = 'create' | 'refuse' | { readonly refuseBecause: string }

interface MockWorldsLimits {
  /** Counts the default world too. */
  readonly maxWorlds: number
  /** In real ms. */
  readonly worldTtlMs: number
}

/** A storage for the worlds of a mock. */
export interface WorldsStorage {
  readonly storage: WorldStorage
  /** The time after which a world that nobody uses is deleted, in real ms. The worlds of code stay. */
  readonly dataTtlMs: number
  /** The same storage, if several processes share it. Each of them has the worlds in memory that it runs. */
  readonly shared?: SharedStorage | undefined
  /** Lists those processes. Rejects with `StorageError`. */
  replicas?(): Promise<readonly ReplicaState[]>
}

interface PutOptions {
  /** The world stays until code deletes it. */
  readonly isKept: boolean
  /** Does the work. The world changes in its last step. Default: at once. */
  readonly inSlices?: (<Result>(steps: Steps<Result>) => Promise<Result>) | undefined
}

async function atOnce<Result>(steps: Steps<Result>): Promise<Result> {
  return runAtOnce(steps)
}

/** The timer looks for unused worlds this many times per `worldTtlMs`. */
const sweepsPerTtl = 10

interface OpenWorld {
  readonly mock: MockWorld
  /** The real time of the last use, in ms since the epoch. */
  usedAt: number
  /** The real time of the creation. Absent if a storage does not have it. */
  readonly createdAt?: number
  /** True if the world stays until code deletes it. Otherwise it is deleted when nobody has used it for a time. */
  isKept: boolean
  /** True if code of this process has made the world. It then stays in memory. */
  isHeld: boolean
}

/**
 * The worlds of a mock, by their ids. Deletes a world that came over HTTP, by a request or by a control call, once nobody has used
 * it for `worldTtlMs`. The default world stays, and so do the worlds that code made with `worlds.put`. With a storage, an unused
 * world leaves memory after that time, and comes back when somebody asks for it.
 */
export class MockWorlds {
  readonly #settings: MockWorldSettings
  readonly #limits: MockWorldsLimits
  readonly #open = new Map<string, OpenWorld>()
  /** The worlds that are being loaded. `get` does the rest of the steps at once. */
  readonly #loading = new Map<string, { steps: Steps<MockWorld | undefined>; loaded: Promise<unknown> }>()
  readonly #opened = new Emitter<MockWorld>()
  /** Publishes `true` after a world has come or gone, and `false` when the mock is closed. */
  readonly changes = new Emitter<boolean>()
  #timer: ReturnType<typeof setInterval> | undefined
  #isClosed = false
  #kept: WorldsStorage | undefined
  #default: MockWorld | undefined
  #outside: Responder | undefined

  constructor(settings: MockWorldSettings, limits: MockWorldsLimits) {
    this.#settings = settings
    this.#limits = limits
  }

  /**
   * The world of requests that name none. The first use creates it. If several processes share the worlds, another one may run it.
   * Then this is its initial state, or the last state that this process has seen. Throws `UsageError` if its scenario is wrong.
   */
  get default(): MockWorld {
    this.#default ??= this.#add(defaultWorldId, () => this.#settings.registry.defaultState(), true)
    return this.#default
  }

  /** Answers the requests that reach no world. */
  get outside(): Responder {
    this.#outside ??= this.#createOutside()
    return this.#outside
  }

  #createOutside(): Responder {
    const { corsOrigins, log, onBug } = this.#settings
    const { seed, tables } = this.default.world.initialState
    const replica = this.shared?.self.id
    // No two replicas use the same ids.
    const rays = new Random(seed, `rays outside of worlds${replica === undefined ? '' : `#${replica}`}`)
    const allowed = { tables: readTables(tables), corsOrigins }
    return new Responder({ worldId: undefined, allowed, log, rays, onBug })
  }

  /** The storage, if several processes share it. */
  get shared(): SharedStorage | undefined {
    return this.#kept?.shared
  }

  /** The storage that keeps the worlds. `undefined` if they are only in memory. */
  get storage(): WorldStorage | undefined {
    return this.#kept?.storage
  }

  /** The place of the storage, for users. `undefined` if the worlds are only in memory. */
  get data(): KeptData | undefined {
    const { storage } = this
    return storage && { place: storage.place, worlds: storage.count, bytes: storage.bytes }
  }

  /**
   * Keeps the worlds in a storage from now on. Those that it has already replace those of this mock. Throws `StorageError` if
   * it cannot read or write one of them.
   */
  keepIn(kept: WorldsStorage): void {
    const { storage, shared } = kept
    if (shared) {
      this.#share(kept)
      return
    }
    for (const [id, entry] of this.#open) {
      const file = storage.open(id)
      if (file) {
        const kept = { ...entry, ...createdIn(storage, id) }
        this.#open.set(id, kept)
        runAtOnce(kept.mock.loadFrom(runAtOnce(this.#loggedIn(file, id)), file, kept))
      } else entry.mock.keepIn(storage.create(id, entry.mock.world, entry), entry)
    }
    this.#default ??= runAtOnce(this.#openIn(storage, defaultWorldId, { isKept: true, isHeld: true }))
    this.#kept = kept
    void this.default
    this.#onKept()
  }

  /** Keeps no world in memory until this process has claimed it. */
  #share(kept: WorldsStorage): void {
    this.#default ??= new MockWorld(defaultWorldId, this.#settings.registry.defaultState(), this.#settings)
    void this.#default.close()
    this.#open.clear()
    this.#outside = undefined
    this.#kept = kept
    this.#onKept()
  }

  #onKept(): void {
    this.#deleteUnused()
    this.#startTimer()
    this.changes.emit(true)
  }

  /** Calls the listener with each world: those that exist now, and those that are created later. Returns a function that ends it. */
  follow(listener: (mock: MockWorld) => void): () => void {
    for (const mock of this.#all) listener(mock)
    return this.#opened.subscribe(listener)
  }

  /** Calls the listener after a world has come or gone, and with `false` when the mock is closed. Returns a function that unsubscribes. */
  subscribe(listener: (isOpen: boolean) => void): () => void {
    return this.changes.subscribe(listener)
  }

  settled(): Promise<unknown> | undefined {
    const waiting = this.#all.flatMap(({ world }) => world.settled() ?? [])
    return waiting.length === 0 ? undefined : Promise.all(waiting)
  }

  /** Lists all worlds, `default` first. Before somebody asks replicas for that one, it has its initial state. */
  list(): ListedWorld[] {
    const replica = this.shared && { replica: this.shared.self.address }
    const initial = this.default
    const now = realTime()
    const worlds: ListedWorld[] = [
      ...[...this.#open.values()].map(({ mock, usedAt, createdAt }) => ({
        ...summarizeWorld(mock),
        ...timesOf({ createdAt, usedAt: mock.isBusy ? now : usedAt }),
        ...replica,
      })),
      ...this.#sleeping().map(summaryOf),
    ]
    const first = worlds.find(({ id }) => id === defaultWorldId)
    const others = worlds.filter(world => world !== first)
    return [first ?? { ...summarizeWorld(initial), ...timesOf({ usedAt: now }), waiters: 0, sleeping: true }, ...others]
  }

  /** Lists the processes that share the worlds. Empty if this one shares none. Rejects with `StorageError`. */
  async replicas(): Promise<readonly ReplicaState[]> {
    return (await this.#kept?.replicas?.()) ?? []
  }

  /** Returns a world that is in memory. It does not count as used. */
  inMemory(id: string): MockWorld | undefined {
    return this.#open.get(id)?.mock
  }

  /**
   * Looks at the world `default` as it is now, whichever process runs it. Before somebody asks replicas for it, it has its initial
   * state. What `look` changes in it is not kept. Rejects with `StorageError`.
   */
  async lookAtDefault<Result>(look: (mock: MockWorld) => Result): Promise<Result> {
    const copy = this.#isElsewhere(defaultWorldId) ? await this.#copyOf(defaultWorldId) : undefined
    try {
      return look(copy ?? this.default)
    } finally {
      await copy?.close()
    }
  }

  /** Removes a world from memory that another process runs now, or that must be read again. Requests that wait get an error. */
  drop(id: string, because: string): void {
    this.#stopLoading(id)
    if (this.#open.has(id)) void this.#remove(id, `the world ${quoted(id)} left memory: ${because}. Get it again`)
  }

  /** Finds a world. It counts as used now. Throws `StorageError` if its storage cannot read it. */
  get(id: string): MockWorld | undefined {
    const entry = this.#open.get(id)
    if (!entry) return runAtOnce(this.#takeLoading(id) ?? this.#wake(id))
    entry.usedAt = realTime()
    return entry.mock
  }

  /** Returns when a world in memory was created, in real ms since the epoch. `undefined` if its storage does not have it. */
  createdAt(id: string): number | undefined {
    return this.#open.get(id)?.createdAt
  }

  /** Tells whether there is a world, in memory or in the storage. If processes share the worlds: one that this process runs. */
  has(id: string): boolean {
    if (this.#open.has(id)) return true
    return this.shared?.owns(id) ?? this.storage?.find(id) !== undefined
  }

  /** Creates or replaces a world. Fake timers pass time too, so the code keeps its worlds. */
  async put(
    id: string,
    options: NewWorldOptions = {},
    { isKept, inSlices = atOnce }: PutOptions = { isKept: true },
  ): Promise<MockWorld> {
    const parsed = parseInput(NewWorldOptions(), options, 'world')
    const source = this.#isElsewhere(parsed.fork) ? await this.#copyOf(parsed.fork) : undefined
    const putting = this.#putInSteps(id, this.#stateInSteps(id, parsed, source), isKept)
    const mock = await inSlices(putting).finally(() => source?.close())
    const { revision } = mock.world
    try {
      await mock.world.settled()
    } catch (error) {
      throw withUnknownOutcome(error, revision)
    }
    return mock
  }

  /** Creates or replaces a world in its last step. */
  *#putInSteps(id: string, steps: Steps<MockState>, isKept: boolean): Steps<MockWorld> {
    const state = yield* steps
    const before = this.get(id)
    const prepared = before && (yield* before.world.prepare(state.world))
    if (!before && this.storage) yield* this.storage.prepareCreation(state.world)
    // The world may have come or gone meanwhile.
    const known = this.get(id)
    if (!known) return this.#add(id, () => state, isKept)
    known.replaceState(state, prepared)
    this.changes.emit(true)
    const entry = this.#open.get(id)
    if (entry && isKept) Object.assign(entry, { isKept, isHeld: true })
    this.#stopTimerIfUnneeded()
    return known
  }

  #isElsewhere(id: string | undefined): id is string {
    return this.shared !== undefined && id !== undefined && !this.has(id)
  }

  /** Reads a world that another process may run, as it is now. */
  async #copyOf(id: string): Promise<MockWorld | undefined> {
    const { shared } = this
    const file = shared && (await this.storage?.read(shared, id))
    return file && (await runInSlices(this.#readFrom(file, id)))
  }

  /** Lists the faults of all worlds that code has added, and that never applied. Empty once the worlds are closed. */
  unusedFaults(): FaultState[] {
    if (this.#isClosed) return []
    return this.#all.flatMap(({ faults }) => faults.list({ unused: true }))
  }

  /** Deletes a world. Its users read the reason. */
  async delete(
    id: string,
    reason = `the world ${quoted(id)} was deleted: mock.worlds.put creates it again`,
  ): Promise<boolean> {
    if (id === defaultWorldId) throw new UsageError('the default world is always there: reset it instead')
    if (!this.has(id)) return false
    await (this.shared ? this.#deleteShared(id, reason) : this.#deleteOwn(id, reason))
    return true
  }

  async #deleteOwn(id: string, reason: string): Promise<void> {
    // Remove it from memory first. If the storage refuses, the next request reads the world again.
    const removal = this.#remove(id, reason)
    this.storage?.delete(id)
    await removal
  }

  /** Answers blocked requests first, and then deletes the world. Otherwise other replicas would send them again, and create it anew. */
  async #deleteShared(id: string, reason: string): Promise<void> {
    await this.#loading.get(id)?.loaded.catch(() => {})
    const entry = this.#open.get(id)
    try {
      await entry?.mock.close()
      await nextTurn()
      // Answers leave once the changes before them are kept. If those cannot be, the answers are refused.
      await entry?.mock.world.settled()?.catch(() => {})
      await nextTurn()
      this.storage?.delete(id)
    } finally {
      await this.#remove(id, reason)
    }
    try {
      await this.shared?.flush(id)
    } catch (error) {
      throw withUnknownOutcome(error, 0)
    }
  }

  /** Removes a world from memory. */
  async #remove(id: string, reason: string): Promise<void> {
    const entry = this.#open.get(id)
    this.#stopLoading(id)
    this.#open.delete(id)
    this.changes.emit(true)
    this.#stopTimerIfUnneeded()
    await entry?.mock.close()
    entry?.mock.world.end(reason)
    // A new world may have its id already, and the same file.
    if (!this.#open.has(id)) this.storage?.closeWorld(id)
  }

  /** Closes the default world, and removes all others from memory. A world that is created later answers one request, and is not kept. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.changes.emit(false)
    for (const id of [...this.#loading.keys()]) this.#stopLoading(id)
    const { shared } = this
    const ids = [...this.#open.keys()].filter(id => shared !== undefined || id !== defaultWorldId)
    const end = (id: string) => this.#remove(id, `the world ${quoted(id)} has ended, because its mock was closed`)
    await Promise.all([this.#default?.close(), ...ids.map(end)])
    this.storage?.close()
    await shared?.leave()
  }

  /**
   * Answers a request in its world: `use` gets the request as that world sees it. A request that reaches no world is refused.
   * Never throws or rejects.
   */
  answer(
    request: MockRequest,
    place: Place,
    unknown: UnknownWorld,
    use: (mock: MockWorld, request: MockRequest) => MockResponse | Promise<MockResponse>,
  ): MockResponse | Promise<MockResponse> {
    try {
      // A preflight only asks for permission: it creates no world.
      if (request.method === 'OPTIONS' && !this.#open.has(place.worldId)) return this.outside.preflight(request)
      const answer = after(this.open(request, place, unknown), mock => use(mock, requestAt(request, place)))
      return answer instanceof Promise ? answer.catch(error => this.outside.refuse(request, error)) : answer
    } catch (error) {
      return this.outside.refuse(request, error)
    }
  }

  /**
   * Returns the world of a request, and creates it if `unknown` allows that. May answer later, because a storage may keep the
   * world. Throws or rejects with `ApiError`.
   */
  open(
    request: MockRequest,
    { worldId: id }: Pick<Place, 'worldId'>,
    unknown: UnknownWorld,
  ): MockWorld | Promise<MockWorld> {
    const known = this.get(id)
    if (known) return known
    // The default world always exists.
    if (id === defaultWorldId) return this.#add(id, () => this.#settings.registry.defaultState(), true)
    if (unknown !== 'create')
      throw unknownWorld(id, this.#ids, unknown === 'refuse' ? undefined : unknown.refuseBecause)
    // An image in a page must not create worlds.
    if (isForeign(request, this.outside.allowed))
      throw new ApiError(
        'API_FORBIDDEN',
        'a page of another site may not create a world: create the world first, or allow the page (--cors-origin)',
      )
    return this.#add(id, () => this.#settings.registry.stateOf(undefined, { worldId: id }), false)
  }

  /** Creates a handler that answers each request in the world that it names. `handlerOf` returns the handler of a world. */
  route(unknown: UnknownWorld, handlerOf: (mock: MockWorld) => RequestHandler): RequestHandler {
    return request => this.answer(request, locate(request), unknown, (mock, inner) => handlerOf(mock)(inner))
  }

  /** Creates a handler like `route` for the world that `find` returns, whatever the request names. */
  routeTo(find: () => MockWorld, handlerOf: (mock: MockWorld) => RequestHandler): RequestHandler {
    return request => {
      try {
        const mock = find()
        const { endedBecause } = mock.world
        if (endedBecause !== undefined) throw new ApiError('API_NOT_FOUND', endedBecause)
        return handlerOf(mock)(withoutWorld(request))
      } catch (error) {
        return this.outside.refuse(request, error)
      }
    }
  }

  /** Returns the world of a request in-process. Throws `ApiError` if it does not exist. */
  known(id: string): MockWorld {
    const known = this.get(id)
    if (known) return known
    throw unknownWorld(id, this.#ids)
  }

  get #all(): MockWorld[] {
    return [...this.#open.values()].map(({ mock }) => mock)
  }

  get #ids(): string[] {
    // Everybody can use the first one, also before somebody has asked replicas for it.
    return [...new Set([defaultWorldId, ...this.#open.keys(), ...this.#sleeping().map(({ id }) => id)])]
  }

  /** Lists the kept worlds that are not in memory. */
  #sleeping(): readonly (KeptSummary & Partial<SharedSummary>)[] {
    return this.storage?.list().filter(({ id }) => !this.#open.has(id)) ?? []
  }

  /** Reads a kept world as it was at its newest change. Changes to it are not kept. `undefined`: no such world is kept. */
  read(storage: WorldStorage, id: string): MockWorld | undefined {
    const file = storage.open(id)
    return file && runAtOnce(this.#readFrom(file, id))
  }

  *#readFrom(file: WorldFile, id: string): Steps<MockWorld> {
    const logged = yield* this.#loggedIn(file, id)
    const mock = this.#beginningWith(logged, id)
    const { clock } = mock.world
    clock.halt()
    const stopped = yield* mock.adopt(logged)
    // Nothing happens in it, but its time is that of the world.
    if (this.shared) clock.restore(logged.clockNow(stopped))
    clock.resume()
    return mock
  }

  /**
   * Loads a kept world that is not in memory, as `get` does. Other work runs meanwhile. Resolves without a world if that was lost or
   * deleted meanwhile. Rejects with `StorageError` if its storage cannot read it.
   */
  load(id: string): Promise<unknown> {
    const earlier = this.#loading.get(id)
    if (earlier) return earlier.loaded
    if (this.#open.has(id)) return Promise.resolve()
    const steps = this.#wake(id)
    const loaded = runInSlices(steps).finally(() => {
      if (this.#loading.get(id)?.steps === steps) this.#loading.delete(id)
    })
    this.#loading.set(id, { steps, loaded })
    return loaded
  }

  /** Takes the rest of the steps that load a world. */
  #takeLoading(id: string): Steps<MockWorld | undefined> | undefined {
    const steps = this.#loading.get(id)?.steps
    this.#loading.delete(id)
    return steps
  }

  /** Ends the loading of a world. */
  #stopLoading(id: string): void {
    this.#takeLoading(id)?.return(undefined)
  }

  /** Loads a kept world that is not in memory. */
  *#wake(id: string): Steps<MockWorld | undefined> {
    const { storage } = this
    const summary = storage?.find(id)
    if (storage && summary) return yield* this.#openIn(storage, id, { isKept: summary.isKept, isHeld: false })
    return undefined
  }

  *#openIn(
    storage: WorldStorage,
    id: string,
    keeping: Pick<OpenWorld, 'isKept' | 'isHeld'>,
  ): Steps<MockWorld | undefined> {
    this.#checkTakesWorlds()
    const created = createdIn(storage, id)
    const file = storage.open(id)
    if (!file) return undefined
    let mock: MockWorld | undefined
    try {
      const logged = yield* this.#loggedIn(file, id)
      mock = this.#beginningWith(logged, id)
      const entry = { mock, usedAt: realTime(), ...created, ...keeping }
      yield* mock.loadFrom(logged, file, entry)
      entry.usedAt = realTime()
      this.#publish(id, entry)
      return mock
    } finally {
      // An error, or nobody needs the world any more.
      if (!mock || this.#open.get(id)?.mock !== mock) {
        this.#loading.delete(id)
        void mock?.close()
        storage.closeWorld(id)
      }
    }
  }

  #loggedIn(file: WorldFile, id: string): Steps<LoggedWorld> {
    return file.load(this.#settings.registry.contextOf(id))
  }

  /** Creates a world with the state that a kept one goes back to. */
  #beginningWith({ initial: { state } }: LoggedWorld, id: string): MockWorld {
    const withSeed = this.#settings.registry.withSeedOf(state, id)
    return new MockWorld(id, { world: state, withSeed }, this.#settings)
  }

  *#stateInSteps(id: string, { scenario, fork, revision, seed }: NewWorldOptions, copy?: MockWorld): Steps<MockState> {
    if (fork === undefined) return yield* this.#settings.registry.stateInSteps(scenario, { worldId: id, seed })
    const source = copy ?? (this.#isElsewhere(fork) ? undefined : this.get(fork))
    if (source) return yield* forkState(source, id, { revision, seed })
    throw new ApiError('API_NOT_FOUND', `there is no world ${quoted(fork)} to fork.${didYouMean(fork, this.#ids)}`)
  }

  /** Creates a world with a new id. Throws `ApiError` if the id is malformed, or there are too many worlds. */
  #add(id: string, makeState: () => MockState, isKept: boolean): MockWorld {
    // The pattern would accept null as "null".
    if (typeof id !== 'string' || !worldId.pattern.test(id))
      throw new ApiError('API_NOT_FOUND', `${quoted(id)} is no id of a world: expected ${worldId.expected}`)
    const { maxWorlds } = this.#limits
    if (id !== defaultWorldId && Math.max(this.#open.size, this.storage?.count ?? 0) >= maxWorlds)
      throw new ApiError(
        'API_RATE_LIMIT',
        `there are ${maxWorlds} worlds already: delete some (mock.worlds.delete, or DELETE /__mock/worlds/{id}), or raise maxWorlds (--max-worlds)`,
        { headers: { 'retry-after': '1' } },
      )
    this.#checkTakesWorlds()
    const mock = new MockWorld(id, makeState(), this.#settings)
    if (this.#isClosed) {
      void mock.close()
      return mock
    }
    const now = realTime()
    const entry = { mock, usedAt: now, createdAt: now, isKept, isHeld: isKept }
    const { storage } = this
    try {
      if (storage) mock.keepIn(storage.create(id, mock.world, entry), entry)
    } catch (error) {
      void mock.close()
      throw error
    }
    this.#publish(id, entry)
    if (!isKept) this.#startTimer()
    return mock
  }

  /** Throws `ApiError` if this replica is closing: it gives its worlds back, and opens no other one. */
  #checkTakesWorlds(): void {
    if (this.#isClosed && this.shared) throw new UnavailableError('this replica is closing')
  }

  #publish(id: string, entry: OpenWorld): void {
    this.#open.set(id, entry)
    if (id === defaultWorldId) this.#default = entry.mock
    this.#opened.emit(entry.mock)
    this.changes.emit(true)
  }

  #startTimer(): void {
    if (this.#timer !== undefined) return
    const interval = Math.min(Math.max(1, this.#limits.worldTtlMs / sweepsPerTtl), longestDelayMs)
    this.#timer = setInterval(() => this.#deleteUnused(), interval)
    // In browsers a timer is a number, and keeps no process alive.
    if (typeof this.#timer === 'object') this.#timer.unref()
  }

  #stopTimerIfUnneeded(): void {
    if (this.#timer === undefined || this.#kept || [...this.#open.values()].some(({ isKept }) => !isKept)) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #deleteUnused(): void {
    const { worldTtlMs } = this.#limits
    const { storage } = this
    const now = realTime()
    for (const [id, entry] of this.#open) {
      // Code holds no world that several processes share.
      const staysInMemory = !this.shared && (entry.isHeld || id === defaultWorldId)
      if (storage ? staysInMemory : entry.isKept) continue
      if (entry.mock.isBusy) entry.usedAt = now
      else if (now - entry.usedAt >= worldTtlMs) void this.#removeUnused(id)
    }
    const { dataTtlMs = never } = this.#kept ?? {}
    for (const { id, isKept, usedAt, owner } of this.#sleeping())
      if (!isKept && !owner && id !== defaultWorldId && now - usedAt >= dataTtlMs) void this.#forget(id)
  }

  /** Deletes a world that is not in memory. If the storage takes no writes now, a later call tries again. */
  async #forget(id: string): Promise<void> {
    const { shared } = this
    try {
      // Another process may have begun to use it.
      if (shared && (await shared.claim(id, { create: false })).kind !== 'mine') return
      if (!this.#open.has(id) && !this.#loading.has(id)) this.storage?.delete(id)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }

  #removeUnused(id: string): Promise<unknown> {
    const because = `because no request came for ${formatDuration(this.#limits.worldTtlMs)}`
    if (this.storage) return this.#remove(id, `the world ${quoted(id)} left memory, ${because}: get it again`)
    return this.delete(id, `the world ${quoted(id)} was deleted, ${because}: raise worldTtlMs (--world-ttl)`)
  }
}

const never = Number.POSITIVE_INFINITY

/** Summarizes a world that is not in memory, or not in that of this process. */
function summaryOf({ owner, waiters = 0, ...kept }: KeptSummary & Partial<SharedSummary>): ListedWorld {
  const { id, title, seed, revision, now, players } = kept
  const described = { id, title, seed, revision, now: new Date(now).toISOString() }
  const summary = { ...described, ...(players === undefined ? {} : { players }), ...timesOf(kept) }
  return owner ? { ...summary, waiters, replica: owner.address } : { ...summary, waiters: 0, sleeping: true }
}

/** Writes the real times of a world as in a list. */
function timesOf({
  createdAt,
  usedAt,
}: {
  readonly createdAt?: number | undefined
  readonly usedAt: number
}): Pick<ListedWorld, 'created_at' | 'used_at'> {
  const created = createdAt === undefined ? {} : { created_at: new Date(createdAt).toISOString() }
  return { ...created, used_at: new Date(usedAt).toISOString() }
}

function createdIn(storage: WorldStorage, id: string): Pick<OpenWorld, 'createdAt'> {
  const { createdAt } = storage.find(id) ?? {}
  return createdAt === undefined ? {} : { createdAt }
}

/** Returns the state of a fork. Its links lead to the fork, and its revisions continue those of the source. */
function* forkState(
  source: MockWorld,
  worldId: string,
  { revision, seed }: Pick<NewWorldOptions, 'revision' | 'seed'>,
): Steps<MockState> {
  const present = source.world.state
  const state =
    revision === undefined ? present : { ...(yield* source.past.stateAt(revision)), revision: present.revision }
  const moved = withPublicUrl(state, before => withoutSuffix(before, worldPath(source.id)) + worldPath(worldId))
  const withSeed = otherSeeds(moved)
  return { world: seed === undefined ? moved : yield* withSeed(seed), withSeed }
}

function withoutSuffix(text: string, suffix: string): string {
  return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text
}

function unknownWorld(
  id: string,
  ids: readonly string[],
  because = 'in-process, mock.worlds.put creates one',
): ApiError {
  return new ApiError('API_NOT_FOUND', `there is no world ${quoted(id)}: ${because}.${didYouMean(id, ids)}`)
}
