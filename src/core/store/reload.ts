import { frozenCopy, keepAllDigits, keepDigits, sameJson } from '../lib/json.js'
import { problemLines, UsageError } from '../lib/messages.js'
import type { Change } from './change-set.js'
import type { ClockState } from './clock.js'
import { Dependencies } from './dependencies.js'
import { countRemoved } from './faults.js'
import { isSeated, mostPlayers } from './lobby-rules.js'
import type { PlayerRow } from './matchmaker-rows.js'
import type { Model, Tables } from './model.js'
import { models } from './models.js'
import { realTime } from './real-time.js'
import { copyChanges } from './records.js'
import type { TableName } from './rows.js'
import { type TableContext, TreeTable } from './table.js'
import { tableNames } from './table-names.js'
import { type Entry, TableState } from './table-state.js'
import { findProblem, Transaction } from './transaction.js'
import {
  createState,
  type Initial,
  mapTables,
  type StateDefinition,
  type TableStates,
  type WorldState,
} from './world-state.js'

/** The numbers of rows that a reload changes. */
export interface ReloadSummary {
  readonly created: number
  readonly changed: number
  /** Rows of the old scenario, including its faults. */
  readonly deleted: number
  /** Deleted rows of requests and jobs, which referred to deleted or changed rows. */
  readonly cascaded: number
}

interface MergeStates {
  /** The initial state of the old scenario. */
  readonly before: TableStates
  /** The initial state of the new scenario for the same start time. It differs only where the scenarios differ. */
  readonly after: TableStates
  /** As `after`, but the tables of `wholeTables` are for the present time. */
  readonly file: TableStates
  readonly present: TableStates
}

/** Tables whose changed rows are replaced as a whole: their columns depend on a status or on the present time. */
const wholeTables: ReadonlySet<TableName> = new Set(['players', 'simulations', 'deviceLinks', 'tokens'])

type AnyState = TableState<object>

/** Computes the state of a running world after a change of its scenario, except its faults. Throws `UsageError`. */
export function reloadState(
  definition: StateDefinition,
  { state: before, clock: initialClock }: Initial,
  present: WorldState & { readonly clock: ClockState },
) {
  const { clock: mode, rate = 1, now } = definition
  const hasMoved = now !== before.clock.now
  const at = hasMoved ? (now ?? realTime()) : before.startsAt
  const after = createState(definition, undefined, at)
  const fresh = hasMoved ? after : createState(definition, after, present.clock.now)
  const changed = (clock: ClockState): ClockState => ({
    mode: mode === before.clock.mode ? clock.mode : mode,
    rate: rate === before.clock.rate ? clock.rate : rate,
    now: hasMoved ? at : clock.now,
  })
  const isSameClock = !hasMoved && mode === before.clock.mode && rate === before.clock.rate
  const file = mapTables<TableStates>(name => (wholeTables.has(name) ? fresh : after).tables[name])
  const states = { before: before.tables, after: after.tables, file, present: present.tables }
  const tables = mergeScenario(states)
  const summary = summarize(states, tables)
  const lostFaults = countRemoved(before.scenarioFaults, after.scenarioFaults)
  return {
    initial: { state: after, clock: changed(initialClock) },
    clock: isSameClock ? undefined : { ...changed(present.clock), now: hasMoved ? at : undefined },
    // If ids were drawn already, a restarted sequence could draw them again.
    random: sameJson(present.random, before.random) ? after.random : present.random,
    tables,
    summary: { ...summary, deleted: summary.deleted + lostFaults },
  }
}

/** Merges a changed scenario into a world: columns that differ between `before` and `after` replace the present ones. */
function mergeScenario(states: MergeStates): TableStates {
  const merged = mapTables<TableStates>(name => mergeTable(name, states))
  const context: TableContext = { dependencies: new Dependencies(), openTransaction: undefined }
  const tables = mapTables<Tables>(name => new TreeTable<object>(merged[name], context))
  context.openTransaction = new Transaction(tables, { revision: 1, now: 0, isRaw: true })
  repair(tables, states.file)
  recountSeats(tables)
  return mapTables<TableStates>(name => {
    const state: AnyState = tables[name].share()
    if (state === merged[name] || merged[name] === states.present[name]) return state
    // Rows that the repair deleted may have stood between rows that can now keep their numbers.
    return tableInOrder(states.present[name], new Map(state.entries().map(({ id, row }) => [id, row])))
  })
}

function mergeTable(name: TableName, states: MergeStates): AnyState {
  const before: AnyState = states.before[name]
  const after: AnyState = states.after[name]
  const present: AnyState = states.present[name]
  if (hasSameRows(before, after)) return present
  const rows = new Map<string, object>()
  for (const { id, row } of after.entries()) {
    const [was, is] = [before.entry(id)?.row, present.entry(id)?.row]
    const merged =
      was && sameJson(was, row) ? is : mergeRow(name, was, is, row, states.file[name].entry(id)?.row ?? row)
    if (merged) rows.set(id, merged)
  }
  for (const { id, row } of present.entries()) if (!rows.has(id) && !before.entry(id)) rows.set(id, row)
  return tableInOrder(present, rows)
}

function hasSameRows(one: AnyState, other: AnyState): boolean {
  const [entries, others] = [one.entries(), other.entries()]
  if (entries.length !== others.length) return false
  return entries.every(({ id, row }, i) => others[i]?.id === id && sameJson(row, others[i].row))
}

