import type { TableName } from './rows.js'
import { publicReads, type ReadTable, type ReadTables, type Table, type Tables } from './table.js'

/** What reads and writes a world. */
interface Committed {
  readonly view: { readonly tables: ReadTables }
  write<T>(turn: (tables: Tables) => Promise<T>): Promise<T>
}

/** A table over what has been committed: reads at once, and each write as a turn of its own. */
export function committedTable(name: TableName, { view, write }: Committed): unknown {
  // Whoever asks for a table by its name knows its rows.
  const table = (tables: Tables) => tables[name] as unknown as Table<object, object>
  return {
    ...publicReads<object>(name, view.tables[name] as ReadTable<object>), // whatever is in it
    create: (input: object) => write(tables => table(tables).create(input)),
    // What they are given is checked in the turn.
    update: (...call: Parameters<Table<object, object>['update']>) => write(tables => table(tables).update(...call)),
    delete: (...call: Parameters<Table<object, object>['delete']>) => write(tables => table(tables).delete(...call)),
  }
}
