import { Emitter } from '../lib/emitter.js'
import { runAtOnce, type Steps } from '../lib/steps.js'
import type { ClockState } from './clock.js'
import type { FaultsState } from './faults.js'
import type { RandomState } from './random.js'
import { memoryOfRow } from './row-memory.js'
import type { Rows, TableName } from './rows.js'
import type { Entry, TableState } from './table-state.js'
import { mapTables, nameOf, type ScenarioName, type TableStates, type WorldState } from './world-state.js'

/** A changed row of a table: its entry before and after; `undefined` if the row did not exist. */
export type Change = {
  readonly [Name in TableName]: {
    readonly table: Name
    readonly id: string
    readonly before: Entry<Rows[Name]> | undefined
    readonly after: Entry<Rows[Name]> | undefined
  }
}[TableName]

/** The cause of a change set. */
export type Cause =
  /** A request of a client, by its ray id. */
  | { readonly kind: 'request'; readonly request: string; readonly operation: string | undefined }
  /** A job of a row. `others` is the number of jobs that ran with it, at the same time. Absent if there were none. */
  | { readonly kind: 'job'; readonly table: TableName; readonly id: string; readonly others?: number }
  /** A step of a simulation: simulated players came or left. */
  | { readonly kind: 'simulation' }
  /** A call of the control API or of its functions, by its name. */
  | { readonly kind: 'control'; readonly call: string }
  | { readonly kind: 'reset' }
  | { readonly kind: 'load' }
  | { readonly kind: 'reload' }
  /** An outage took its region down. `fault` is its id. */
  | { readonly kind: 'fault'; readonly fault: string }
  /** The process of a game server that the mock has started: it began, was restarted, or ended. */
  | { readonly kind: 'server' }
  /** The mock began again with a kept world. The game servers that it had started ended with it. */
  | { readonly kind: 'restart' }
  /** `world.transaction`, or a writing call of a table. */
  | { readonly kind: 'code' }

/** Everything that one transaction changed. */
export interface ChangeSet {
  readonly revision: number
  /** The time, in ms of the world's clock. */
  readonly at: number
  readonly cause: Cause
  readonly changes: readonly Change[]
  /** The random state, if the transaction drew from it. */
  readonly random?: BeforeAfter<RandomState>
  /** The clock, if it was set or moved. */
  readonly clock?: BeforeAfter<ClockState>
  /** The faults with their counters, if they changed. */
  readonly faults?: BeforeAfter<FaultsState>
  /** The title, the description and the seed, if another scenario was loaded. */
  readonly scenario?: BeforeAfter<ScenarioName>
}

/** A change set without what was before it. The state before it and this give the state after it. */
export interface ChangeSetResult {
  readonly revision: number
  readonly at: number
  readonly cause: Cause
  readonly changes: readonly Pick<Change, 'table' | 'id' | 'after'>[]
  readonly random?: RandomState | undefined
  readonly clock?: BeforeAfter<ClockState> | undefined
  readonly faults?: FaultsState | undefined
}

/** A value before and after a transaction. */
export interface BeforeAfter<T> {
  readonly before: T
  readonly after: T
}

/** Publishes the change sets of a world to subscribers, in their order. */
export class ChangeSetPublisher {
  readonly #emitter = new Emitter<ChangeSet>()
  /** The change sets to publish. `undefined` if none is being published. */
  #queue: ChangeSet[] | undefined

  /** Returns a function that unsubscribes. */
  subscribe(subscriber: (changeSet: ChangeSet) => void): () => void {
    return this.#emitter.subscribe(subscriber)
  }

