import { sameJson } from '../lib/json.js'
import { forEachInSteps, runAtOnce, type Steps } from '../lib/steps.js'
import { memoryOfRow } from './row-memory.js'
import type { Entry, TableState } from './table-state.js'
import { diffTrees } from './tree.js'

/** The revision of a new entry before its transaction. */
const unstamped = 0

/** The entries of a row before and after. A row whose creation number changes is a change too. */
export interface EntryChange<Row extends object = object> {
  readonly table: string
  readonly id: string
  readonly before: Entry<Row> | undefined
  after: Entry<Row> | undefined
}

/** Different entries with the same creation number, perhaps of different rows. */
interface Difference<Row> {
  readonly before: Entry<Row> | undefined
  readonly after: Entry<Row> | undefined
}

/**
 * A table that can take the place of the present one in a transaction, once. The work is done before: its trees, its indexes
 * and the list of the changed rows.
 */
export class PreparedTable<Row extends object = object> {
  readonly state: TableState<Row>
  /** The estimated memory of the changes. */
  readonly bytes: number
  readonly #base: TableState<Row>
  /** The changed rows, unless the present table changes before. */
  readonly changes: readonly EntryChange<Row>[]

  private constructor(
    state: TableState<Row>,
    { base, changes, bytes }: { base: TableState<Row>; changes: readonly EntryChange<Row>[]; bytes: number },
  ) {
    this.state = state
    this.bytes = bytes
    this.#base = base
    this.changes = changes
  }

  /** Prepares the rows of `target` to take the place of `base`, the present ones. Rows that both have keep their entries. */
  static *create<Row extends object>(target: TableState<Row>, base: TableState<Row>): Steps<PreparedTable<Row>> {
    const entries: Entry<Row>[] = []
    const differences: Difference<Row>[] = []
    yield* forEachInSteps(target.rows.values(), ({ id, row, seq }) => {
      const before = base.rows.get(seq)
      if (before?.id === id && sameJson(before.row, row)) {
        entries.push(before)
        return
      }
      const after = { id, row, seq, revision: unstamped }
      entries.push(after)
      differences.push({ before, after })
    })
    yield* forEachInSteps(base.rows.values(), before => {
      if (!target.rows.has(before.seq)) differences.push({ before, after: undefined })
    })
    const state = yield* target.withEntries(entries, base)
    const changes = yield* changesOf(differences, state)
    let bytes = 0
    yield* forEachInSteps(changes, ({ after }) => {
      bytes += memoryOfRow(after?.row)
    })
    return new PreparedTable(state, { base, changes, bytes })
  }

  /** Takes the place of the present table, which may have changed since. Stamps the changed rows with the revision, and returns them. */
  takePlaceOf(present: TableState<Row>, revision: number): readonly EntryChange<Row>[] {
    const { state } = this
    const changes = present === this.#base ? this.changes : runAtOnce(changesOf(differencesFrom(present, state), state))
    state.follow(present)
    for (const change of changes) if (change.after) change.after = stampedIn(state, change.after, revision)
    return changes
  }
}

/** Finds the differences of a prepared table to the present one. It gets the present entries of rows that are equal. */
function differencesFrom<Row extends object>(present: TableState<Row>, state: TableState<Row>): Difference<Row>[] {
  const differences: Difference<Row>[] = []
  diffTrees(present.rows, state.rows, (_, before, after) => void differences.push({ before, after }))
  return differences.filter(({ before, after }) => {
    if (!before || before.id !== after?.id || !sameJson(before.row, after.row)) return true
    state.rows.set(before.seq, before)
    return false
  })
}

/** Lists the changed rows, each once: first those that leave their place, as in `Table.restore`. */
function* changesOf<Row extends object>(
  differences: readonly Difference<Row>[],
  state: TableState<Row>,
): Steps<EntryChange<Row>[]> {
  const table = state.shape.name
  const changes: EntryChange<Row>[] = []
  const moved = new Set<string>()
  yield* forEachInSteps(differences, ({ before, after }) => {
    if (!before || before.id === after?.id) return
    const { id } = before
    const elsewhere = state.find(id)
    if (elsewhere) moved.add(id)
    changes.push({ table, id, before, after: elsewhere })
  })
  yield* forEachInSteps(differences, ({ before, after }) => {
    if (!after || moved.has(after.id)) return
    changes.push({ table, id: after.id, before: before?.id === after.id ? before : undefined, after })
  })
  return changes
}

/** Stamps a new entry. One that other tables may have is copied. */
function stampedIn<Row extends object>(state: TableState<Row>, entry: Entry<Row>, revision: number): Entry<Row> {
  const { id, row, seq } = entry
  if (entry.revision === unstamped) return Object.assign(entry, { revision })
  const stamped = { id, row, seq, revision }
  state.rows.set(seq, stamped)
  return stamped
}
