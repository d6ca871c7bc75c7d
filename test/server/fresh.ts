import { Query } from '@mswjs/data'
import { behaviours } from '../../src/behaviour/behaviours.js'
import { getGame } from '../../src/behaviour/game.js'
import { operations } from '../../src/contract/operations.js'
import { createRequestHandler } from '../../src/server/answer.js'
import type { Call } from '../../src/server/behave.js'
import { WorldFaults } from '../../src/server/faults.js'
import { History } from '../../src/server/history.js'
import { HistoryBudget } from '../../src/server/history-budget.js'
import { ExchangeLog } from '../../src/server/log.js'
import type { RequestHandler } from '../../src/server/message.js'
import { Responder } from '../../src/server/respond.js'
import type { Delete, Put } from '../../src/store/change-set.js'
import { rankingOf, summandOf, viewOf } from '../../src/store/derived.js'
import { groupIn } from '../../src/store/group-in.js'
import { mapTables } from '../../src/store/map-tables.js'
import { idOf, models, tableNames } from '../../src/store/model.js'
import type { Predicate } from '../../src/store/query.js'
import { seatsTaken, type TableName } from '../../src/store/rows.js'
import type { Summand } from '../../src/store/sum-index.js'
import type { InnerTable, InnerTables, ReadTable } from '../../src/store/table.js'
import type { LiveWorld, View } from '../../src/store/world.js'

/**
 * What a mock of a world answers that keeps nothing and takes no short cut: each read walks all rows, asks the data library
 * of each, and is encoded anew. It is for reads, and never blocks. The index of a watch comes from the change sets alone.
 */
export function freshRequestHandler(world: LiveWorld): RequestHandler {
  const newest = trueRevisions(world)
  let seen: number[] = []
  const tables = mapTables<InnerTables>(name => {
    const id = idOf(name) as (row: object) => string // of the rows of that table
    return walked({ name, all: () => world[name].all(), id }, found => seen.push(newest(name, found)))
  })
  const games = shownRevisions(world)
  const view: View = { tables, hasPassed: at => world.clock.now() >= at, seed: world.seed }
  const carryOut = ({ id, caller, input }: Call) => {
    seen = []
    // The table of operations says which calls a behaviour takes.
    const output = behaviours[id]({ caller, input, ...view } as never) as object
    if (operations[id].kind !== 'watch') return output
    const index = id === 'games.getGameById' ? games(input.game_id as string) : Math.max(...seen) // its path has one
    return { ...output, watch: { index: String(index) } }
  }
  const onBug = (error: unknown) => {
    throw error
  }
  const fresh: LiveWorld = Object.create(
    world,
    Object.getOwnPropertyDescriptors({ ...tables, view, catchUp: () => undefined }),
  )
  const log = new ExchangeLog()
  const history = new History({ exchanges: 0, bytes: 0, budget: new HistoryBudget(0) })
  const responder = new Responder({
    worldId: 'default',
    world: fresh,
    corsOrigins: [],
    log,
    history,
    rayId: () => 'no ray',
    onBug,
  })
  const answer = createRequestHandler({
    world: fresh,
    responder,
    faults: new WorldFaults(fresh),
    corsOrigins: [],
    carryOut,
  })
  // A query that has no parameter is parsed each time; none at all is not.
  return exchange => answer({ ...exchange, query: exchange.query || '&' })
}

/** Whether a row is of those that a read asks for. */
type Asked = (row: object) => boolean

