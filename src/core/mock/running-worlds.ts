import { ApiError, withUnknownOutcome } from '../contract/errors.js'
import type { FaultState } from '../contract/faults.js'
import { defaultWorldId, worldId, worldPath } from '../contract/paths.js'
import type { ServedWorlds } from '../control/call.js'
import {
  type KeptData,
  type ListedWorld,
  NewWorldOptions,
  type ReplicaState,
  summarizeWorld,
} from '../control/world-control.js'
import type { Emitter } from '../lib/emitter.js'
import { parseInput } from '../lib/issues.js'
import { didYouMean, quoted, UsageError } from '../lib/messages.js'
import { nextTurn } from '../lib/next-turn.js'
import { runAtOnce, type Steps } from '../lib/steps.js'
import { formatDuration, formatInstant } from '../lib/time.js'
import type { SharedStorage, SharedSummary } from '../storage/shared-storage.js'
import type { KeptSummary } from '../storage/storage.js'
import type { WorldStorage } from '../storage/world-storage.js'
import { realTime } from '../store/real-time.js'
import { runInSlices } from '../store/timers.js'
import { withPublicUrl } from '../store/world-state.js'
import { type OpenWorld, OpenWorlds } from './open-worlds.js'
import { type CommonSettings, RunningWorld } from './running-world.js'
import { otherSeeds, type ScenarioState, type StartState } from './scenario-registry.js'
import { type StorageSettings, WorldLoader } from './world-loader.js'

interface Limits {
  /** Counts the default world too. */
  readonly maxWorlds: number
  /** In real ms. */
  readonly worldTtlMs: number
}

/**
 * The worlds of a mock, by their ids. Deletes a world that came over HTTP, by a request or by a control call, once nobody has used
 * it for `worldTtlMs`. The default world stays, and so do the worlds that code made with `worlds.put`. With a storage, an unused
 * world leaves memory after that time, and comes back when somebody asks for it.
 */
export class RunningWorlds {
  readonly #settings: CommonSettings
  readonly #limits: Limits
  readonly #open: OpenWorlds
  readonly #loader: WorldLoader

  constructor(settings: CommonSettings, limits: Limits) {
    this.#settings = settings
    this.#limits = limits
    this.#open = new OpenWorlds(limits.worldTtlMs, () => this.#deleteUnused())
    this.#loader = new WorldLoader(settings, this.#open)
  }

  /**
   * The world of requests that name none. The first use creates it. If several processes share the worlds, another one may run it.
   * Then this is its initial state, or the last state that this process has seen. Throws `UsageError` if its scenario is wrong.
   */
  get default(): RunningWorld {
    this.#open.default ??= this.create(defaultWorldId)
    return this.#open.default
  }

  /** The storage, if several processes share it. */
  get shared(): SharedStorage | undefined {
    return this.#loader.kept?.shared
  }

  /** The storage that keeps the worlds. `undefined` if they are only in memory. */
  get storage(): WorldStorage | undefined {
    return this.#loader.kept?.storage
  }

  /** The place of the storage, for users. `undefined` if the worlds are only in memory. */
  get data(): KeptData | undefined {
    const { storage } = this
    return storage && { place: storage.place, worlds: storage.count, bytes: storage.bytes }
  }

