import { Fault, type FaultDelay, type FaultEntry, type FaultState, mostFaults } from '../contract/faults.js'
import { parseInput } from '../lib/issues.js'
import { sameJson } from '../lib/json.js'
import { UsageError } from '../lib/usage-error.js'
import { Random, type RandomState } from '../store/random.js'
import type { LiveWorld } from '../store/world.js'
import { delayMs } from './fault-delay.js'
import { concerns } from './fault-match.js'
import { LiveFault } from './live-fault.js'
import { UncheckedRequest } from './match.js'
import type { MockRequest } from './message.js'

/** The made-up trouble of a world. Each exchange meets one fault at most: the first, in the order of their adding, that is due. */
export interface Faults {
  /** In the order in which they were added. */
  list(): readonly FaultState[]
  /** Adds a fault behind the others. Throws `UsageError` where it is none. */
  add(fault: Fault): FaultState
  /** Takes a fault away, and lets go what it holds; `false` where there is none. */
  remove(id: string): boolean
  /** Takes all away. */
  clear(): void
  /** Lets go what a fault holds or delays, and says how many requests that were; `undefined` where there is no such fault. It stays, and holds those that come. */
  release(id: string): number | undefined
}

/** A fault that strikes an exchange, and what was found out about it. */
export interface Strike {
  readonly fault: LiveFault
  readonly request: UncheckedRequest
}

/** Where the faults of a world begin. */
interface FaultsBeginning {
  /** When it was, on the world's clock. */
  readonly at: number
  readonly faults: readonly FaultEntry[]
  /** Where their chance stands. Default: at the beginning of what the world's seed gives. */
  readonly chance?: RandomState | undefined
}

const none: readonly string[] = []
const nothing: FaultsBeginning = { at: 0, faults: [] }

/** Made with each world, and so small: what it needs for faults it makes with the first one. */
export class WorldFaults implements Faults {
  readonly #world: LiveWorld
  #beginning = nothing
  /** By id; `undefined` where there are none. */
  #faults: Map<string, LiveFault> | undefined
  #lastId = 0
  /** The ids of those that were there at the beginning. */
  #begun = none
  #random: Random | undefined
  #closed = false

  constructor(world: LiveWorld) {
    this.#world = world
  }

  /** Whether there are any: where there are none, there is nothing to ask. */
  get some(): boolean {
    return this.#faults !== undefined
  }

  /** Whether requests are held or delayed. */
  get holding(): boolean {
    return this.#all().some(fault => fault.held.size > 0)
  }

  /** Whether nothing is held or delayed any more. */
  get closed(): boolean {
    return this.#closed
  }

  /** Where their chance stands: `begin` goes on from there. */
  get chance(): RandomState {
    return this.#drawn().save()
  }

  list(): readonly FaultState[] {
    return this.#all().map(fault => fault.state)
  }

  add(fault: Fault): FaultState {
    if ((this.#faults?.size ?? 0) >= mostFaults)
      throw new UsageError(`there are ${mostFaults} faults already: take some away before you add another`)
    return this.#put(parseInput(Fault, fault, 'fault'), this.#world.clock.now()).state
  }

  remove(id: string): boolean {
    const fault = this.#faults?.get(id)
    if (!fault) return false
    this.#faults?.delete(id)
    if (this.#faults?.size === 0) this.#faults = undefined
    fault.release()
    return true
  }

  clear(): void {
    const faults = this.#all()
    this.#faults = undefined
    for (const fault of faults) fault.release()
  }

  release(id: string): number | undefined {
    return this.#faults?.get(id)?.release()
  }

  /** Lets go all that are held. The faults stay. */
  letGo(): void {
    for (const fault of this.#all()) fault.release()
  }

  /** Begins anew with these faults, which have been read already; some may go on where they were. A reset leads back here. */
  begin(faults: readonly FaultEntry[], chance?: RandomState): void {
    this.#beginning = { at: this.#world.clock.now(), faults, chance }
    this.reset()
  }

  /** Has begun with none: what is there stays, until a reset. */
  stay(): void {
    this.#beginning = nothing
    this.#begun = none
  }

  /** How many of the faults of the beginning are not among others. */
  lostTo(faults: readonly FaultEntry[]): number {
    return this.#beginning.faults.filter(fault => !faults.some(other => sameJson(fault, other))).length
  }

  /** Has begun with other faults: those of the beginning make way for them, and others stay. */
  rebase(faults: readonly FaultEntry[]): void {
    const { faults: before, chance } = this.#beginning
    if (sameJson(before, faults)) return
    for (const id of this.#begun) this.remove(id)
    const at = this.#world.clock.now()
    this.#beginning = { at, faults, chance }
    this.#begun = faults.map(fault => this.#put(this.#faults?.has(fault.id ?? '') ? unnamed(fault) : fault, at).id)
  }

  /** Back to the beginning. Lets go all that are held. */
  reset(): void {
    const { at, faults, chance } = this.#beginning
    this.clear()
    this.#random = undefined
    this.#lastId = faults.reduce((last, { id = '0' }) => Math.max(last, Number(id)), 0)
    this.#begun = faults.map(fault => this.#put(fault, at).id)
    if (chance) this.#drawn().restore(chance)
  }

  /** Lets go all that are held. From now on nothing is held or delayed. */
  close(): void {
    this.#closed = true
    this.letGo()
  }

  /** For an exchange that has come: the fault that strikes it. */
  strike(exchange: MockRequest): Strike | undefined {
    const request = new UncheckedRequest(exchange, this.#world)
    const fault = this.#all().find(one => one.strikes(request, () => this.#drawn()))
    return fault && { fault, request }
  }

  /** Those that concern a request, and whether they are due. Counts nothing. */
  concerning(exchange: MockRequest): readonly { readonly state: FaultState; readonly isDue: boolean }[] {
    const request = new UncheckedRequest(exchange, this.#world)
    return this.#all()
      .filter(fault => concerns(fault.given, request))
      .map(({ state, isDue }) => ({ state, isDue }))
  }

  /** For how long an exchange is delayed. */
  delayMs(delay: FaultDelay): number {
    return delayMs(delay, () => this.#drawn())
  }

  #all(): readonly LiveFault[] {
    return [...(this.#faults?.values() ?? [])]
  }

  #put(entry: FaultEntry, at: number): LiveFault {
    const id = entry.id ?? String(++this.#lastId)
    this.#lastId = Math.max(this.#lastId, Number(id))
    const fault = new LiveFault(entry, { id, clock: this.#world.clock, at })
    this.#faults ??= new Map()
    this.#faults.set(id, fault)
    return fault
  }

  #drawn(): Random {
    this.#random ??= new Random(this.#world.seed, 'faults')
    return this.#random
  }
}

function unnamed({ id: _, ...fault }: FaultEntry): FaultEntry {
  return fault
}
