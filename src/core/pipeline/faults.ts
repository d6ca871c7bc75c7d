import type { Answer } from '../contract/answers.js'
import { Fault, type FaultDelay, type FaultState, HeldRelease, mostFaults } from '../contract/faults.js'
import { parseInput } from '../lib/issues.js'
import { sameJson } from '../lib/json.js'
import { checkKeys, didYouMean, matchesGlob, quoted, UsageError } from '../lib/messages.js'
import { durationMs } from '../lib/time.js'
import { applyOutages } from '../operations/outages.js'
import type { Cause } from '../store/change-set.js'
import {
  appendFault,
  countMatch,
  type FaultRecord,
  type FaultsState,
  faultRandom,
  faultState,
  isDue,
  replaceFault,
} from '../store/faults.js'
import type { Random } from '../store/random.js'
import type { Timer } from '../store/timers.js'
import type { LiveWorld, WriteOptions } from '../store/world.js'
import { type FaultInput, withTextDurations } from './fault-input.js'
import { findDifferences, UncheckedRequest } from './match.js'
import type { MockRequest, RequestFacts } from './message.js'

/** Selects faults. */
export interface FaultFilter {
  /** Only those that code has added, and that never applied to a request. Default: all. */
  readonly unused?: boolean | undefined
}

/** The injected errors and delays of a world. At most one applies to a request: the first that matches and is due. */
export interface Faults {
  /** Lists the faults in the order in which they were added. Default: all. */
  list(filter?: FaultFilter): readonly FaultState[]
  /** Adds a fault behind the others. Its durations may be numbers of ms. Throws `UsageError` if it is invalid, or if there are too many. */
  add(fault: FaultInput): FaultState
  /**
   * Replaces the settings of a fault: it moves on the clock, or gets another effect. Its id, its place and its counters stay.
   * `after` counts from its addition. With another effect, the requests that it holds are released. Returns `undefined` if it does
   * not exist. Throws `UsageError`.
   */
  replace(id: string, fault: FaultInput): FaultState | undefined
  /** Deletes a fault and releases the requests that it holds. Returns `false` if it does not exist. */
  remove(id: string): boolean
  /** Deletes all faults and releases the requests that they hold. */
  clear(): void
  /**
   * Releases the requests that a fault holds or delays, and returns how many they were. The fault stays, and holds later
   * requests. Default: they are answered as usual. Returns `undefined` if it does not exist. Throws `UsageError`.
   */
  release(id: string, how?: HeldRelease): number | undefined
}

/** A fault that applies to a request. */
export interface SelectedFault {
  readonly id: string
  readonly effect: Fault['effect']
  /** The delay in ms. `undefined` for other effects. */
  readonly delayMs: number | undefined
  readonly request: UncheckedRequest
}

/** A request that a fault holds or delays. */
export interface HeldExchange {
  readonly facts: RequestFacts
  /** Returns the answer that it would get now. It changes nothing. */
  draft(): AnswerDraft
}

/** The answer that a held request would get now. */
export interface AnswerDraft extends Partial<Answer> {
  /**
   * The request would wait before this answer: for a change of what it watches, or for its lobby to be ready. `resolver`: a
   * resolver of `on` or `override` makes the answer, so it is unknown. Absent if the request would not wait.
   */
  readonly waits_for?: 'watch' | 'lobby' | 'resolver'
}

interface Held extends HeldExchange {
  /** The fault that holds it. `undefined` after a release with a delay, because the fault may be deleted meanwhile. */
  faultId: string | undefined
  readonly release: (how: HeldRelease) => void
}

/** The way in which a held request goes on, or the reason why it does not. */
export type HeldEnd = HeldRelease | 'client gone'

/** The faults of a world, and the requests that they hold. The state of the world has their counters. */
export class LiveFaults implements Faults {
  /** The oldest first. */
  readonly #held = new Set<Held>()
  /** The functions that close the connections of requests that get no answer. */
  readonly #unanswered = new Set<() => void>()
  #isClosed = false

  constructor(private readonly world: LiveWorld) {}

  get isEmpty(): boolean {
    return this.#records.length === 0
  }

  get isHolding(): boolean {
    return this.#unanswered.size > 0 || this.#held.size > 0
  }

