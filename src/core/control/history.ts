import * as z from 'zod'
import type { FaultState } from '../contract/faults.js'
import type * as types from '../generated/options.js'
import { didYouMean, quoted, UsageError } from '../lib/messages.js'
import { lazyObject, typeTexts } from '../lib/schemas.js'
import { formatInstant } from '../lib/time.js'
import type { History } from '../pipeline/history.js'
import type { Cause, Change, ChangeSet } from '../store/change-set.js'
import type { ClockMode, ClockState } from '../store/clock.js'
import { type FaultsState, faultState } from '../store/faults.js'
import type { RandomState } from '../store/random.js'
import type { Rows, TableName } from '../store/rows.js'
import { tableNames } from '../store/table-names.js'
import type { TableState } from '../store/table-state.js'
import type { TableStates } from '../store/world-state.js'

export const HistoryOptions = lazyObject(() => ({
  /** A revision: only later change sets. Default: all that are kept. */
  since: z.int().min(0).optional(),
  /** Only those that changed a row of this table, such as `lobbies`. */
  table: z.enum(tableNames).register(typeTexts, { type: 'TableName' }).optional(),
  /** Only those that a request caused, by its `rvt-ray-id`. */
  request: z.string().optional(),
  /** The most change sets. With `since` the first of them, otherwise the newest. Default: 100. */
  limit: z.int().min(1).max(1_000).optional(),
  /** `false`: the time, the cause and the names of the changed rows, but no values. Default: true. */
  rows: z.boolean().optional(),
}))
/** Selects change sets of a world. All given keys must match. */
export type HistoryOptions = types.HistoryOptions

/** The selected change sets of a world, the oldest first. */
export interface HistoryJson {
  /** The oldest revision that can be restored. */
  readonly oldest: number
  /** The time of that revision, in ISO 8601. */
  readonly oldest_at: string
  /** The newest revision. */
  readonly newest: number
  readonly change_sets: readonly RecordedChangeSet[]
}

/** Everything that one transaction changed. */
export interface RecordedChangeSet {
  readonly revision: number
  /** In ISO 8601. */
  readonly at: string
  readonly cause: Cause
  readonly changes: readonly RecordedChange[]
  /** The state of the random numbers. Absent if it stayed. */
  readonly random?: { readonly before: RandomState; readonly after: RandomState }
  /** The setting of the clock. Absent if it stayed. */
  readonly clock?: { readonly before: ClockJson; readonly after: ClockJson }
  /** The faults with their counters. Absent if they stayed. */
  readonly faults?: { readonly before: readonly FaultState[]; readonly after: readonly FaultState[] }
  /** The title, the description and the seed. Absent if they stayed. */
  readonly scenario?: ChangeSet['scenario']
}

/** A changed row of one table. `before` is absent for a new row, `after` for a deleted one, and both with `rows: false`. */
export type RecordedChange = {
  readonly [Name in TableName]: {
    readonly table: Name
    readonly id: string
    readonly before?: Rows[Name]
    readonly after?: Rows[Name]
    /** With `rows: false`, for rows that are new or gone. */
    readonly became?: 'created' | 'deleted'
  }
}[TableName]

/** The setting of a clock, and its time. */
export interface ClockJson {
  readonly mode: ClockMode
  readonly rate: number
  /** In ISO 8601. */
  readonly now: string
}

const defaultLimit = 100

/** Lists the change sets that the history has. */
export function listHistory(history: History, options: HistoryOptions): HistoryJson {
  const { since, table, request, limit = defaultLimit, rows = true } = options
  const { oldest } = history
  const matching = history
    .changesSince(since ?? oldest.revision)
    .later.filter(({ changes }) => table === undefined || changes.some(change => change.table === table))
    .filter(({ cause }) => request === undefined || (cause.kind === 'request' && cause.request === request))
  const selected = since === undefined ? matching.slice(-limit) : matching.slice(0, limit)
  return { ...historyState(history), change_sets: selected.map(changeSet => changeSetJson(changeSet, rows)) }
}

/** Returns the revisions between which a world can go back. */
export function historyState({ oldest, newestRevision: newest }: History): Omit<HistoryJson, 'change_sets'> {
  return { oldest: oldest.revision, oldest_at: formatInstant(oldest.at), newest }
}

function changeSetJson(changeSet: ChangeSet, hasRows: boolean): RecordedChangeSet {
  const { revision, at, cause, changes } = changeSet
  const head = { revision, at: formatInstant(at), cause }
  if (!hasRows) return { ...head, changes: changes.map(changeName) }
  const { random, clock, faults, scenario } = changeSet
  return {
    ...head,
    changes: changes.map(recordedChange),
    ...(random ? { random } : {}),
    ...(clock ? { clock: { before: clockJson(clock.before), after: clockJson(clock.after) } } : {}),
    ...(faults ? { faults: { before: faultsJson(faults.before, at), after: faultsJson(faults.after, at) } } : {}),
    ...(scenario ? { scenario } : {}),
  }
}

function changeName({ table, id, before, after }: Change): RecordedChange {
  return { table, id, ...(before ? (after ? {} : { became: 'deleted' }) : { became: 'created' }) }
}

function recordedChange({ table, id, before, after }: Change): RecordedChange {
  const rows = { ...(before ? { before: before.row } : {}), ...(after ? { after: after.row } : {}) }
  return { table, id, ...rows } as RecordedChange // the rows are of this table, as in `Change`
}

export function clockJson({ mode, rate, now }: ClockState): ClockJson {
  return { mode, rate, now: formatInstant(now) }
}

function faultsJson({ records }: FaultsState, now: number): FaultState[] {
  return records.map(record => faultState(record, { now, holding: 0 }))
}

/** A change set as JSON. */
export interface ChangeSetJson {
  readonly revision: number
  /** In ISO 8601. */
  readonly at: string
  readonly cause: Cause
  readonly puts: readonly { readonly table: TableName; readonly id: string; readonly row: object }[]
  readonly deletes: readonly { readonly table: TableName; readonly id: string }[]
}

/** The rows of all tables of a world, or of some, at one revision. */
export interface RowsJson {
  readonly revision: number
  /** The time of the revision, in ISO 8601. */
  readonly at: string
  /** The id of the next change set. Requests with smaller ids were answered before. Absent for the newest revision. */
  readonly next_id?: number
  /** By table, the oldest first. They have the form of the rows in change events. */
  readonly rows: ChangeSetJson['puts']
}

/** Lists the rows of the tables. `names` separates tables by commas. Default: all. Throws `UsageError` for an unknown one. */
export function listRows(tables: TableStates, names: string | undefined): RowsJson['rows'] {
  const wanted = names === undefined ? tableNames : names.split(',').map(checkName)
  const rows: RowsJson['rows'][number][] = []
  for (const table of wanted) {
    const state: TableState<object> = tables[table]
    for (const { id, row } of state.rows.values()) rows.push({ table, id, row })
  }
  return rows
}

function checkName(name: string): TableName {
  const found = tableNames.find(known => known === name)
  if (found) return found
  throw new UsageError(`tables names ${quoted(name)}, which is no table.${didYouMean(name, tableNames)}`)
}
