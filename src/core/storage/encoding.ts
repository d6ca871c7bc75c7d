import { frozen, writeJson } from '../lib/json.js'
import type { Steps } from '../lib/steps.js'
import type { Change, ChangeSet, ChangeSetResult } from '../store/change-set.js'
import type { ClockState } from '../store/clock.js'
import type { FaultRecord, FaultsState } from '../store/faults.js'
import type { RandomState } from '../store/random.js'
import type { SettingsRow, TableName } from '../store/rows.js'
import { tableNames } from '../store/table-names.js'
import { type Entry, type SavedTable, TableState } from '../store/table-state.js'
import { mapTables, shapes, type TableStates, timeOfState, type WorldState } from '../store/world-state.js'

// What a storage keeps of a world, as JSON. It is an internal format: the fixture format has no revisions.

/** Returns the address of the mock in links, for the `cdn_domain` of a world. */
export type PublicUrlOf = (cdnDomain: string) => string

/** A clock. `isReal`: it showed the real time, and shows it again after a restart. */
export interface EncodedClock extends ClockState {
  readonly isReal: boolean
}

/** A row. `shown` is its `shownRevision`. Its id is in the row. */
type EncodedEntry = readonly [seq: number, revision: number, row: object, shown?: number]

interface EncodedTable extends SavedTable {
  readonly entries: readonly EncodedEntry[]
}

interface EncodedState {
  readonly revision: number
  readonly clock: EncodedClock
  readonly random: RandomState
  readonly faults: FaultsState
  readonly tables: { readonly [Name in TableName]: EncodedTable }
}

/** Encodes a state in parts, which are JSON when joined. Leaves out what its origin has: the title and the start time. */
export function* encodeState(
  { revision, random, faults, tables }: WorldState,
  clock: EncodedClock,
): Generator<string, void, undefined> {
  yield `{"revision":${revision},"clock":${JSON.stringify(clock)},"random":${JSON.stringify(random)},"faults":${writeJson(faults)},"tables":{`
  for (const [i, name] of tableNames.entries()) {
    const table: TableState<object> = tables[name]
    const { nextSeq, revision, firstRevision, stamps } = table.save()
    const numbers = JSON.stringify({ nextSeq, revision, firstRevision, stamps }).slice(1)
    yield `${i === 0 ? '' : ','}"${name}":{"entries":[`
    let separator = ''
    for (const { seq, revision, row, shownRevision } of table.rows.values()) {
      yield separator +
        writeJson(shownRevision === undefined ? [seq, revision, row] : [seq, revision, row, shownRevision])
      separator = ','
    }
    yield `],${numbers}`
  }
  yield '}}'
}

/** Encodes a state with its own clock, in steps. */
export function* encodeStateInSteps(state: WorldState, isReal: boolean): Steps<string[]> {
  const parts: string[] = []
  const { mode, rate, now = timeOfState(state) } = state.clock
  for (const part of encodeState(state, { mode, rate, now, isReal })) {
    parts.push(part)
    yield
  }
  return parts
}

/** Decodes the JSON of the state of a world with that origin. */
export function decodeState(
  encoded: unknown,
  origin: WorldState,
  publicUrlOf: PublicUrlOf,
): WorldState & { readonly clock: EncodedClock } {
  const { revision, clock, random, faults, tables } = encoded as EncodedState // `encodeState` wrote it
  const states = mapTables<TableStates>(name => {
    const { entries, ...saved } = tables[name]
    const decoded = entries.map(([seq, revision, row, shown]) =>
      entryOf(name, { seq, revision, row, shown }, publicUrlOf),
    )
    return TableState.fromSaved(shapes[name], decoded, saved)
  })
  const { startingAt: _, ...others } = origin
  return { ...others, revision, clock, random, faults: frozen(faults), tables: states }
}

function entryOf(
  name: TableName,
  { seq, revision, row, shown }: { seq: number; revision: number; row: object; shown: number | undefined },
  publicUrlOf: PublicUrlOf,
): Entry {
  const own = frozen(name === 'settings' ? withPublicUrl(row as SettingsRow, publicUrlOf) : row)
  const entry = { id: shapes[name].idOf(own), row: own, seq, revision }
  return shown === undefined ? entry : { ...entry, shownRevision: shown }
}

