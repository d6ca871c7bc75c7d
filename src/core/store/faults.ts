import type { Fault, FaultEntry, FaultState } from '../contract/faults.js'
import { frozenCopy, sameJson } from '../lib/json.js'
import { parseDate } from '../lib/real-globals.js'
import { durationMs, formatInstant } from '../lib/time.js'
import { Random, type RandomState } from './random.js'

/** A fault of a world with its counters. Never modified. Times are in ms of the world's clock. */
export interface FaultRecord {
  readonly id: string
  readonly fault: Fault
  /** The number of requests that matched. */
  readonly matched: number
  /** The number of requests that the fault was applied to. */
  readonly struck: number
  readonly addedAt: number
  /** `undefined` until enough requests have matched. */
  readonly beganAt: number | undefined
  /** When it last applied to a request. Absent until then. */
  readonly lastAt?: number | undefined
  /** True if a reload of the scenario replaces it. */
  readonly isFromScenario: boolean
}

/** The faults of a world in the order of their creation, and their random state. Never modified. */
export interface FaultsState {
  readonly records: readonly FaultRecord[]
  /** The highest number that was used as an id. */
  readonly lastId: number
  /** Default: the first state of the world's seed. */
  readonly random: RandomState | undefined
}

/** Creates the faults of a scenario. `now` in ms of the world's clock. */
export function createFaults(entries: readonly FaultEntry[], now: number, random?: RandomState): FaultsState {
  const lastId = entries.reduce((last, { id = '0' }) => Math.max(last, Number(id)), 0)
  return appendEntries({ records: [], lastId, random }, entries, now)
}

/** Appends a fault. Its id is the next number. */
export function appendFault(state: FaultsState, fault: Fault, now: number): FaultsState {
  const lastId = state.lastId + 1
  return { ...state, records: [...state.records, recordOf(fault, { id: String(lastId), now })], lastId }
}

/** Replaces the settings of a fault, which has the id. Its place, its counters and the time of its addition stay. */
export function replaceFault(state: FaultsState, id: string, fault: Fault, now: number): FaultsState {
  const edited = (record: FaultRecord): FaultRecord => {
    const { addedAt, matched } = record
    const isAsLate = sameJson(record.fault.after, fault.after)
    const hasMatched = typeof fault.after === 'number' && matched >= fault.after
    const beganAt = isAsLate ? record.beganAt : (beginOf(fault, addedAt) ?? (hasMatched ? now : undefined))
    return { ...record, fault: frozenCopy(fault), beganAt }
  }
  return { ...state, records: state.records.map(record => (record.id === id ? edited(record) : record)) }
}

/** Replaces the faults of a scenario by those of its new version. Other faults stay. */
export function replaceScenarioFaults(
  state: FaultsState,
  entries: readonly FaultEntry[],
  { now, random }: { readonly now: number; readonly random: RandomState | undefined },
): FaultsState {
  const others = state.records.filter(record => !record.isFromScenario)
  const taken = new Set(others.map(({ id }) => id))
  const renamed = entries.map(({ id, ...entry }) => (id === undefined || taken.has(id) ? entry : { id, ...entry }))
  return appendEntries({ ...state, records: others, random: state.random ?? random }, renamed, now)
}

/** Copies the faults. The next reload does not replace them. */
export function withoutScenario(state: FaultsState): FaultsState {
  return { ...state, records: state.records.map(record => ({ ...record, isFromScenario: false })) }
}

/** Counts the entries of a scenario that are not in its next version. */
export function countRemoved(before: readonly FaultEntry[], after: readonly FaultEntry[]): number {
  return before.filter(entry => !after.some(other => sameJson(entry, other))).length
}

/** Shifts the times of the faults by `ms`, after the clock was set. */
export function shiftFaults(state: FaultsState, ms: number): FaultsState {
  if (ms === 0 || state.records.length === 0) return state
  const records = state.records.map(record => ({
    ...record,
    addedAt: record.addedAt + ms,
    beganAt: record.beganAt === undefined ? undefined : record.beganAt + ms,
    ...(record.lastAt === undefined ? {} : { lastAt: record.lastAt + ms }),
  }))
  return { ...state, records }
}

/** Creates the random generator of the faults, in its present state. */
export function faultRandom({ random }: FaultsState, seed: number): Random {
  const sequence = new Random(seed, 'faults')
  if (random) sequence.restore(random)
  return sequence
}

/** Checks if a fault applies to a matching request. Ignores its chance. */
export function isDue({ fault, beganAt, struck }: FaultRecord, now: number): boolean {
  return beganAt !== undefined && now >= beganAt && !hasEnded({ ...fault, struck }, beganAt, now)
}

