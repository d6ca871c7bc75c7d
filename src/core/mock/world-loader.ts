import { UnavailableError } from '../contract/errors.js'
import type { ReplicaState } from '../control/world-control.js'
import { runAtOnce, type Steps } from '../lib/steps.js'
import type { SharedStorage } from '../storage/shared-storage.js'
import type { WorldInStorage, WorldStorage } from '../storage/world-storage.js'
import { realTime } from '../store/real-time.js'
import { runInSlices } from '../store/timers.js'
import type { LoggedWorld } from '../store/world.js'
import type { OpenWorld, OpenWorlds } from './open-worlds.js'
import { type CommonSettings, RunningWorld } from './running-world.js'

export interface StorageSettings {
  readonly storage: WorldStorage
  /** The time after which an unused world is deleted, in real ms. Worlds that code has made stay. */
  readonly dataTtlMs: number
  /** The same storage, if several processes share it. Each of them has the worlds in memory that it runs. */
  readonly shared?: SharedStorage | undefined
  /** Lists those processes. Rejects with `StorageError`. */
  replicas?(): Promise<readonly ReplicaState[]>
}

/** Loads worlds from a storage into memory. */
export class WorldLoader {
  /** The storage. `undefined`: the worlds are only in memory. */
  kept: StorageSettings | undefined
  /** The worlds that are being loaded. `find` runs their remaining steps at once. */
  readonly #loading = new Map<string, { steps: Steps<RunningWorld | undefined>; loaded: Promise<unknown> }>()

  constructor(
    private readonly settings: CommonSettings,
    private readonly open: OpenWorlds,
  ) {}

  /** Loads a kept world that is not in memory, at once. Throws `StorageError` if its storage cannot read it. */
  find(id: string): RunningWorld | undefined {
    return runAtOnce(this.#takeLoading(id) ?? this.#wake(id))
  }

  /** Loads a kept world, while other work runs. Resolves without one if it was deleted. Rejects with `StorageError`. */
  load(id: string): Promise<unknown> {
    const earlier = this.#loading.get(id)
    if (earlier) return earlier.loaded
    if (this.open.has(id)) return Promise.resolve()
    const steps = this.#wake(id)
    const loaded = runInSlices(steps).finally(() => {
      if (this.#loading.get(id)?.steps === steps) this.#loading.delete(id)
    })
    this.#loading.set(id, { steps, loaded })
    return loaded
  }

  isLoading(id: string): boolean {
    return this.#loading.has(id)
  }

  /** Resolves when a world that is being loaded is in memory, or could not be loaded. */
  async settled(id: string): Promise<void> {
    await this.#loading.get(id)?.loaded.catch(() => {})
  }

  /** Ends the loading of a world. Default: of all. */
  stop(id?: string): void {
    const ids = id === undefined ? [...this.#loading.keys()] : [id]
    for (const one of ids) this.#takeLoading(one)?.return(undefined)
  }

  read(storage: WorldStorage, id: string): RunningWorld | undefined {
    const stored = storage.open(id)
    return stored && runAtOnce(this.#readFrom(stored, id))
  }

  /** Reads a world that another process may run, as it is now. */
  async copyOf(id: string): Promise<RunningWorld | undefined> {
    const { shared, storage } = this.kept ?? {}
    const stored = shared && (await storage?.read(shared, id))
    return stored && (await runInSlices(this.#readFrom(stored, id)))
  }

  /** Lets the worlds of a storage replace those in memory, and keeps the others in it. */
  replaceOpen(storage: WorldStorage): void {
    for (const [id, entry] of this.open) {
      const stored = storage.open(id)
      if (stored) {
        const kept = { ...entry, createdAt: storage.find(id)?.createdAt ?? entry.createdAt }
        this.open.set(id, kept)
        runAtOnce(kept.running.loadFrom(runAtOnce(this.#loggedIn(stored, id)), stored, kept))
      } else entry.running.keepIn(storage.create(id, entry.running.world, entry), entry)
    }
  }

  *openIn(
    storage: WorldStorage,
    id: string,
    keeping: Pick<OpenWorld, 'isKept' | 'isHeld'>,
  ): Steps<RunningWorld | undefined> {
    this.checkTakesWorlds()
    const createdAt = storage.find(id)?.createdAt
    const stored = storage.open(id)
    if (!stored) return undefined
    let running: RunningWorld | undefined
    try {
      const logged = yield* this.#loggedIn(stored, id)
      running = this.#beginningWith(logged, id)
      const entry = { running, usedAt: realTime(), createdAt, ...keeping }
      yield* running.loadFrom(logged, stored, entry)
      entry.usedAt = realTime()
      this.open.publish(id, entry)
      return running
    } finally {
      // An error, or nobody needs the world any more.
      if (!running || this.open.get(id)?.running !== running) {
        this.#loading.delete(id)
        void running?.close()
        storage.closeWorld(id)
      }
    }
  }

  /** Throws `ApiError` if this replica is closing: it gives its worlds back, and opens no other one. */
  checkTakesWorlds(): void {
    if (this.open.isClosed && this.kept?.shared)
      throw new UnavailableError('this replica is closing: send the request again')
  }

  #takeLoading(id: string): Steps<RunningWorld | undefined> | undefined {
    const steps = this.#loading.get(id)?.steps
    this.#loading.delete(id)
    return steps
  }

  *#wake(id: string): Steps<RunningWorld | undefined> {
    const { storage } = this.kept ?? {}
    const summary = storage?.find(id)
    if (storage && summary) return yield* this.openIn(storage, id, { isKept: summary.isKept, isHeld: false })
    return undefined
  }

  *#readFrom(stored: WorldInStorage, id: string): Steps<RunningWorld> {
    const logged = yield* this.#loggedIn(stored, id)
    const running = this.#beginningWith(logged, id)
    const { clock } = running.world
    clock.halt()
    const stopped = yield* running.adopt(logged)
    // Nothing happens in it, but its time is that of the world.
    if (this.kept?.shared) clock.restore(logged.clockNow(stopped))
    clock.resume()
    return running
  }

  #loggedIn(stored: WorldInStorage, id: string): Steps<LoggedWorld> {
    return stored.load(this.settings.registry.contextOf(id))
  }

  /** Creates a world with the state that a kept one goes back to. */
  #beginningWith({ initial: { state } }: LoggedWorld, id: string): RunningWorld {
    const withSeed = this.settings.registry.withSeedOf(state, id)
    return new RunningWorld(id, { world: state, withSeed }, this.settings)
  }
}