/** Tells which revision last touched a row of a table that was, or became, one of those asked for. */
function trueRevisions(world: LiveWorld): (table: TableName, asked: Asked) => number {
  const beginning = world.revision
  const rows = new Map<string, object>()
  // An index knows what has been deleted since its first use.
  for (const name of tableNames) {
    const table = world[name] as unknown as ReadTable<Record<string, string>> // of the columns that are looked up by
    for (const column of models[name].indexes) table.findFirst(q => q.where({ [column]: '' }))
  }
  for (const table of tableNames) for (const row of world[table].all()) rows.set(`${table} ${idIn(table, row)}`, row)
  const touches: { readonly table: TableName; readonly revision: number; readonly rows: readonly object[] }[] = []
  const touch = (change: Put | Delete, revision: number) => {
    const { table, id } = change
    const after: object | undefined = 'row' in change ? change.row : undefined
    const both = [rows.get(`${table} ${id}`), after]
    touches.unshift({ table, revision, rows: both.filter(row => row !== undefined) })
    if (after) rows.set(`${table} ${id}`, after)
    else rows.delete(`${table} ${id}`)
  }
  world.subscribe(({ revision, puts, deletes }) => {
    for (const change of [...puts, ...deletes]) touch(change, revision)
  })
  return (table, asked) =>
    touches.find(change => change.table === table && change.rows.some(asked))?.revision ?? beginning
}

/** Tells at which revision something else was last to be seen of a game. */
function shownRevisions(world: LiveWorld): (gameId: string) => number {
  const shown = new Map<string, { readonly text: string; readonly revision: number }>()
  const look = (revision: number) => {
    for (const { game_id } of world.games.all()) {
      const text = textOf(game_id, world)
      if (shown.get(game_id)?.text !== text) shown.set(game_id, { text, revision })
    }
    for (const id of shown.keys()) if (!world.games.get(id)) shown.delete(id)
  }
  // Sums and views know what has happened since their first use.
  for (const id of world.games.all().map(({ game_id }) => game_id)) textOf(id, world)
  look(world.revision)
  world.subscribe(({ revision }) => look(revision))
  return id => shown.get(id)?.revision ?? 0
}

/** What a game shows, and the seats taken in each of its namespaces. */
function textOf(game_id: string, world: LiveWorld): string {
  const input = { game_id, watch_index: undefined }
  // Tracked: of what nobody has asked for the revision, it may be forgotten.
  const { value: game } = world.read(view => getGame({ caller: { kind: 'cloud', gameId: game_id }, input, ...view }))
  const counts = world.namespaces
    .findMany(q => q.where({ game_id }))
    .map(({ namespace_id }) => world.lobbies.findMany(q => q.where({ namespace_id })))
    .map(lobbies => lobbies.reduce((sum, lobby) => sum + seatsTaken(lobby), 0))
  return JSON.stringify([game, counts])
}

function idIn(table: TableName, row: object): string {
  return idOf(table)(row as never) // of the rows of that table
}

interface Walk<Row> {
  readonly name: TableName
  all(): Row[]
  id(row: Row): string
}

/** A table whose reads walk all of its rows, and tell which they ask for. */
function walked<Row extends object>({ name, all, id }: Walk<Row>, onRead: (asked: Asked) => void): InnerTable<Row> {
  const those = (asked: Asked) => {
    onRead(asked)
    return all().filter(asked)
  }
  const findMany = (predicate: Predicate<Row> = query => query) => {
    const query = typeof predicate === 'function' ? predicate(new Query<Row>()) : predicate
    return those(row => query.test(row as Row)) // a row of this table
  }
  return {
    all: () => those(() => true),
    findMany,
    get: wanted => those(row => id(row as Row) === wanted)[0], // the same
    findFirst: predicate => findMany(predicate)[0],
    count: predicate => findMany(predicate).length,
    viewed: (view, group) => those(row => viewOf(name, view).group(row) === group),
    sum: (sum, group) => summed(all(), { summand: summandOf(name, sum), group }),
    firstRanked(order, { group, isWanted }) {
      const ranking = rankingOf(name, order)
      return all()
        .filter(row => ranking.rank(row) !== undefined && groupIn(ranking, row) === group)
        .sort((one, other) => (ranking.rank(one) ?? 0) - (ranking.rank(other) ?? 0))
        .find(isWanted)
    },
  }
}

function summed(rows: readonly object[], { summand, group }: { summand: Summand<object>; group: string }): number {
  return rows.filter(row => groupIn(summand, row) === group).reduce((sum, row) => sum + summand.amount(row), 0)
}
