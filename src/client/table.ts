import { isJsonObject, isPlainObject } from '../core/lib/json.js'
import type { Inputs } from '../core/store/inputs.js'
import { isQuery, type Predicate, plan } from '../core/store/query.js'
import type { Rows } from '../core/store/rows.js'
import {
  type ListOptions,
  nothingFound,
  paginate,
  type QueryOptions,
  type RecordChanges,
  readList,
  type Strict,
  sortRows,
} from '../core/store/table-calls.js'
import { type ControlTable, listKey } from '../core/store/table-names.js'
import { type ClientError, misuseError } from './call.js'
import { type ControlledRemote, checked, request, undefinedIfMissing, withoutCreated } from './http.js'

/** The records of one model in a world, with the method names of a table in-process. */
export interface ClientTable<Row, Input> {
  /** Returns a record, or `undefined` if there is none. The id of a game mode is `<namespace_id>/<game_mode_id>`. */
  get(id: string): Promise<Row | undefined>
  all(): Promise<Row[]>
  findFirst(query: Predicate<Row> | undefined, options: Strict): Promise<Row>
  findFirst(query?: Predicate<Row>, options?: QueryOptions): Promise<Row | undefined>
  /** Finds records by the values of fields, or by a function. The client sorts them, and applies what the mock cannot check. */
  findMany(query?: Predicate<Row>, options?: Omit<ListOptions<Row>, 'cursor'>): Promise<Row[]>
  count(query?: Predicate<Row>): Promise<number>
  /** Creates a record. Absent fields get the defaults of the scenario format. */
  create(input: Input): Promise<Row>
  /** Changes fields of a record. Rejects if there is no such record. */
  update(id: string, changes: RecordChanges<Row>): Promise<Row>
  /** Deletes a record, and returns it. Rejects if there is no such record. */
  delete(id: string): Promise<Row>
}

/** The tables of the control API, by their names in-process. */
export type ClientTables = {
  readonly [Name in ControlTable]: ClientTable<Rows[Name], Inputs[Name]>
}

/** Creates a table from its name in paths, such as `game-modes`. All its methods reject with `ClientError`. */
export function createTable<Row, Input>(remote: ControlledRemote, table: string): ClientTable<Row, Input> {
  const params = (id: string) => {
    if (typeof id !== 'string')
      throw wrongArguments('get(id), update(id, { is_closed: true }) and delete(id) take the id as a text')
    return { table, id }
  }
  // The mock lists the tokens of lobbies with the other tokens, but they are not records.
  const isRecord = (row: object) => table !== 'tokens' || !('lobby_id' in row)
  // The mock answers with rows of this table.
  const asRow = (answer: Readonly<Record<string, unknown>>) => answer as Row
  const asWritten = (answer: Readonly<Record<string, unknown>>) => asRow(withoutCreated(answer))
  const find = async (call: 'findFirst' | 'findMany', query: Predicate<Row> = {}, options?: object) => {
    const known = call === 'findFirst' ? ['strict'] : ['strict', 'orderBy', 'skip', 'take']
    const { test, list } = checked(() => ({
      test: plan(query).test,
      list: readList<Row>(`${table}.${call}`, options, known),
    }))
    const answer = await request(remote, 'GET /{table}', { params: { table }, query: parametersOf(query) })
    const rows = (answer[listKey(table)] ?? []).filter(isRecord).map(asRow)
    const found = paginate(sortRows(rows.filter(test), list.orderBy), list)
    if (found.length === 0 && list.strict) throw misuseError(nothingFound(call, table).message)
    return found
  }
  return {
    async get(id) {
      const row = await undefinedIfMissing(request(remote, 'GET /{table}/{id}', { params: params(id) }))
      return row && isRecord(row) ? asRow(row) : undefined
    },
    all: () => find('findMany'),
    findFirst: async (query?: Predicate<Row>, options?: QueryOptions) =>
      (await find('findFirst', query, options))[0] as Row, // `undefined` only where the options allow it
    findMany: (query, options) => find('findMany', query, options),
    count: async query => (await find('findMany', query)).length,
    async create(input) {
      if (!isPlainObject(input) && typeof input !== 'string')
        throw wrongArguments('create({ game_mode_id: "duel" }) takes the fields of the record')
      return asWritten(await request(remote, 'POST /{table}', { params: { table }, body: input }))
    },
    async update(id, changes) {
      const place = params(id)
      if (!isPlainObject(changes)) throw wrongArguments('update(id, { is_closed: true }) takes the changed fields')
      return asWritten(await request(remote, 'PATCH /{table}/{id}', { params: place, body: changes }))
    },
    delete: async id => asRow(await request(remote, 'DELETE /{table}/{id}', { params: params(id) })),
  }
}

/** Returns the conditions that the mock can check: it compares texts. */
function parametersOf(query: unknown): Record<string, string> {
  if (!isJsonObject(query) || isQuery(query)) return {}
  const entries = Object.entries(query).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
  return Object.fromEntries(entries.map(([path, value]) => [path, String(value)]))
}

function wrongArguments(right: string): ClientError {
  return misuseError(`wrong arguments: in the client, ${right}`)
}
