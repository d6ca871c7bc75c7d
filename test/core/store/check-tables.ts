import { groupOf, type TableState, uniqueValues } from '../../../src/core/store/table-state.js'
import type { LiveWorld } from '../../../src/core/store/world.js'

/** Returns the differences between the indexes and the rows of a world. */
export function indexProblems(world: Pick<LiveWorld, 'tables'>): string[] {
  return Object.values(world.tables).flatMap(({ state }) => tableProblems(state as unknown as TableState<object>))
}

function tableProblems(state: TableState<object>): string[] {
  const { shape } = state
  const entries = state.entries()
  const rows = entries.map(({ row }) => row)
  const problems: string[] = []
  const compare = (what: string, found: unknown, expected: unknown) => {
    const [is, shouldBe] = [JSON.stringify(found), JSON.stringify(expected)]
    if (is !== shouldBe) problems.push(`${shape.name} ${what}: ${is}, and the rows say ${shouldBe}`)
  }

  compare('size', state.size, rows.length)
  compare('ids', state.ids(), rows.map(shape.idOf))
  compare(
    'order',
    entries.map(({ seq }) => seq),
    entries.map(({ seq }) => seq).toSorted((a, b) => a - b),
  )
  for (const entry of entries) compare(`id ${entry.id}`, state.entry(entry.id), entry)

  for (const [name, { columns, rank }] of Object.entries(shape.indexes)) {
    const indexed = rank ? rows.filter(row => rank(row) !== undefined) : rows
    for (const group of new Set(rows.map(row => groupOf<object>(columns, row)))) {
      // The rows are in the order of creation, and sorting is stable.
      const sorted = indexed
        .filter(row => groupOf<object>(columns, row) === group)
        .toSorted((one, other) => (rank?.(one) ?? 0) - (rank?.(other) ?? 0))
      compare(`index ${name} of ${group}`, state.inIndex(name, group), sorted)
      compare(
        `first in ${name} of ${group}`,
        state.firstInIndex(name, group, () => true),
        sorted[0],
      )
      if (columns.length === 0)
        compare(`first of all in ${name}`, state.rows.get(state.firstByRank(name)?.seq ?? -1)?.row, sorted[0])
    }
  }
  for (const [name, definition] of Object.entries(shape.unique)) {
    const values = (row: object) => uniqueValues<object>(definition, row)
    for (const value of rows.flatMap(values))
      compare(
        `unique ${name} ${value}`,
        state.withUnique(name, value),
        rows.filter(row => values(row).includes(value)),
      )
  }
  for (const [name, { columns, amount }] of Object.entries(shape.sums)) {
    for (const group of new Set(rows.map(row => groupOf<object>(columns, row)))) {
      const sum = rows
        .filter(row => groupOf<object>(columns, row) === group)
        .reduce((total, row) => total + amount(row), 0)
      compare(`sum ${name} of ${group}`, state.sum(name, group), sum)
    }
  }
  return problems
}
