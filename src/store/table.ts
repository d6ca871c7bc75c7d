import type { Draft } from './draft.js'
import { type Predicate, plan } from './query.js'
import type { Inputs, Rows, TableName } from './rows.js'

/** Reads of one model's records: synchronous, in the order of creation. What they hand out is frozen. */
export interface ReadTable<Row> {
  /** The record of that id; the ids of game modes are `<namespace_id>/<game_mode_id>`. */
  get(id: string): Row | undefined
  all(): Row[]
  findFirst(predicate?: Predicate<Row>): Row | undefined
  findMany(predicate?: Predicate<Row>): Row[]
  count(predicate?: Predicate<Row>): number
}

/**
 * Reads and writes of one model's records, in the data library's words.
 * A write that does not fit its model throws `UsageError`, and nothing has happened.
 */
export interface Table<Row, Input> extends ReadTable<Row> {
  /** Makes a record; what is absent gets the scenario format's defaults. */
  create(input: Input): Promise<Row>
  /** Changes the first record that matches, through a draft; `undefined` where none does. An id cannot change. */
  update(
    predicate: Predicate<Row>,
    options: { data(draft: Draft<Row>): void | Promise<void> },
  ): Promise<Row | undefined>
  /** Deletes the first record that matches, and answers it; `undefined` where none does. */
  delete(predicate: Predicate<Row>): Promise<Row | undefined>
}

/** The reads of all tables of a world. */
export type ReadTables = { readonly [Name in TableName]: ReadTable<Rows[Name]> }
/** Reads and writes of all tables of a world. */
export type Tables = { readonly [Name in TableName]: Table<Rows[Name], Inputs[Name]> }

/** Where a table's reads look: what has been committed, or a turn's overlay. */
export interface RowSource<Row> {
  get(id: string): Row | undefined
  rows(): Iterable<Row>
  /** The rows with that value in an indexed column. */
  indexed(column: string, value: string): Iterable<Row>
}

/** How a model's rows can be found without looking at all of them. */
interface Lookup {
  readonly key: readonly string[]
  readonly indexes: readonly string[]
}

/** The reads of a table over a source. A query that names the whole key, or an indexed column, looks at those rows only. */
export function readTable<Row>(source: RowSource<Row>, { key, indexes }: Lookup): ReadTable<Row> {
  const candidates = (equalities: Readonly<Record<string, unknown>>): Iterable<Row> => {
    if (key.every(column => equalities[column] !== undefined)) {
      const row = source.get(key.map(column => equalities[column]).join('/'))
      return row === undefined ? [] : [row]
    }
    const column = indexes.find(name => equalities[name] !== undefined)
    return column === undefined ? source.rows() : source.indexed(column, String(equalities[column]))
  }
  function* matches(predicate: Predicate<Row> | undefined) {
    const { test, equalities } = plan(predicate)
    for (const row of candidates(equalities)) if (test(row)) yield row
  }
  return {
    get: source.get,
    all: () => [...source.rows()],
    findFirst: predicate => matches(predicate).next().value ?? undefined,
    findMany: predicate => [...matches(predicate)],
    count: predicate => [...matches(predicate)].length,
  }
}
