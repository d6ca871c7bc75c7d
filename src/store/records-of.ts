import type { AllRecords, Records } from './records.js'
import type { TableName } from './rows.js'

/** The records of a table whose name is only known as one of several: what is read of them are objects. */
export function recordsOf(records: AllRecords, name: TableName): Records<object> {
  return records[name] as unknown as Records<object> // rows of each table are objects
}