/** The address of the mock belongs to the process, and not to the world. */
function withPublicUrl(row: SettingsRow, publicUrlOf: PublicUrlOf): SettingsRow {
  return { ...row, public_url: publicUrlOf(row.cdn_domain) }
}

/** A written row: its table, creation number, columns, and `shownRevision`. Or a deleted one: its table and id. */
type EncodedChange =
  | readonly [table: TableName, seq: number, row: object, shown?: number]
  | readonly [table: TableName, id: string]

/** The faults that changed, and the order of all. */
interface EncodedFaults extends Omit<FaultsState, 'records'> {
  readonly ids: readonly string[]
  readonly changed: readonly FaultRecord[]
}

interface EncodedChangeSet extends Pick<ChangeSet, 'at' | 'cause'> {
  readonly rows: readonly EncodedChange[]
  readonly random?: RandomState | undefined
  /** `before` has the time before jobs on the way of a move ran. */
  readonly clock?: { readonly before: ClockState; readonly after: EncodedClock } | undefined
  readonly faults?: EncodedFaults | undefined
  /** The hash of the new origin, and its clock. */
  readonly origin?: { readonly hash: string; readonly clock: ClockState } | undefined
}

function keptChange({ table, id, after }: Change): EncodedChange {
  if (!after) return [table, id]
  const { seq, row, shownRevision } = after
  return shownRevision === undefined ? [table, seq, row] : [table, seq, row, shownRevision]
}

/** Encodes the result of a change set, without its revision. */
export function encodeChangeSet(
  { at, cause, changes, random, clock, faults }: ChangeSet,
  { isReal, origin }: { readonly isReal: boolean; readonly origin: EncodedChangeSet['origin'] },
): string {
  const kept: EncodedChangeSet = {
    at,
    cause,
    rows: changes.map(keptChange),
    random: random?.after,
    clock: clock && { before: clock.before, after: { ...clock.after, isReal } },
    faults: faults && encodeFaults(faults.before, faults.after),
    origin,
  }
  return writeJson(kept)
}

/** A change set as a log has it. */
export type DecodedChangeSet = Omit<ChangeSetResult, 'clock'> & Pick<EncodedChangeSet, 'origin' | 'clock'>

/** Decodes the JSON of a line that `encodeChangeSet` wrote. `before`: the faults before it. */
export function decodeChangeSet(
  encoded: unknown,
  {
    revision,
    faults: before,
    publicUrlOf,
  }: { readonly revision: number; readonly faults: FaultsState; readonly publicUrlOf: PublicUrlOf },
): DecodedChangeSet {
  const { at, cause, rows, random, clock, faults, origin } = encoded as EncodedChangeSet // `encodeChangeSet` wrote it
  const changes = rows.map(change => {
    const [table, seq, row, shown] = change
    if (typeof seq === 'string') return { table, id: seq, after: undefined }
    const after = entryOf(table, { seq, revision, row: row as object, shown }, publicUrlOf) // not a deleted one
    return { table, id: after.id, after }
  })
  return {
    revision,
    at,
    cause,
    changes: changes as ChangeSetResult['changes'], // each of its table
    random,
    clock,
    faults: faults && decodeFaults(faults, before),
    origin,
  }
}

function encodeFaults(before: FaultsState, { records, lastId, random }: FaultsState): EncodedFaults {
  const known = new Set(before.records)
  return { lastId, random, ids: records.map(({ id }) => id), changed: records.filter(record => !known.has(record)) }
}

function decodeFaults({ ids, changed, lastId, random }: EncodedFaults, before: FaultsState): FaultsState {
  const records = new Map(before.records.map(record => [record.id, record]))
  for (const record of changed) records.set(record.id, { ...frozen(record), beganAt: record.beganAt })
  return { records: ids.flatMap(id => records.get(id) ?? []), lastId, random }
}

/** Returns a number that differs for other rows. It leaves out the address of the mock. */
export function digestOf(tables: TableStates): number {
  let hash = 0x811c9dc5
  for (const name of tableNames) {
    const table: TableState<object> = tables[name]
    for (const { row } of table.rows.values()) {
      const text = writeJson(name === 'settings' ? withPublicUrl(row as SettingsRow, () => '') : row)
      for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
    }
  }
  return hash >>> 0
}