  publish(changeSet: ChangeSet): void {
    if (this.#emitter.size === 0) return
    if (this.#queue) {
      this.#queue.push(changeSet)
      return
    }
    this.#queue = [changeSet]
    // A write by a subscriber appends to this list.
    for (const next of this.#queue) this.#emitter.emit(next)
    this.#queue = undefined
  }
}

/** Estimates the memory of a change set, in bytes. */
export function memoryOf({ changes, faults }: ChangeSet): number {
  let bytes = 100 + (faults ? 150 + 8 * faults.after.records.length : 0)
  for (const { after } of changes) bytes += memoryOfRow(after?.row)
  return bytes
}

/** Undoes the change sets that led to a state. The result gets `revision` and `at`, in ms of the world's clock. */
export function* undoChangeSets(
  state: WorldState,
  changeSets: readonly ChangeSet[],
  { revision, at }: { readonly revision: number; readonly at: number },
): Steps<WorldState> {
  let { random, faults, clock } = state
  let name = nameOf(state)
  for (const changeSet of changeSets.toReversed()) {
    random = changeSet.random?.before ?? random
    faults = changeSet.faults?.before ?? faults
    name = changeSet.scenario?.before ?? name
    clock = changeSet.clock?.before ?? clock
  }
  const changed = yield* undoInTables(state.tables, changeSets)
  const tables = mapTables<TableStates>(name => changed.get(name) ?? state.tables[name])
  const { description: _, ...unnamed } = state
  return { ...unnamed, ...name, tables, random, faults, revision, clock: { ...clock, now: at } }
}

/** Returns some tables as they were before change sets, the newest last. To undo all tables takes ten times as long. */
export function undoTables<Name extends TableName>(
  tables: Pick<TableStates, Name>,
  changeSets: readonly ChangeSet[],
): Pick<TableStates, Name> {
  return { ...tables, ...Object.fromEntries(runAtOnce(undoInTables(tables, changeSets))) }
}

function* undoInTables(
  tables: Partial<TableStates>,
  changeSets: readonly ChangeSet[],
): Steps<ReadonlyMap<TableName, TableState<object>>> {
  const differences = new Map<TableName, Map<string, Difference>>()
  yield* forEachInSteps(changesOf(changeSets.toReversed()), change => {
    if (tables[change.table]) collect(differences, change)
  })
  const changed = new Map<TableName, TableState<object>>()
  for (const [name, rows] of differences) {
    const table = tables[name] as TableState<object> // it has differences
    changed.set(name, yield* withDifferences(table, [...rows.values()]))
  }
  return changed
}

function* changesOf(changeSets: readonly ChangeSet[]): Generator<Change> {
  for (const { changes } of changeSets) for (const change of changes) yield change
}

/** A row at the beginning and at the end of the undoing. A row that came and went on the way costs no write to a tree. */
interface Difference {
  readonly from: Entry | undefined
  to: Entry | undefined
  /** The highest creation number on the way. */
  lastSeq: number
}

function collect(
  differences: Map<TableName, Map<string, Difference>>,
  { table, id, before: to, after: from }: Change,
): void {
  const rows = differences.get(table) ?? new Map<string, Difference>()
  differences.set(table, rows)
  const lastSeq = to?.seq ?? -1
  const known = rows.get(id)
  if (!known) rows.set(id, { from, to, lastSeq })
  else Object.assign(known, { to, lastSeq: Math.max(known.lastSeq, lastSeq) })
}

function* withDifferences(table: TableState<object>, rows: readonly Difference[]): Steps<TableState<object>> {
  const clone = table.clone()
  // First delete rows: a restored row may have the creation number of a row that goes.
  yield* forEachInSteps(rows, ({ from, to }) => {
    if (from && from.seq !== to?.seq) clone.replace(from, undefined)
  })
  yield* forEachInSteps(rows, ({ from, to, lastSeq }) => {
    clone.nextSeq = Math.max(clone.nextSeq, Math.floor(lastSeq) + 1)
    if (to && from !== to) clone.replace(from?.seq === to.seq ? from : undefined, to)
  })
  return clone
}

/** The number of items in one step of a loop. A step for each item would cost more than its work, which takes microseconds. */
const itemsPerStep = 64

function* forEachInSteps<Item>(items: Iterable<Item>, run: (item: Item) => void): Steps<void> {
  let i = 0
  for (const item of items) {
    run(item)
    i += 1
    if (i % itemsPerStep === 0) yield
  }
}
