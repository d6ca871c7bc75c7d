import { parseJson, writeJson } from '../lib/json.js'
import type { Steps } from '../lib/steps.js'
import { keptScenario } from '../scenario/commands.js'
import type { CheckedScenario, ScenarioInput } from '../scenario/schema.js'
import type { ChangeSet } from '../store/change-set.js'
import type { ClockState } from '../store/clock.js'
import type { FaultsState } from '../store/faults.js'
import { realTime } from '../store/real-time.js'
import { countPlayers } from '../store/seats.js'
import { runInSlices } from '../store/timers.js'
import type { ChangeLog, LiveWorld, LoggedChangeSet, LoggedWorld } from '../store/world.js'
import { type Initial, nameOf, type WorldState } from '../store/world-state.js'
import {
  type DecodedChangeSet,
  decodeChangeSet,
  decodeState,
  digestOf,
  type EncodedClock,
  encodeChangeSet,
  encodeState,
  encodeStateInSteps,
  type PublicUrlOf,
} from './encoding.js'
import { type Hash, type Origin, originOf } from './origins.js'
import { type ProcessTime, processTime } from './process-time.js'
import type { SharedStorage } from './shared-storage.js'
import { type KeptSummary, type KeptWorld, type Storage, StorageError } from './storage.js'

/** The scenario and the options of an origin, as JSON. */
export interface KeptRecipe {
  /** `undefined` for the mock's own scenario. */
  readonly scenario: ScenarioInput | undefined
  readonly seed: number
  readonly live: boolean
}

/** The parts of a world that belong to the process, and not to its storage. */
export interface LoadContext {
  readonly publicUrlOf: PublicUrlOf
  /** The mock's own scenario, as `keptScenario` gives it. Most worlds have it, and do not decode it again. */
  readonly ownScenario: string
  /** Creates the state of a recipe that starts at that time, in ms since the epoch. */
  stateOf(recipe: KeptRecipe, startsAt: number): WorldState
}

/** An origin: what a reset goes back to. */
type KeptOrigin = {
  /** The hash of the origin that a reset without a seed goes back to. Default: this one. */
  readonly unseeded?: string
} & (
  | { readonly recipe: KeptRecipe; readonly startsAt: number; readonly digest: number }
  | (Pick<WorldState, 'title' | 'description' | 'seed' | 'clock' | 'startsAt' | 'scenarioFaults'> & {
      /** As `encodeState` gives it. */
      readonly state: object
    })
)

/** From a revision on, the world has that origin, and its clock shows the real time or not. */
interface Mark {
  readonly revision: number
  readonly originHash: string
  readonly isReal: boolean
}

/** The use of a world, as it is now. */
export type UseFacts = Pick<KeptSummary, 'isKept' | 'usedAt' | 'createdAt'>

/** The past of a world, for its base. */
export interface KeptPast {
  /** The oldest revision of its history. */
  readonly oldestRevision: number
  stateAt(revision: number): Steps<WorldState>
}

/** The time between two looks at each world, in real ms. */
const tickMs = 1_000

interface WorldStorageOptions {
  /** Gets a sentence when the storage fails, works again, or had to cut something off. */
  readonly report?: (text: string) => void
  /** Called when the storage takes no changes of some worlds, and when it takes those of all worlds again. */
  readonly onFailing?: (isFailing: boolean) => void
  /** The least bytes of a log in front of the history, before the base is replaced. Default: 1 MiB. */
  readonly leastLogBytes?: number | undefined
  /** Default: the clocks and timers of this process. */
  readonly environment?: Pick<ProcessTime, 'setTimer'> | undefined
}

/** Keeps the worlds of a mock in a storage. */
export class WorldStorage {
  readonly #open = new Map<string, WorldInStorage>()
  readonly #environment: Pick<ProcessTime, 'setTimer'>
  #cancelTick: (() => void) | undefined
  readonly #report: (text: string) => void
  readonly #onFailing: (isFailing: boolean) => void
  /** The worlds whose changes the storage does not take. */
  readonly #failing = new Set<string>()
  readonly #leastLogBytes: number

