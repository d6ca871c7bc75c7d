import type * as z from 'zod'
import { frozenCopy } from '../../../src/core/lib/json.js'
import { Dependencies } from '../../../src/core/store/dependencies.js'
import type { RowStore } from '../../../src/core/store/records.js'
import { type TableContext, TreeTable } from '../../../src/core/store/table.js'
import { type Entry, TableState } from '../../../src/core/store/table-state.js'
import { TableCollection } from '../../../src/core/store/world-tables.js'

export { Query } from '@mswjs/data'

/** Replaces the Collection of the data library in its own tests: rows of any schema, with hidden ids. */
export class Collection extends TableCollection<object> {
  constructor({ schema }: { readonly schema: z.ZodType }) {
    super(rowStore(schema), schema)
  }
}

function rowStore(schema: z.ZodType): RowStore<object> {
  const ids = new WeakMap<object, string>()
  const shape = { name: 'records', idOf: (row: object) => ids.get(row) ?? '', key: ['id of the row'] }
  const context: TableContext = { dependencies: new Dependencies(), openTransaction: undefined }
  const state = TableState.fromRows({ ...shape, indexes: {}, unique: {}, sums: {}, views: {} }, [], 1)
  const table = new TreeTable<object>(state, context)

  function parse(input: unknown, id: string): object {
    const row = frozenCopy(schema.parse(input)) as object // the library's records are objects
    ids.set(row, id)
    return row
  }

  return {
    name: 'records',
    table,
    idOf: row => ids.get(row),
    transaction(write) {
      if (context.openTransaction) return write()
      const log: (readonly [before: Entry | undefined, after: Entry | undefined])[] = []
      context.openTransaction = {
        revision: 1,
        record: (_, before, after) => void log.push([before, after]),
        runTrigger() {},
      }
      try {
        return write()
      } catch (error) {
        for (const [before, after] of log.reverse()) table.undo(before, after)
        throw error
      } finally {
        context.openTransaction = undefined
      }
    },
    writeCount: () => 0,
    beforeRead() {},
    create: (_call, input) => ({ row: parse(input, crypto.randomUUID()), createOwned() {} }),
    change: (_call, row, draft) => parse(draft, shape.idOf(row)),
    subscribe() {},
  }
}
