import type { Entry, IndexDefinition, TableState } from '../../src/store/table.js'
import type { LiveWorld } from '../../src/store/world.js'

/** The differences between what the indexes of a world say, and what its rows say. None is right. */
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

  for (const [name, definition] of Object.entries(shape.indexes)) {
    const sorted = sortedBy(definition, entries)
    compare(`index ${name}`, state.inIndex(name, {}), sorted)
    compare(`first of index ${name}`, state.firstOfAll(name)?.row, sorted[0])
    for (const row of rows) {
      const values = pick(row, definition.columns)
      const group = sorted.filter(other => JSON.stringify(pick(other, definition.columns)) === JSON.stringify(values))
      // A row without the columns is not in the index.
      if (Object.values(values).includes(undefined)) continue
      compare(`index ${name} of ${JSON.stringify(values)}`, state.inIndex(name, values), group)
      compare(`first in ${name} of ${JSON.stringify(values)}`, state.firstInIndex(name, values)?.row, group[0])
    }
  }
  for (const [name, { values }] of Object.entries(shape.unique))
    for (const value of rows.flatMap(row => values(row)))
      compare(
        `unique ${name} ${value}`,
        state.withUnique(name, value),
        rows.filter(row => values(row).includes(value)),
      )
  for (const [name, { columns, amount }] of Object.entries(shape.sums)) {
    const groupOf = (row: object) => columns.map(column => row[column]).join(' ')
    for (const group of new Set(rows.map(groupOf))) {
      const sum = rows.filter(row => groupOf(row) === group).reduce((total, row) => total + amount(row), 0)
      compare(`sum ${name} of ${group}`, state.sum(name, group), sum)
    }
  }
  return problems
}

function sortedBy({ columns, rank }: IndexDefinition<object>, entries: readonly Entry[]): object[] {
  const indexed = entries.filter(({ row }) => !rank || rank(row) !== undefined)
  const compareTexts = (one: string, other: string) => (one === other ? 0 : one < other ? -1 : 1)
  const byColumns = (one: object, other: object) =>
    columns.map(column => compareTexts(one[column], other[column])).find(order => order !== 0) ?? 0
  const byRank = (one: object, other: object) => (rank?.(one) ?? 0) - (rank?.(other) ?? 0)
  // The entries are in the order of creation, which sorting keeps.
  return indexed.map(({ row }) => row).toSorted((one, other) => byColumns(one, other) || byRank(one, other))
}

function pick(row: object, columns: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(columns.map(column => [column, row[column as never]]))
}