  /** Keeps the worlds in a storage from now on. Those that it has replace those of this mock. Throws `StorageError`. */
  keepIn(kept: StorageSettings): void {
    const { storage, shared } = kept
    const open = this.#open
    if (shared) {
      // No world is in memory until this process has claimed it.
      open.default ??= new RunningWorld(defaultWorldId, this.#settings.registry.defaultState(), this.#settings)
      void open.default.close()
      open.clear()
    } else {
      this.#loader.replaceOpen(storage)
      open.default ??= runAtOnce(this.#loader.openIn(storage, defaultWorldId, { isKept: true, isHeld: true }))
    }
    this.#loader.kept = kept
    void this.default
    this.#deleteUnused()
    open.startTimer()
    open.changes.emit(true)
  }

  /** Publishes `true` after a world has come or gone, and `false` when the mock is closed. */
  get changes(): Emitter<boolean> {
    return this.#open.changes
  }

  /** Calls the listener with each world: those that exist now, and those that are created later. Returns a function that ends it. */
  follow(listener: (running: RunningWorld) => void): () => void {
    return this.#open.follow(listener)
  }

  settled(): Promise<unknown> | undefined {
    const waiting = this.#open.running.flatMap(({ world }) => world.settled() ?? [])
    return waiting.length === 0 ? undefined : Promise.all(waiting)
  }

  /** Lists all worlds, `default` first. If no replica has created that one yet, it has its initial state. */
  list(): ListedWorld[] {
    const replica = this.shared && { replica: this.shared.self.address }
    const initial = this.default
    const now = realTime()
    const worlds: ListedWorld[] = [
      ...[...this.#open.values()].map(({ running, usedAt, createdAt }) => ({
        ...summarizeWorld(running),
        ...timesOf({ createdAt, usedAt: running.isBusy ? now : usedAt }),
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
    return (await this.#loader.kept?.replicas?.()) ?? []
  }

  /** Returns a world that is in memory. It does not count as used. */
  inMemory(id: string): RunningWorld | undefined {
    return this.#open.get(id)?.running
  }

  /**
   * Looks at the world `default` as it is now, whichever process runs it. If no replica has created it yet, it has its initial
   * state. What `look` changes in it is not kept. Rejects with `StorageError`.
   */
  async lookAtDefault<Result>(look: (running: RunningWorld) => Result): Promise<Result> {
    const copy = this.#isElsewhere(defaultWorldId) ? await this.#loader.copyOf(defaultWorldId) : undefined
    try {
      return look(copy ?? this.default)
    } finally {
      await copy?.close()
    }
  }

  /** Removes a world from memory that another process runs now, or that must be read again. Requests that wait get an error. */
  drop(id: string, because: string): void {
    this.#loader.stop(id)
    if (this.#open.has(id)) void this.#remove(id, `the world ${quoted(id)} left memory: ${because}. Get it again`)
  }

  /** Finds a world. It counts as used now. Throws `StorageError` if its storage cannot read it. */
  get(id: string): RunningWorld | undefined {
    const entry = this.#open.get(id)
    if (!entry) return this.#loader.find(id)
    entry.usedAt = realTime()
    return entry.running
  }

  /** Loads a kept world into memory, as `get` does. Other work runs meanwhile: see `WorldLoader.load`. */
  load(id: string): Promise<unknown> {
    return this.#loader.load(id)
  }

  /** Reads a kept world as it was at its newest change. Changes to it are not kept. `undefined`: no such world is kept. */
  read(storage: WorldStorage, id: string): RunningWorld | undefined {
    return this.#loader.read(storage, id)
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

  /** Creates or replaces a world. `isKept`: it stays until code deletes it. Fake timers pass time too, so the code keeps its worlds. */
  async put(
    id: string,
    options: NewWorldOptions = {},
    { isKept, inSlices = runInSlices }: Parameters<ServedWorlds['put']>[2] = { isKept: true },
  ): Promise<RunningWorld> {
    const parsed = parseInput(NewWorldOptions(), options, 'world')
    const source = this.#isElsewhere(parsed.fork) ? await this.#loader.copyOf(parsed.fork) : undefined
    let running: RunningWorld
    try {
      running = await inSlices(this.#putInSteps(id, this.#stateOf(id, parsed, source), isKept))
    } finally {
      await source?.close()
    }
    const { revision } = running.world
    try {
      await running.world.settled()
    } catch (error) {
      throw withUnknownOutcome(error, revision)
    }
    return running
  }

  *#putInSteps(id: string, state: ScenarioState, isKept: boolean): Steps<RunningWorld> {
    return this.#put(id, yield* this.#settings.registry.decoded(state, id), isKept)
  }

  #put(id: string, state: StartState, isKept: boolean): RunningWorld {
    const known = this.get(id)
    if (!known) return this.#add(id, () => state, isKept)
    known.replaceState(state)
    this.changes.emit(true)
    const entry = this.#open.get(id)
    if (entry && isKept) Object.assign(entry, { isKept, isHeld: true })
    this.#stopTimerIfUnneeded()
    return known
  }

  #isElsewhere(id: string | undefined): id is string {
    return this.shared !== undefined && id !== undefined && !this.has(id)
  }

  /** Lists the faults of all worlds that code has added, and that never applied. Empty once the worlds are closed. */
  unusedFaults(): FaultState[] {
    if (this.#open.isClosed) return []
    return this.#open.running.flatMap(({ faults }) => faults.list({ unused: true }))
  }

  async delete(
    id: string,
    reason = `the world ${quoted(id)} was deleted: mock.worlds.put, or PUT /__mock/worlds/${id}, creates it again`,
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
    await this.#loader.settled(id)
    const entry = this.#open.get(id)
    // A refused deletion must leave the world in memory: the server may come back without its newest changes.
    await entry?.running.world.settled()?.catch(() => {})
    this.shared?.checkLease()
    try {
      await entry?.running.close()
      await nextTurn()
      // Answers leave once the changes before them are kept. If those cannot be, the answers are refused.
      await entry?.running.world.settled()?.catch(() => {})
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

  async #remove(id: string, reason: string): Promise<void> {
    const entry = this.#open.get(id)
    this.#loader.stop(id)
    this.#open.delete(id)
    this.changes.emit(true)
    this.#stopTimerIfUnneeded()
    await entry?.running.close()
    entry?.running.world.end(reason)
    // A new world may have this id already, and then the storage has it open.
    if (!this.#open.has(id)) this.storage?.closeWorld(id)
  }

  /** Closes the default world, and removes all others from memory. A world that is created later answers one request, and is not kept. */
  async close(): Promise<void> {
    this.#open.close()
    this.#loader.stop()
    const { shared } = this
    const ids = [...this.#open.keys()].filter(id => shared !== undefined || id !== defaultWorldId)
    const end = (id: string) => this.#remove(id, `the world ${quoted(id)} has ended, because its mock was closed`)
    await Promise.all([this.#open.default?.close(), ...ids.map(end)])
    this.storage?.close()
    await shared?.leave()
  }

  /** Returns the world of a request in-process. Throws `ApiError` if it does not exist. */
  known(id: string): RunningWorld {
    const known = this.get(id)
    if (known) return known
    throw this.unknown(id)
  }

  unknown(id: string, because = 'in-process, mock.worlds.put creates one'): ApiError {
    return new ApiError('API_NOT_FOUND', `there is no world ${quoted(id)}: ${because}.${didYouMean(id, this.#ids)}`)
  }

  /** Creates a world of the mock's own scenario for a request. Throws `ApiError` as `#add` does. */
  create(id: string): RunningWorld {
    const { registry } = this.#settings
    if (id === defaultWorldId) return this.#add(id, () => registry.defaultState(), true)
    // Only the world `default` has the journal and the past of the mock's own scenario.
    return this.#add(id, () => ({ ...registry.stateOf(undefined, { worldId: id }), past: undefined }), false)
  }

  get #ids(): string[] {
    // Everybody can use the first one, also before somebody has asked replicas for it.
    return [...new Set([defaultWorldId, ...this.#open.keys(), ...this.#sleeping().map(({ id }) => id)])]
  }

  #sleeping(): readonly (KeptSummary & Partial<SharedSummary>)[] {
    return this.storage?.list().filter(({ id }) => !this.#open.has(id)) ?? []
  }

  #stateOf(id: string, { scenario, fork, revision, seed }: NewWorldOptions, copy?: RunningWorld) {
    if (fork === undefined) return this.#settings.registry.stateOf(scenario, { worldId: id, seed })
    const source = copy ?? (this.#isElsewhere(fork) ? undefined : this.get(fork))
    if (source) return forkState(source, id, { revision, seed })
    throw new ApiError('API_NOT_FOUND', `there is no world ${quoted(fork)} to fork.${didYouMean(fork, this.#ids)}`)
  }

  #add(id: string, makeState: () => StartState, isKept: boolean): RunningWorld {
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
    this.#loader.checkTakesWorlds()
    const running = new RunningWorld(id, makeState(), this.#settings)
    if (this.#open.isClosed) {
      void running.close()
      return running
    }
    const now = realTime()
    const entry = { running, usedAt: now, createdAt: now, isKept, isHeld: isKept }
    const { storage } = this
    try {
      if (storage) running.keepIn(storage.create(id, running.world, entry), entry)
    } catch (error) {
      void running.close()
      throw error
    }
    this.#open.publish(id, entry)
    if (!isKept) this.#open.startTimer()
    return running
  }

  #stopTimerIfUnneeded(): void {
    if (!this.#loader.kept && [...this.#open.values()].every(({ isKept }) => isKept)) this.#open.stopTimer()
  }

  #deleteUnused(): void {
    const { worldTtlMs } = this.#limits
    const { storage } = this
    const now = realTime()
    for (const [id, entry] of this.#open) {
      // Code holds no world that several processes share.
      const staysInMemory = !this.shared && (entry.isHeld || id === defaultWorldId)
      if (storage ? staysInMemory : entry.isKept) continue
      if (entry.running.isBusy) entry.usedAt = now
      else if (now - entry.usedAt >= worldTtlMs) void this.#removeUnused(id)
    }
    const { dataTtlMs = never } = this.#loader.kept ?? {}
    for (const { id, isKept, usedAt, owner } of this.#sleeping())
      if (!isKept && !owner && id !== defaultWorldId && now - usedAt >= dataTtlMs) void this.#forget(id)
  }

  /** Deletes a world that is not in memory. If the storage takes no writes now, a later call tries again. */
  async #forget(id: string): Promise<void> {
    const { shared } = this
    try {
      // Another process may have begun to use it.
      if (shared && (await shared.claim(id, { create: false })).kind !== 'mine') return
      if (!this.#open.has(id) && !this.#loader.isLoading(id)) this.storage?.delete(id)
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

function summaryOf({ owner, waiters = 0, ...kept }: KeptSummary & Partial<SharedSummary>): ListedWorld {
  const { id, title, seed, revision, now, players, reserved } = kept
  const described = { id, title, seed, revision, now: formatInstant(now) }
  const summary = {
    ...described,
    ...(players === undefined ? {} : { players }),
    ...(reserved === undefined ? {} : { reserved }),
    ...timesOf(kept),
  }
  return owner ? { ...summary, waiters, replica: owner.address } : { ...summary, waiters: 0, sleeping: true }
}

function timesOf({ createdAt, usedAt }: Pick<OpenWorld, 'createdAt' | 'usedAt'>) {
  const created = createdAt === undefined ? {} : { created_at: formatInstant(createdAt) }
  return { ...created, used_at: formatInstant(usedAt) }
}

function forkState(
  source: RunningWorld,
  worldId: string,
  { revision, seed }: Pick<NewWorldOptions, 'revision' | 'seed'>,
): Omit<StartState, 'past'> {
  const present = source.world.state
  const state =
    revision === undefined ? present : { ...runAtOnce(source.past.stateAt(revision)), revision: present.revision }
  const moved = withPublicUrl(state, before => withoutSuffix(before, worldPath(source.id)) + worldPath(worldId))
  const withSeed = otherSeeds(moved)
  return { world: seed === undefined ? moved : withSeed(seed), withSeed }
}

function withoutSuffix(text: string, suffix: string): string {
  return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text
}