  constructor(
    private readonly storage: Storage,
    {
      report = () => {},
      onFailing = () => {},
      leastLogBytes = 1024 ** 2,
      environment = processTime,
    }: WorldStorageOptions = {},
  ) {
    this.#report = report
    this.#onFailing = onFailing
    this.#leastLogBytes = leastLogBytes
    this.#environment = environment
    this.#tickLater()
  }

  /** The place as users know it. */
  get place(): string {
    return this.storage.place
  }

  /** In bytes, for all worlds. */
  get bytes(): number {
    return this.storage.bytes
  }

  /** The number of worlds. */
  get count(): number {
    return this.storage.count
  }

  list(): readonly KeptSummary[] {
    return this.storage.list()
  }

  /** A text that belongs to all worlds together: the mock's own scenario. */
  get settings(): string | undefined {
    return this.storage.settings
  }

  set settings(text: string) {
    this.storage.saveSettings(text)
  }

  /** Deletes all worlds, and the settings. */
  clear(): void {
    for (const { id } of this.list()) this.delete(id)
    this.storage.saveSettings(undefined)
  }

  find(id: string): KeptSummary | undefined {
    return this.storage.find(id)
  }

  /** Opens a world. Returns `undefined` if the storage does not have it. Throws `StorageError`. */
  open(id: string): WorldInStorage | undefined {
    const kept = this.storage.open(id)
    return kept && this.#add(id, kept)
  }

  /** Reads a world as `SharedStorage.read` does. Rejects with `StorageError`. */
  async read(shared: SharedStorage, id: string): Promise<WorldInStorage | undefined> {
    const kept = await shared.read(id)
    return kept && new WorldInStorage(id, kept, { createHash: () => shared.createHash(), onChange: () => {} })
  }

  /** Begins to keep a world, with its present state. Throws `StorageError`. */
  create(id: string, world: LiveWorld, use: UseFacts): WorldInStorage {
    const { state, initial } = world
    const clock = { ...state.clock, isReal: world.clock.showsRealTime }
    const isNew = state.revision === initial.state.revision && startOf(initial.state).isReal === clock.isReal
    const origin = encodeOrigin(initial.state, this.storage.createHash())
    const summary = { ...summaryOf(world), ...useOf(use) }
    const kept = this.storage.create(id, {
      summary,
      origin,
      ...(isNew ? {} : { base: [...encodeState(state, clock)].join('') }),
    })
    const stored = this.#add(id, kept)
    stored.begin(initial.state, clock.isReal)
    return stored
  }

  delete(id: string): void {
    this.closeWorld(id)
    this.storage.delete(id)
  }

  /** Closes a world that leaves memory. */
  closeWorld(id: string): void {
    this.#setFailing(id, false)
    this.#open.get(id)?.close()
    this.#open.delete(id)
  }

  close(): void {
    this.#cancelTick?.()
    for (const id of [...this.#open.keys()]) this.closeWorld(id)
    this.storage.close()
  }

  #setFailing(id: string, isFailing: boolean): void {
    const before = this.#failing.size > 0
    if (isFailing) this.#failing.add(id)
    else this.#failing.delete(id)
    if (this.#failing.size > 0 !== before) this.#onFailing(!before)
  }

  #add(id: string, kept: KeptWorld): WorldInStorage {
    if (kept.cutBytes > 0)
      this.#report(
        `the last change of the world ${id} was written only in part, and its ${kept.cutBytes} bytes were cut off: the process or the machine ended meanwhile`,
      )
    const onChange = (error: StorageError | undefined) => {
      this.#report(`the world ${id} ${error ? `takes no changes: ${error.message}` : 'takes changes again'}`)
      this.#setFailing(id, error !== undefined)
    }
    const stored = new WorldInStorage(id, kept, { createHash: () => this.storage.createHash(), onChange })
    this.#open.set(id, stored)
    return stored
  }

