import { problemLines, UsageError } from '../lib/usage-error.js'
import { gameIdOf } from './fit.js'
import type { Change } from './landing.js'
import { lazyTables } from './map-tables.js'
import { idOf, type Model, models, tableNames } from './model.js'
import { type AllRecords, Records } from './records.js'
import { recordsOf } from './records-of.js'
import type { Rows, TableName } from './rows.js'
import { sameJson } from './same-json.js'
import { unread } from './standing.js'
import { type ReadTables, readTable } from './table.js'

/** A record that does not fit those beside it. */
interface Misfit {
  readonly name: TableName
  readonly id: string
  readonly row: object
  readonly problem: string
}

/** A record as it shall be, by its table and id. */
type Mending = readonly [name: TableName, id: string, change: Change<object>]

/**
 * Mends records that do not fit together. Those that are not of the file go first; then those that are get what the file
 * says of them; last, what they lean on does. Throws `UsageError` where the file does not fit itself.
 */
export function settle(records: AllRecords, { file }: { readonly file: AllRecords }): void {
  for (let misfits = misfitsOf(records); misfits.length > 0; misfits = misfitsOf(records)) {
    const mendings = foreign(misfits, file) ?? different(misfits, file) ?? leanedOn(misfits, { records, file })
    if (!mendings)
      throw new UsageError(problemLines(misfits.map(({ name, id, problem }) => `${name} ${id}: ${problem}`)))
    for (const [name, id, change] of mendings) recordsOf(records, name).land(new Map([[id, change]]), unheard())
  }
}

function misfitsOf(records: AllRecords): Misfit[] {
  const all = lazyTables<ReadTables>(name => readTable<object>(recordsOf(records, name), models[name]))
  const withoutLobbies = lazyTables<ReadTables>(name =>
    name === 'lobbies' ? readTable<object>(noLobbies, models[name]) : all[name],
  )
  return tableNames.flatMap(name => {
    const model: Model<TableName> = models[name] as never // one name for both: see `mapTables`
    // A lobby that its mode strands does not fit by itself, so that the mode is not to blame.
    const tables = name === 'gameModes' ? withoutLobbies : all
    return [...recordsOf(records, name).rows()].flatMap(row => {
      const problem = model.check?.(row as never, tables)
      return problem === undefined ? [] : { name, id: idOf(name)(row as never), row, problem }
    })
  })
}

const noLobbies: Records<object> = Records.of([], { table: 'lobbies', tracking: unread, revision: 1 })

function foreign(misfits: readonly Misfit[], file: AllRecords): Mending[] | undefined {
  return some(
    misfits
      .filter(({ name, id }) => recordsOf(file, name).get(id) === undefined)
      .map(({ name, id }) => [name, id, 'delete']),
  )
}

function different(misfits: readonly Misfit[], file: AllRecords): Mending[] | undefined {
  return some(misfits.flatMap(({ name, id, row }) => asInFile([name, id], { file, is: row })))
}

function leanedOn(
  misfits: readonly Misfit[],
  { records, file }: { readonly records: AllRecords; readonly file: AllRecords },
): Mending[] | undefined {
  const places = misfits.flatMap(({ name, row }) => leanings[name](row as never)) // a misfit's row is one of its table
  return some(places.flatMap(([name, id]) => asInFile([name, id], { file, is: recordsOf(records, name).get(id) })))
}

type Place = readonly [name: TableName, id: string]

/** The records that a row leans on. */
const leanings: { readonly [Name in TableName]: (row: Rows[Name]) => readonly Place[] } = {
  settings: ({ default_namespace_id: id }) => (id === undefined ? [] : [['namespaces', id]]),
  games: () => [],
  regions: () => [],
  namespaces: ({ game_id }) => [['games', game_id]],
  gameModes: ({ namespace_id, regions }) => [
    ['namespaces', namespace_id],
    ...regions.map((id): Place => ['regions', id]),
  ],
  lobbies: ({ namespace_id, game_mode_id }) => [
    ['namespaces', namespace_id],
    ['gameModes', `${namespace_id}/${game_mode_id}`],
  ],
  players: ({ lobby_id }) => [['lobbies', lobby_id]],
  simulations: ({ namespace_id, modes }) => [
    ['namespaces', namespace_id],
    ...Object.keys(modes ?? {}).map((id): Place => ['gameModes', `${namespace_id}/${id}`]),
  ],
  deviceLinks: link => [['games', gameIdOf(link) ?? '']],
  tokens: token => [token.kind === 'cloud' ? ['games', token.game_id] : ['namespaces', token.namespace_id]],
}

/** What makes a record what the file says of it, where it is not that already. */
function asInFile(
  [name, id]: Place,
  { file, is }: { readonly file: AllRecords; readonly is: object | undefined },
): Mending[] {
  const put = recordsOf(file, name).get(id)
  return put === undefined || sameJson(is, put) ? [] : [[name, id, { put, again: false }]]
}

function some(mendings: Mending[]): Mending[] | undefined {
  return mendings.length > 0 ? mendings : undefined
}

/** Nobody reads the records that are mended. */
function unheard() {
  return { revision: 1, touched: undefined }
}
