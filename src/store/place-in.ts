/** Columns by whose values rows stand together. */
interface Placing<Row> {
  readonly columns: readonly (keyof Row & string)[]
}

/** Where a row stands: the values of the columns, joined by spaces. */
export function placeIn<Row>({ columns }: Placing<Row>, row: Row): string {
  let place = ''
  for (const column of columns) place += place === '' ? row[column] : ` ${row[column]}`
  return place
}

/** Whether two rows stand in the same place. */
export function isSamePlace<Row>({ columns }: Placing<Row>, [one, other]: readonly [Row, Row]): boolean {
  return columns.every(column => one[column] === other[column])
}
