/** Columns whose values group rows. */
interface Grouping<Row> {
  readonly columns: readonly (keyof Row & string)[]
}

/** The group of a row: the values of the columns, joined by spaces. */
export function groupIn<Row>({ columns }: Grouping<Row>, row: Row): string {
  let group = ''
  for (const column of columns) group += group === '' ? row[column] : ` ${row[column]}`
  return group
}

/** Whether two rows are of one group. */
export function isSameGroup<Row>({ columns }: Grouping<Row>, [one, other]: readonly [Row, Row]): boolean {
  return columns.every(column => one[column] === other[column])
}