/** Returns the present row with the changed columns. If there is none, or if it then is invalid, returns the new row. */
function mergeRow(
  name: TableName,
  was: object | undefined,
  is: object | undefined,
  row: object,
  fresh: object,
): object {
  if (!was || !is || wholeTables.has(name)) return fresh
  const merged = keepDigits({ ...is }, is)
  copyChanges(merged, row, was)
  const { data } = models[name].schema.safeParse(merged, { jitless: true })
  return data ? frozenCopy(keepAllDigits(data, merged)) : row
}

/** Creates a table with these rows in order. Unchanged rows keep their creation numbers where the order allows it. */
function tableInOrder(present: AnyState, rows: ReadonlyMap<string, object>): AnyState {
  const ids = [...rows.keys()]
  const seqsBefore = ids.map(id => present.entry(id)?.seq)
  const seqs: number[] = []
  let last = -1
  for (let i = 0; i < ids.length; ) {
    let end = i
    while (end < ids.length && seqsBefore[end] === undefined) end += 1
    const next = seqsBefore[end] ?? Math.max(last + 1, present.nextSeq) + end - i
    const step = (next - last) / (end - i + 1)
    for (let nth = 1; nth <= end - i; nth++) seqs.push(last + nth * step)
    if (end < ids.length) seqs.push(next)
    last = next
    i = end + 1
  }
  const isInOrder = seqs.every((seq, i) => i === 0 || (seqs[i - 1] ?? 0) < seq)
  const entries = [...rows].map(([id, row], i): Entry => {
    const seq = isInOrder ? (seqs[i] ?? i) : i
    return { id, row, seq, revision: 1 }
  })
  return TableState.fromEntries(present.shape, entries, 1)
}

type Repair = readonly [name: TableName, id: string, row: object | undefined]

/**
 * Repairs rows that break constraints. First it deletes those that are not in the file. If all are, it restores those that
 * differ from the file. If none differs, it restores the rows that they refer to. Throws `UsageError` if the file itself
 * breaks a constraint.
 */
function repair(tables: Tables, file: TableStates): void {
  for (let violations = findViolations(tables); violations.length > 0; violations = findViolations(tables)) {
    const foreign = violations
      .filter(({ name, id }) => !file[name].entry(id))
      .map(({ name, id }): Repair => [name, id, undefined])
    const different = () => violations.flatMap(({ name, id, row }) => asInFile(file, name, id, row))
    const referenced = () =>
      violations.flatMap(({ name, row }) => {
        const { references }: Model = models[name]
        return references.flatMap(({ table, ids }) =>
          ids(row).flatMap(id => asInFile(file, table, id, tables[table].state.entry(id)?.row)),
        )
      })
    const repairs = [() => foreign, different, referenced].map(find => find()).find(found => found.length > 0)
    if (!repairs)
      throw new UsageError(problemLines(violations.map(({ name, id, problem }) => `${name} ${id}: ${problem}`)))
    for (const [name, id, row] of repairs) {
      const table: TreeTable<object> = tables[name]
      if (row) table.put(row)
      else table.delete(id)
    }
  }
}

function findViolations(tables: Tables) {
  return tableNames.flatMap(name =>
    tables[name].state.entries().flatMap(entry => {
      const problem = findProblem({ table: name, id: entry.id, before: undefined, after: entry } as Change, tables) // an entry of that table
      return problem === undefined ? [] : [{ name, id: entry.id, row: entry.row, problem }]
    }),
  )
}

function asInFile(file: TableStates, name: TableName, id: string, is: object | undefined): Repair[] {
  const row = file[name].entry(id)?.row
  return row === undefined || sameJson(is, row) ? [] : [[name, id, row]]
}

/** Counts the seats of each lobby again. If it has too few, deletes the newest players. */
function recountSeats({ lobbies, players }: Tables): void {
  const seated = new Map<string, PlayerRow[]>()
  for (const player of players.state.all()) {
    if (!isSeated(player)) continue
    const others = seated.get(player.lobby_id)
    if (others) others.push(player)
    else seated.set(player.lobby_id, [player])
  }
  for (const lobby of lobbies.state.all()) {
    const own = seated.get(lobby.lobby_id) ?? []
    const most = lobby.status === 'stopped' ? 0 : mostPlayers(lobby)
    for (const { player_token } of own.splice(most)) players.delete(player_token)
    const reserved_player_count = own.filter(({ status }) => status === 'reserved').length
    const connected = own.length - reserved_player_count
    const total_player_count = Math.min(Math.max(lobby.total_player_count, connected), most - reserved_player_count)
    const counted = { ...lobby, reserved_player_count, total_player_count }
    if (!sameJson(counted, lobby)) lobbies.put(Object.freeze(counted))
  }
}

function summarize({ before, present }: MergeStates, merged: TableStates): ReloadSummary {
  const summary = { created: 0, changed: 0, deleted: 0, cascaded: 0 }
  for (const name of tableNames) {
    const [then, now] = [present[name], merged[name]]
    if (then === now) continue
    for (const { id, row } of now.entries()) {
      const was = then.entry(id)?.row
      if (!was) summary.created += 1
      else if (!sameJson(was, row)) summary.changed += 1
    }
    for (const { id } of then.entries()) {
      if (now.entry(id)) continue
      if (before[name].entry(id)) summary.deleted += 1
      else summary.cascaded += 1
    }
  }
  return summary
}
