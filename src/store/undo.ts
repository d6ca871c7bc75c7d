import type { ChangeSet } from './change-set.js'
import type { Rows, TableName } from './rows.js'
import type { Entry, TableState } from './table-state.js'
import { mapTables, type TableStates, type WorldState } from './world-state.js'

/** Undoes the change sets that led to a state, the newest last. `revision` and `at` are those of the state before them. */
export function undoChangeSets(
  state: WorldState,
  changeSets: readonly ChangeSet[],
  { revision, at }: { readonly revision: number; readonly at: number },
): WorldState {
  const before = replay(state, changeSets.toReversed(), 'before')
  return { ...before, revision, clock: { ...before.clock, now: at } }
}

/** Applies the change sets that follow a state, the oldest first. */
export function applyChangeSets(state: WorldState, changeSets: readonly ChangeSet[]): WorldState {
  const after = replay(state, changeSets, 'after')
  const { revision, at } = changeSets.at(-1) ?? { revision: state.revision, at: after.clock.now }
  return { ...after, revision, clock: { ...after.clock, now: at } }
}

function replay(state: WorldState, changeSets: readonly ChangeSet[], to: 'before' | 'after'): WorldState {
  const from = to === 'before' ? 'after' : 'before'
  const clones = new Map<TableName, TableState<object>>()
  const clone = (name: TableName) => {
    const known: TableState<object> = clones.get(name) ?? state.tables[name].clone()
    clones.set(name, known)
    return known
  }
  let { random, faults, title, seed, clock } = state
  for (const changeSet of changeSets) {
    // Delete all rows first, so that no row takes the creation number of a row that is still there.
    for (const change of changeSet.changes) if (change[from]) clone(change.table).replace(change[from], undefined)
    for (const change of changeSet.changes) if (change[to]) place(clone(change.table), change[to])
    random = changeSet.random?.[to] ?? random
    faults = changeSet.faults?.[to] ?? faults
    title = changeSet.scenario?.[to].title ?? title
    seed = changeSet.scenario?.[to].seed ?? seed
    clock = changeSet.clock?.[to] ?? clock
  }
  const tables = mapTables<TableStates>(name => clones.get(name) ?? state.tables[name])
  return { ...state, tables, random, faults, title, seed, clock }
}

function place(table: TableState<object>, entry: Entry<Rows[TableName]>): void {
  table.replace(undefined, entry)
  table.nextSeq = Math.max(table.nextSeq, Math.floor(entry.seq) + 1)
}