  #tickLater(): void {
    this.#cancelTick = this.#environment.setTimer(() => {
      this.#tickLater()
      void this.tick()
    }, tickMs)
  }

  /** Does the work of each second. Resolves when the bases are replaced. */
  async tick(): Promise<void> {
    await Promise.all([...this.#open.values()].map(stored => stored.tick(this.#leastLogBytes)))
  }
}

/** A world in a storage. */
export class WorldInStorage implements ChangeLog {
  /** The oldest first. The first one is for the base. */
  #marks: Mark[] = []
  readonly #origins = new WeakMap<WorldState, string>()
  #world: LiveWorld | undefined
  #past: KeptPast | undefined
  #use: UseFacts | undefined
  #failure: StorageError | undefined
  #isReplacing = false
  /** True while the clock stands still because of `check`. */
  #isPaused = false
  /** The change that waits for `changeSoon`. */
  #change: (() => void) | undefined
  readonly #unwatch: () => void
  readonly #createHash: () => Hash

  /** `onChange` is called with the error when the storage takes no changes, and with `undefined` when it does again. */
  constructor(
    private readonly id: string,
    private readonly kept: KeptWorld,
    { createHash, onChange }: { createHash: () => Hash; onChange: (error: StorageError | undefined) => void },
  ) {
    this.#createHash = createHash
    this.#unwatch = kept.watch(error => {
      const isNew = error?.message !== this.#failure?.message
      this.#failure = error
      if (isNew) onChange(error)
      if (error) {
        this.#world?.clock.halt()
        return
      }
      if (this.#world) this.#goOn(this.#world)
    })
  }

  /** A random text, which tells the world from an earlier one of its id. */
  get born(): string {
    return this.kept.born
  }

  /** The number of openings of the world, with this one. */
  get starts(): number {
    return this.kept.starts
  }

  /** Reads the world, a line in each step. Throws `StorageError`. */
  *load(context: LoadContext): Steps<LoggedWorld> {
    const kept = this.kept
    const { originHash } = kept
    const state = this.#readOrigin(originHash, context)
    const start = startOf(state)
    const base =
      kept.base === undefined
        ? { ...state, clock: start }
        : decodeState(parseJson(kept.base), state, context.publicUrlOf)
    this.#marks = [{ revision: base.revision, originHash, isReal: base.clock.isReal }]
    let faults: FaultsState = base.faults
    const changeSets: LoggedChangeSet[] = []
    for (const { revision, text } of kept.lines) {
      const result = decodeChangeSet(parseJson(text), { revision, faults, publicUrlOf: context.publicUrlOf })
      faults = result.faults ?? faults
      changeSets.push(result.clock || result.origin ? this.#placed(result, context) : result)
      yield
    }
    kept.release()
    return {
      initial: { state, clock: withoutReal(start) },
      base: { ...base, clock: withoutReal(base.clock) },
      changeSets,
      clockNow: clock => this.#clockNow(clock),
    }
  }

  /** Notes the clock and the origin that the world has from a change set on. */
  #placed({ clock, origin, ...result }: DecodedChangeSet, context: LoadContext): LoggedChangeSet {
    this.#mark({ revision: result.revision, originHash: origin?.hash, isReal: clock?.after.isReal })
    return {
      ...result,
      clock: clock && { before: clock.before, after: withoutReal(clock.after) },
      initial: origin && { state: this.#readOrigin(origin.hash, context), clock: origin.clock },
    }
  }

  /** Begins the log of a new world. */
  begin(origin: WorldState, isReal: boolean): void {
    const { originHash } = this.kept
    this.#origins.set(origin, originHash)
    this.#marks = [{ revision: 0, originHash, isReal }]
  }

  /** Keeps each change set of a world from now on. */
  follow(world: LiveWorld, past: KeptPast, use: UseFacts): void {
    this.#world = world
    this.#past = past
    this.#use = use
    world.keepIn(this)
    if (this.#failure) world.clock.halt()
  }

  /** Makes a change of the world now. If the storage takes none, makes it when it does again, before the clock goes on. */
  changeSoon(change: () => void): void {
    try {
      change()
      this.#change = undefined
    } catch (error) {
      if (!(error instanceof StorageError)) throw error
      this.#change = change
    }
  }

  append(changeSet: ChangeSet, initial: Initial | undefined): void {
    this.check()
    const { revision } = changeSet
    const isReal = this.#world?.clock.showsRealTime ?? false
    const origin = initial && { hash: this.#hashOf(initial.state), clock: initial.clock }
    this.kept.append({ revision, text: encodeChangeSet(changeSet, { isReal, origin }) })
    if (changeSet.clock || origin)
      this.#mark({ revision, originHash: origin?.hash, isReal: changeSet.clock ? isReal : undefined })
  }

  check(): void {
    try {
      this.kept.check()
    } catch (error) {
      this.#isPaused = true
      this.#world?.clock.halt()
      throw error
    }
  }

  settled(): Promise<void> | undefined {
    return this.kept.settled()
  }

  drained(): Promise<void> | undefined {
    return this.kept.drained?.()
  }

  /**
   * Writes the time of a clock that does not show the real time, and the summary for the list. Replaces the base if the log in front
   * of the history has become longer than the base and `leastLogBytes`. Does so too if the storage has lost changes.
   */
  async tick(leastLogBytes: number): Promise<void> {
    if (this.#failure || !this.#world) return
    if (this.#isPaused && !this.#resume(this.#world)) return
    this.#writeTime(this.#world)
    this.#summarize(this.#world)
    const past = this.#past
    if (!past || this.#isReplacing) return
    if (this.kept.needsBase) {
      await this.#replaceBase(past, this.#world.revision, this.#world.initial.state)
      return
    }
    const bytes = this.kept.bytesUpTo(past.oldestRevision)
    if (bytes > leastLogBytes && bytes > this.kept.baseBytes) await this.#replaceBase(past, past.oldestRevision)
  }

  close(): void {
    if (this.#world) {
      this.#writeTime(this.#world)
      this.#summarize(this.#world)
    }
    // It may tell that its files are gone.
    this.kept.close()
    this.#unwatch()
  }

  /** Lets the clock go on if the storage takes changes again. */
  #resume(world: LiveWorld): boolean {
    try {
      this.kept.check()
    } catch {
      return false
    }
    this.#goOn(world)
    return true
  }

  #goOn(world: LiveWorld): void {
    this.#isPaused = false
    if (this.#change) this.changeSoon(this.#change)
    if (!this.#change) world.clock.resume()
  }

  #summarize(world: LiveWorld): void {
    if (this.#use) this.kept.summarize({ ...summaryOf(world), ...useOf(this.#use) })
  }

  #writeTime({ clock, revision }: LiveWorld): void {
    if (clock.mode === 'frozen' || clock.showsRealTime) return
    this.kept.writeTime(JSON.stringify({ revision, now: clock.now() }))
  }

  /** `lostOrigin`: the origin at that revision, if the storage may have lost it. */
  async #replaceBase(past: KeptPast, revision: number, lostOrigin?: WorldState): Promise<void> {
    const mark = this.#marks.findLast(({ revision: at }) => at <= revision) ?? this.#lastMark
    this.#isReplacing = true
    try {
      const originHash = lostOrigin ? this.#putAgain(lostOrigin) : mark.originHash
      const parts = await runInSlices(encodeStateInSteps(await runInSlices(past.stateAt(revision)), mark.isReal))
      if (this.#failure) return
      const base = { parts, revision, originHash }
      if (this.kept.replaceBaseInSteps) await runInSlices(this.kept.replaceBaseInSteps(base))
      else this.kept.replaceBase(base)
      const isLater = (_: Mark, i: number) => (this.#marks[i + 1]?.revision ?? Number.POSITIVE_INFINITY) > revision
      this.#marks = this.#marks.filter(isLater).map(one => (one === mark ? { ...mark, originHash } : one))
    } catch (error) {
      // The log is longer than it needs to be. The next look tries again.
      if (!(error instanceof StorageError)) throw error
    } finally {
      this.#isReplacing = false
    }
  }

  get #lastMark(): Mark {
    return this.#marks.at(-1) as Mark // `load` and `begin` set one
  }

  #mark({ revision, originHash, isReal }: { [Key in keyof Mark]: Mark[Key] | undefined } & { revision: number }): void {
    const last = this.#lastMark
    this.#marks.push({ revision, originHash: originHash ?? last.originHash, isReal: isReal ?? last.isReal })
  }

  /** Returns the clock that goes on after the newest change set. */
  #clockNow(clock: ClockState): ClockState {
    if (clock.mode === 'frozen') return clock
    const { isReal, revision } = this.#lastMark
    if (isReal) return { ...clock, now: Math.max(clock.now, realTime()) }
    const time = JSON.parse(this.kept.time ?? '{}') as { readonly revision?: number; readonly now?: number }
    const isNewer = time.revision !== undefined && time.revision >= revision
    const shown = isNewer ? Math.max(clock.now, time.now ?? 0) : clock.now
    return { ...clock, now: shown + Math.ceil(this.kept.lagMs * clock.rate) }
  }

  #hashOf(state: WorldState): string {
    const known = this.#origins.get(state)
    if (known !== undefined) return known
    const unseeded = state.unseeded && this.#hashOf(state.unseeded)
    return this.#put(state, encodeOrigin(state, this.#createHash(), unseeded))
  }

  #putAgain(state: WorldState): string {
    const unseeded = state.unseeded && this.#putAgain(state.unseeded)
    return this.#put(state, encodeOrigin(state, this.#createHash(), unseeded))
  }

  #put(state: WorldState, origin: Origin): string {
    this.kept.putOrigin(origin)
    this.#origins.set(state, origin.hash)
    return origin.hash
  }

  #readOrigin(hash: string, context: LoadContext): WorldState {
    const origin = parseOrigin(this.kept.origin(hash), context.ownScenario)
    const made = 'recipe' in origin ? this.#makeState(origin, context) : stateOfCopy(origin, context)
    const { unseeded } = origin
    const state = unseeded === undefined ? made : { ...made, unseeded: this.#readOrigin(unseeded, context) }
    this.#origins.set(state, hash)
    return state
  }

  #makeState(
    { recipe, startsAt, digest }: Extract<KeptOrigin, { recipe: KeptRecipe }>,
    { stateOf }: LoadContext,
  ): WorldState {
    const state = stateOf(recipe, startsAt)
    if (digestOf(state.tables) === digest) return state
    throw new StorageError(
      `the world ${this.id} was kept by another version of mockmaker, which makes other rows from its scenario: use that version, or begin anew with --reset`,
    )
  }
}

