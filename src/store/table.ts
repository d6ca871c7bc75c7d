import type { OrderName, SumName, ViewName } from './derived.js'
import { type Plan, type Predicate, plan } from './query.js'
import type { Inputs, Rows, TableName } from './rows.js'
import {
  type Changes,
  nothingFound,
  type QueryOptions,
  readId,
  readStrict,
  type UpdateOptions,
} from './table-arguments.js'

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
  findFirst(predicate: Predicate<Row> | undefined, options: Strict): Row
  findFirst(predicate?: Predicate<Row>, options?: QueryOptions): Row | undefined
  findMany(predicate?: Predicate<Row>, options?: QueryOptions): Row[]
  /** Makes a record; what is absent gets the scenario format's defaults. */
  create(input: Input): Promise<Row>
  /** Gives the record of that id new values. An id cannot change. Rejects where no record has the id. */
  update(id: string, changes: Changes<Row>): Promise<Row>
  /** Changes the first record that matches, through a draft; `undefined` where none does. An id cannot change. */
  update(predicate: Predicate<Row>, options: UpdateOptions<Row> & Strict): Promise<Row>
  update(predicate: Predicate<Row>, options: UpdateOptions<Row>): Promise<Row | undefined>
  /** Deletes the record of that id, and answers it. Rejects where no record has the id. */
  delete(id: string): Promise<Row>
  /** Deletes the first record that matches, and answers it; `undefined` where none does. */
  delete(predicate: Predicate<Row>, options: Strict): Promise<Row>
  delete(predicate: Predicate<Row>, options?: QueryOptions): Promise<Row | undefined>
}

/** A query that finds nothing is a `UsageError`. */
export interface Strict {
  readonly strict: true
}

/** Which of the records of an order are wanted. */
export interface Wanted<Row> {
  readonly group: string
  isWanted(row: Row): boolean
}

/** What is kept up with the records of a model, for those who cannot look at all of them: see `derived.ts`. */
interface DerivedReads<Row> {
  /** What a sum amounts to in a group. */
  sum(name: SumName, group: string): number
  /** The first record of a group of an order that is wanted. */
  firstRanked(name: OrderName, wanted: Wanted<Row>): Row | undefined
  /** The records of a group of a view: depends on no other columns than the view shows. */
  viewed(name: ViewName, group: string): Iterable<Row>
}

/** The reads of a table that the rooms above have. */
export interface InnerTable<Row> extends ReadTable<Row>, DerivedReads<Row> {}

/** The reads of all tables of a world. */
export type ReadTables = { readonly [Name in TableName]: ReadTable<Rows[Name]> }
/** The same for the rooms above. */
export type InnerTables = { readonly [Name in TableName]: InnerTable<Rows[Name]> }
/** Reads and writes of all tables of a world. */
export type Tables = { readonly [Name in TableName]: Table<Rows[Name], Inputs[Name]> }

/** Where a table's reads look: what has been committed, or a turn's overlay. */
export interface RowSource<Row> extends DerivedReads<Row> {
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

interface Candidates<Row> {
  readonly rows: Iterable<Row>
  /** Whether they are known to match. */
  readonly sure: boolean
}

/** The reads of a table over a source. A query that names the whole key, or an indexed column, looks at those rows only. */
export function readTable<Row>(source: RowSource<Row>, lookup: Lookup): InnerTable<Row> {
  return new SourceTable(source, lookup)
}

/** A class, because each turn makes some, and closures for all of their methods would take longer than what most turns do. */
class SourceTable<Row> implements InnerTable<Row> {
  readonly #source: RowSource<Row>
  readonly #lookup: Lookup

  constructor(source: RowSource<Row>, lookup: Lookup) {
    this.#source = source
    this.#lookup = lookup
  }

  get(id: string): Row | undefined {
    return this.#source.get(id)
  }

  all(): Row[] {
    return [...this.#source.rows()]
  }

  findFirst(predicate?: Predicate<Row>): Row | undefined {
    const planned = plan(predicate)
    const { rows, sure } = this.#candidates(planned)
    for (const row of rows) if (sure || planned.test(row)) return row
    return undefined
  }

  findMany(predicate?: Predicate<Row>): Row[] {
    const planned = plan(predicate)
    const found: Row[] = []
    const { rows, sure } = this.#candidates(planned)
    for (const row of rows) if (sure || planned.test(row)) found.push(row)
    return found
  }

  count(predicate?: Predicate<Row>): number {
    return this.findMany(predicate).length
  }

  sum(name: SumName, group: string): number {
    return this.#source.sum(name, group)
  }

  firstRanked(name: OrderName, wanted: Wanted<Row>): Row | undefined {
    return this.#source.firstRanked(name, wanted)
  }

  viewed(name: ViewName, group: string): Iterable<Row> {
    return this.#source.viewed(name, group)
  }

  #candidates({ equalities, asks }: Plan<Row>): Candidates<Row> {
    const isOne = asks === 'equalities' && Object.keys(equalities).length === 1
    const id = idIn(equalities, this.#lookup.key)
    // An id of two columns may be put together of others.
    if (id !== undefined) return { rows: only(this.#source.get(id)), sure: isOne }
    const column = this.#lookup.indexes.find(name => equalities[name] !== undefined)
    if (column === undefined) return { rows: this.#source.rows(), sure: false }
    return { rows: this.#source.indexed(column, String(equalities[column])), sure: isOne }
  }
}

type PublicReads<Row> = Pick<Table<Row, never>, keyof ReadTable<Row>>

/** The public reads of a table, which check what they are given. They work also where they are taken from the table. */
export function publicReads<Row>(name: TableName, table: ReadTable<Row>): PublicReads<Row> {
  return {
    get: (id: string) => table.get(readId(`${name}.get`, id)),
    all: () => table.all(),
    // One of a strict query is always there, or the call throws.
    findFirst: ((predicate?: Predicate<Row>, options?: QueryOptions) => {
      const isStrict = readStrict(`${name}.findFirst`, options)
      return table.findFirst(predicate) ?? nothingFound(`${name}.findFirst`, isStrict)
    }) as PublicReads<Row>['findFirst'],
    findMany(predicate?: Predicate<Row>, options?: QueryOptions) {
      const isStrict = readStrict(`${name}.findMany`, options)
      const found = table.findMany(predicate)
      if (found.length === 0) nothingFound(`${name}.findMany`, isStrict)
      return found
    },
    count: (predicate?: Predicate<Row>) => table.count(predicate),
  }
}

function idIn(equalities: Readonly<Record<string, string>>, key: readonly string[]): string | undefined {
  const [column] = key
  if (key.length === 1) return equalities[column as string]
  return key.every(name => equalities[name] !== undefined) ? key.map(name => equalities[name]).join('/') : undefined
}

function only<Row>(row: Row | undefined): readonly Row[] {
  return row === undefined ? [] : [row]
}
