import type { Changes } from '../store/table-arguments.js'
import { type Call, ClientError, call, type Remote } from './call.js'

/** What records are found by: the values of their fields; one inside another as `'state.map'`. */
export type Filter = Readonly<Record<string, string | number | boolean>>

/** The records of one model in a world, by the names of the table in-process. */
export interface ClientTable<Row, Input> {
  /** The record of an id; `undefined` where there is none. That of a game mode is `<namespace_id>/<game_mode_id>`. */
  get(id: string): Promise<Row | undefined>
  all(): Promise<Row[]>
  findFirst(filter?: Filter): Promise<Row | undefined>
  findMany(filter?: Filter): Promise<Row[]>
  count(filter?: Filter): Promise<number>
  /** Makes a record; what is absent gets the scenario format's defaults. */
  create(input: Input): Promise<Row>
  /** Gives the record of that id new values. Rejects where no record has the id. */
  update(id: string, changes: Changes<Row>): Promise<Row>
  /** Deletes the record of that id, and answers it. Rejects where no record has the id. */
  delete(id: string): Promise<Row>
}

/** Which table it is. */
interface Tabled<Row> {
  /** In paths, `game-modes`. */
  readonly name: string
  /** Whether what is shown with the records is one. Default: all of it is. */
  isRecord?(shown: Row): boolean
}

/** A table of a world. All calls reject with `ClientError`. */
export function createTable<Row, Input extends object>(
  remote: Remote,
  { name, isRecord = () => true }: Tabled<Row>,
): ClientTable<Row, Input> {
  const at = (id: string) => {
    if (typeof id !== 'string')
      throw misused('get(id), update(id, { is_closed: true }) and delete(id), where the id is a text')
    return `/${name}/${encodeURIComponent(id)}`
  }
  // What a mock answers is what its tables hold.
  const asked = (one: Call) => call(remote, one) as Promise<Row>
  const findMany = async (filter: Filter = {}) => {
    if (!isFields(filter)) throw misused('findMany({ game_mode_id: "duel" }): the values of fields, no query')
    const query = Object.fromEntries(Object.entries(filter).map(([field, value]) => [field, textOf(field, value)]))
    const answer = (await call(remote, { method: 'GET', path: `/${name}`, query })) as Readonly<Record<string, Row[]>>
    return (answer[name.replaceAll('-', '_')] ?? []).filter(isRecord)
  }
  return {
    async get(id) {
      const shown = await asked({ method: 'GET', path: at(id) }).catch(undefinedIfMissing)
      return shown !== undefined && isRecord(shown) ? shown : undefined
    },
    all: () => findMany(),
    findFirst: async filter => (await findMany(filter))[0],
    findMany,
    count: async filter => (await findMany(filter)).length,
    async create(input) {
      if (!isFields(input)) throw misused('create({ game_mode_id: "duel" }): the fields of the record')
      return asked({ method: 'POST', path: `/${name}`, body: input })
    },
    async update(id, changes) {
      const path = at(id)
      if (!isFields(changes)) throw misused('update(id, { is_closed: true }): the changed fields')
      return asked({ method: 'PATCH', path, body: changes })
    },
    delete: async id => asked({ method: 'DELETE', path: at(id) }),
  }
}

function isFields(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value to find records by, as a query has it. */
function textOf(field: string, value: unknown): string {
  if (typeof value === 'object' || value === undefined)
    throw misused(`findMany({ '${field}.name': 'value' }): what is inside a field, by its path`)
  return String(value)
}

/** What is not there, as `undefined`. */
export function undefinedIfMissing(error: unknown): undefined {
  if (error instanceof ClientError && error.status === 404) return undefined
  throw error
}

function misused(right: string): ClientError {
  return new ClientError(`a table of the client takes other arguments than one in-process: ${right}`, {
    status: 0,
    code: 'MISUSED',
  })
}