function startOf({ clock: { mode, rate, now }, startsAt }: WorldState): EncodedClock {
  return { mode, rate, now: now ?? startsAt, isReal: now === undefined && mode === 'running' && rate === 1 }
}

function withoutReal({ mode, rate, now }: EncodedClock): ClockState {
  return { mode, rate, now }
}

/** Encodes an origin. `unseeded`: the hash of the one that a reset without a seed goes back to. */
function encodeOrigin(state: WorldState, hash: Hash, unseeded?: string): Origin {
  const { recipe, startsAt, tables } = state
  if (!recipe) return originOf(copiedState(state, unseeded), hash)
  const { scenario, seed, live } = recipe
  const kept = keptScenario(scenario as CheckedScenario) // `defineWorld` makes recipes
  const options = JSON.stringify({ seed, live }).slice(1)
  const others = JSON.stringify({ startsAt, digest: digestOf(tables), unseeded }).slice(1)
  return originOf([recipeStart, kept, `,${options},${others}`], hash)
}

function* copiedState(state: WorldState, unseeded: string | undefined): Generator<string> {
  const { clock, startsAt, scenarioFaults } = state
  yield writeJson({ ...nameOf(state), clock, startsAt, scenarioFaults, unseeded }).slice(0, -1)
  yield ',"state":'
  yield* encodeState(state, startOf(state))
  yield '}'
}

const recipeStart = '{"recipe":{"scenario":'

function parseOrigin(text: string, ownScenario: string): KeptOrigin {
  const start = `${recipeStart}${ownScenario},`
  return parseJson(text.startsWith(start) ? `{"recipe":{${text.slice(start.length)}` : text) as KeptOrigin
}

function stateOfCopy(
  { state, ...origin }: Extract<KeptOrigin, { state: object }>,
  { publicUrlOf }: LoadContext,
): WorldState {
  const named = origin as unknown as WorldState // `decodeState` adds the rest
  return { ...decodeState(state, named, publicUrlOf), clock: origin.clock }
}

/** Callers pass their own objects, which have more. */
function useOf({ isKept, usedAt, createdAt }: UseFacts): UseFacts {
  return { isKept, usedAt, createdAt }
}

function summaryOf(world: LiveWorld): Omit<KeptSummary, 'id' | keyof UseFacts> {
  const { title, seed, revision, clock, waiters } = world
  const seats = countPlayers(world.tables)
  return { title, seed, revision, now: clock.now(), ...seats, ...(waiters === 0 ? {} : { waiters }) }
}