function beginOf({ after = 0 }: Pick<Fault, 'after'>, addedAt: number): number | undefined {
  if (typeof after === 'string') return addedAt + durationMs(after)
  return after === 0 ? addedAt : undefined
}

function hasEnded(
  { times, struck, for: length }: Pick<FaultState, 'times' | 'struck' | 'for'>,
  beganAt: number | undefined,
  now: number,
): boolean {
  if (times !== undefined && struck >= times) return true
  return length !== undefined && beganAt !== undefined && now - beganAt >= durationMs(length)
}

/** Returns when a fault ends or has ended. `undefined` if only requests can end it. */
export function endOf({ fault, beganAt, struck, lastAt }: FaultRecord): number | undefined {
  if (fault.times !== undefined && struck >= fault.times) return lastAt
  return fault.for === undefined || beganAt === undefined ? undefined : beganAt + durationMs(fault.for)
}

/** Returns the fault that has taken a region down. `undefined` if the region is up. `now` in ms of the world's clock. */
export function outageOf(
  { records }: Pick<FaultsState, 'records'>,
  region_id: string,
  now: number,
): FaultRecord | undefined {
  return records.find(record => record.fault.region === region_id && isDue(record, now))
}

/** Returns when the next outage begins. Infinity if none waits. */
export function nextOutageAt({ records }: FaultsState): number {
  return records.reduce((first, record) => Math.min(first, outageAt(record)), never)
}

/** Marks the outages that have begun, or only one of them. Returns the same state if there are none. */
export function markOutages(state: FaultsState, now: number, id?: string): FaultsState {
  const begins = (record: FaultRecord) => outageAt(record) <= now && (id === undefined || record.id === id)
  if (!state.records.some(begins)) return state
  const mark = (record: FaultRecord) =>
    begins(record) ? { ...record, matched: record.matched + 1, struck: record.struck + 1, lastAt: now } : record
  return { ...state, records: state.records.map(mark) }
}

function outageAt({ fault, beganAt = never, lastAt = -never }: FaultRecord): number {
  return fault.region !== undefined && lastAt < beganAt ? beganAt : never
}

const never = Number.POSITIVE_INFINITY

export function countMatch(record: FaultRecord, now: number): FaultRecord {
  const { after } = record.fault
  const matched = record.matched + 1
  const hasBegun = typeof after === 'number' && matched >= after
  return { ...record, matched, beganAt: record.beganAt ?? (hasBegun ? now : undefined) }
}

/** Returns a fault with its counters, for clients. `holding`: the number of requests that it holds now. */
export function faultState(record: FaultRecord, { now, holding }: { now: number; holding: number }): FaultState {
  const endsAt = endOf(record)
  return Object.freeze({
    ...faultEntry(record, now),
    holding,
    ...(record.beganAt === undefined ? {} : { begins_at: formatInstant(record.beganAt) }),
    ...(endsAt === undefined ? {} : { ends_at: formatInstant(endsAt) }),
  })
}

/** Returns a fault with its counters, for a snapshot. Of a restored world it holds no requests. */
export function faultEntry({ id, fault, matched, struck, addedAt, beganAt, lastAt }: FaultRecord, now: number) {
  return {
    ...fault,
    id,
    matched,
    struck,
    holding: 0,
    added_at: formatInstant(addedAt),
    ...(beganAt === undefined || beganAt > now ? {} : { began_at: formatInstant(beganAt) }),
    ...(lastAt === undefined ? {} : { last_at: formatInstant(lastAt) }),
  } satisfies FaultEntry
}

function appendEntries(state: FaultsState, entries: readonly FaultEntry[], now: number): FaultsState {
  let { lastId } = state
  const added = entries.map(entry => {
    const id = entry.id ?? String(++lastId)
    lastId = Math.max(lastId, Number(id))
    return { ...recordOf(entry, { id, now }), isFromScenario: true }
  })
  return { ...state, records: [...state.records, ...added], lastId }
}

function recordOf(entry: FaultEntry, { id, now }: { readonly id: string; readonly now: number }): FaultRecord {
  const { id: _id, matched = 0, struck = 0, holding: _holding, added_at, began_at, last_at, ...fault } = entry
  const addedAt = added_at === undefined ? now : parseDate(added_at)
  const beganAt = began_at === undefined ? beginOf(fault, addedAt) : parseDate(began_at)
  const last = last_at === undefined ? {} : { lastAt: parseDate(last_at) }
  return { id, fault: frozenCopy(fault), matched, struck, addedAt, beganAt, ...last, isFromScenario: false }
}