  list(filter: FaultFilter = {}): readonly FaultState[] {
    this.world.checkUsable()
    checkKeys(filter, ['unused'])
    return this.#records
      .filter(({ isFromScenario, struck }) => !filter.unused || (!isFromScenario && struck === 0))
      .map(record => this.#stateOf(record))
  }

  add(fault: FaultInput): FaultState {
    this.world.checkUsable()
    if (this.#records.length >= mostFaults)
      throw new UsageError(`there are ${mostFaults} faults already: delete some before you add another`)
    const checked = parseInput(Fault(), withTextDurations(fault), 'fault')
    const { clock } = this.world
    this.#checkRegion(checked)
    this.#write('faults.add', state => appendFault(state, checked, clock.now()))
    applyOutages(this.world)
    return this.#stateOf(this.#records.at(-1) as FaultRecord) // just added
  }

  replace(id: string, fault: FaultInput): FaultState | undefined {
    this.world.checkUsable()
    const checked = parseInput(Fault(), withTextDurations(fault), 'fault')
    const before = this.#find(id)
    if (!before) return undefined
    this.#checkRegion(checked)
    const { clock } = this.world
    this.#write('faults.replace', state => replaceFault(state, id, checked, clock.now()))
    applyOutages(this.world)
    if (!sameJson(before.fault.effect, checked.effect)) this.#release(({ faultId }) => faultId === id)
    return this.#stateOf(this.#find(id) as FaultRecord) // just replaced
  }

  remove(id: string): boolean {
    this.world.checkUsable()
    if (!this.#find(id)) return false
    this.#write('faults.remove', state => ({ ...state, records: state.records.filter(record => record.id !== id) }))
    this.releaseDeleted()
    return true
  }

  clear(): void {
    this.world.checkUsable()
    this.#write('faults.clear', state => ({ ...state, records: [] }))
    this.releaseDeleted()
  }

  release(id: string, how: HeldRelease = {}): number | undefined {
    this.world.checkUsable()
    const checked = parseInput(HeldRelease(), how, 'release')
    return this.#find(id) && this.#release(({ faultId }) => faultId === id, checked)
  }

  /** Finds a request that a fault holds or delays, by its ray id. */
  heldRequest(id: string): Held | undefined {
    return [...this.#held].find(({ facts }) => facts.rayId === id)
  }

  heldRequests(): HeldExchange[] {
    return [...this.#held]
  }

  /** Releases all held requests, and closes the connections of those that get no answer. The faults stay. */
  releaseAll(): void {
    this.#release(() => true)
    for (const close of this.#unanswered) close()
  }

  releaseDeleted(): void {
    this.#release(({ faultId }) => faultId !== undefined && !this.#find(faultId))
  }

  /** Releases all held requests, and holds none from now on. */
  close(): void {
    this.#isClosed = true
    this.releaseAll()
  }

  /**
   * Holds a request for the delay of the fault or, without a delay, until the fault is released. Then calls `end` once, with
   * the time in ms. Not a promise: a reset must not overtake the requests that it releases.
   */
  hold({ id, delayMs }: SelectedFault, exchange: HeldExchange, end: (heldForMs: number, how: HeldEnd) => void): void {
    if (this.#isClosed || delayMs === 0) {
      end(0, {})
      return
    }
    const { clock } = this.world
    const signal = exchange.facts.request.signal?.()
    const since = clock.elapsed()
    let longestMs = delayMs ?? Number.POSITIVE_INFINITY
    let timer: Timer | undefined
    const finish = (how: HeldEnd) => {
      if (!this.#held.delete(held)) return
      if (timer) clock.cancel(timer)
      signal?.removeEventListener('abort', abort)
      // A timer of the platform may be late.
      end(Math.min(longestMs, Math.round(clock.elapsed() - since)), how)
    }
    const finishAfter = (ms: number, how: HeldRelease) => {
      if (timer) clock.cancel(timer)
      longestMs = Math.round(clock.elapsed() - since) + ms
      timer = clock.after(ms, () => finish(how))
    }
    const release = ({ delay, ...how }: HeldRelease) => {
      const ms = delay === undefined ? 0 : durationMs(String(delay))
      if (ms === 0) {
        finish(how)
        return
      }
      finishAfter(ms, how)
      held.faultId = undefined
    }
    const abort = () => finish('client gone')
    const held: Held = { ...exchange, faultId: id, release }
    this.#held.add(held)
    if (delayMs !== undefined) finishAfter(delayMs, {})
    signal?.addEventListener('abort', abort)
    if (signal?.aborted) abort()
  }

  /** Waits until the client of a request disconnects, or until the world is replaced or closed. Then calls `end` once. */
  neverAnswer(request: MockRequest, end: () => void): void {
    const client = request.signal?.()
    const close = () => {
      this.#unanswered.delete(close)
      client?.removeEventListener('abort', close)
      end()
    }
    this.#unanswered.add(close)
    client?.addEventListener('abort', close)
  }

  /** Selects the fault that applies to a request. Counts the request for each matching fault up to that one. */
  select(request: MockRequest, options: () => WriteOptions): SelectedFault | undefined {
    const unchecked = new UncheckedRequest(request, this.world)
    const { faults: before, seed, clock } = this.world
    const now = clock.now()
    const records = [...before.records]
    let random: Random | undefined
    const draw = () => {
      random ??= faultRandom(before, seed)
      return random
    }
    let hasMatched = false
    let selected: SelectedFault | undefined
    for (const [i, record] of records.entries()) {
      const { id, fault } = record
      if (!matches(fault, unchecked)) continue
      hasMatched = true
      const { chance, effect } = fault
      const counted = countMatch(record, now)
      const applies = isDue(record, now) && (chance === undefined || draw().float() < chance)
      records[i] = applies ? { ...counted, struck: counted.struck + 1, lastAt: now } : counted
      if (!applies) continue
      const delayMs = effect.delay === undefined ? undefined : drawDelay(effect.delay, draw)
      selected = { id, effect, delayMs, request: unchecked }
      break
    }
    if (hasMatched) {
      const after: FaultsState = { ...before, records, ...(random ? { random: random.save() } : {}) }
      this.world.write(() => this.#set(after), options())
    }
    return selected
  }

  /** Lists the faults that match a request, and tells if each is due. Counts nothing. */
  matching(request: MockRequest): readonly { readonly state: FaultState; readonly isDue: boolean }[] {
    const unchecked = new UncheckedRequest(request, this.world)
    const now = this.world.clock.now()
    return this.#records
      .filter(({ fault }) => matches(fault, unchecked))
      .map(record => ({ state: this.#stateOf(record), isDue: isDue(record, now) }))
  }

  get #records(): readonly FaultRecord[] {
    return this.world.faults.records
  }

  #checkRegion({ region }: Fault): void {
    const { regions } = this.world.tables
    if (region === undefined || regions.get(region)) return
    const known = regions.all().map(({ region_id }) => region_id)
    throw new UsageError(`fault.region is ${quoted(region)}, which no region has.${didYouMean(region, known)}`)
  }

  #find(id: string): FaultRecord | undefined {
    return this.#records.find(record => record.id === id)
  }

  #stateOf(record: FaultRecord): FaultState {
    const holding = [...this.#held].filter(({ faultId }) => faultId === record.id).length
    return faultState(record, { now: this.world.clock.now(), holding })
  }

  #write(call: string, change: (state: FaultsState) => FaultsState): void {
    const cause: Cause = { kind: 'control', call }
    this.world.write(() => this.#set(change(this.world.faults)), { cause })
  }

  #set(faults: FaultsState): void {
    this.world.faults = faults
  }

  #release(isMeant: (held: Held) => boolean, how: HeldRelease = {}): number {
    const meant = [...this.#held].filter(isMeant)
    for (const { release } of meant) release(how)
    return meant.length
  }
}

function matches({ operation, match = {}, effect }: Fault, request: UncheckedRequest): boolean {
  if (effect.outage) return false
  if (operation !== undefined && !(request.operation && matchesGlob(request.operation, operation))) return false
  // Only a request that may block can wake early.
  if (effect.spurious !== undefined && !request.mayBlock) return false
  if (effect.index && !request.isWatch) return false
  // The first difference is enough.
  return findDifferences(match, request).next().done === true
}

/** Draws a delay in whole ms. */
export function drawDelay(delay: FaultDelay, random: () => Random): number {
  if (typeof delay === 'string') return durationMs(delay)
  if ('min' in delay) {
    const [min, max] = [durationMs(delay.min), durationMs(delay.max)]
    return min + Math.floor(random().float() * (max - min + 1))
  }
  const [median, p95] = [durationMs(delay.median), durationMs(delay.p95)]
  const spread = Math.log(p95 / median) / normalP95
  return Math.round(median * Math.exp(spread * random().normal()))
}

/** 95 of 100 values of the normal distribution are below it. */
const normalP95 = 1.6448536269514722
