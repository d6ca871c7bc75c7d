import { Query } from '@mswjs/data'
import { operations } from '../../../src/core/contract/operations.js'
import { Emitter } from '../../../src/core/lib/emitter.js'
import { getGame } from '../../../src/core/operations/games.js'
import { resolvers } from '../../../src/core/operations/resolvers.js'
import { Exchange } from '../../../src/core/pipeline/exchange.js'
import type { Call } from '../../../src/core/pipeline/execute.js'
import { LiveFaults } from '../../../src/core/pipeline/faults.js'
import { History, HistoryBudget } from '../../../src/core/pipeline/history.js'
import type { RequestHandler } from '../../../src/core/pipeline/message.js'
import { PendingRequests } from '../../../src/core/pipeline/pending.js'
import { Redactor } from '../../../src/core/pipeline/redact.js'
import { Responder } from '../../../src/core/pipeline/respond.js'
import type { Tables } from '../../../src/core/store/model.js'
import type { Predicate } from '../../../src/core/store/query.js'
import type { Rows } from '../../../src/core/store/rows.js'
import type { TreeTable } from '../../../src/core/store/table.js'
import type { LiveWorld, ReadView } from '../../../src/core/store/world.js'
import { mapTables } from '../../../src/core/store/world-state.js'

/**
 * Answers reads of a world without caches, indexes and sums, as an oracle for reads that have them. Each read scans
 * all rows. The watch index comes from the change sets alone. It never blocks.
 */
export function uncachedRequestHandler(world: LiveWorld): RequestHandler {
  const tables = mapTables<Tables>(name => scanOf(world.tables[name] as unknown as TreeTable<object>))
  const { starter, outageOf } = world
  const view: ReadView = { tables, hasPassed: at => world.clock.now() >= at, seed: world.seed, starter, outageOf }
  const linkRevision = followLinks(world)
  const gameRevision = followGames(world, view)
  const execute = ({ id, caller, input }: Call) => {
    // The table of operations says which calls a resolver accepts.
    const output = resolvers[id]({ caller, input, ...view } as never) as object
    if (operations[id].kind !== 'watch') return output
    const index =
      id === 'games.getGameById' ? gameRevision(String(input.game_id)) : linkRevision(String(input.device_link_token))
    return { ...output, watch: { index: String(index) } }
  }
  const { clock, seed, dependencies, faults } = world
  const uncached = {
    tables,
    clock,
    seed,
    dependencies,
    faults,
    hasPassed: view.hasPassed,
    settled: () => undefined,
  } as unknown as LiveWorld // enough to read
  const redactor = new Redactor(tables, new Set())
  const responder = new Responder({
    worldId: 'default',
    allowed: { tables, corsOrigins: [] },
    log: new Emitter(),
    redactor,
    rays: { uuid: () => 'no ray' },
    onBug(error) {
      throw error
    },
  })
  const parts = {
    worldId: 'default',
    world: uncached,
    responder,
    faults: new LiveFaults(uncached),
    history: new History(
      { exchanges: 0, changes: { count: 1 }, bytes: 0, budget: new HistoryBudget(0) },
      { revision: 1, at: 0 },
      () => [],
    ),
    pending: new PendingRequests(world.clock, redactor),
    record() {},
  }
  // A query without parameters is parsed. An absent query is not.
  return request =>
    new Exchange({ ...request, query: request.query || '&' }, parts).answer({
      execute,
      draft() {
        throw new Error('no fault holds a request here')
      },
    })
}

/** Returns the revision of the last change to what a device link shows. */
function followLinks(world: LiveWorld): (token: string) => number {
  const start = world.revision
  const revisions = new Map<string, number>()
  world.subscribe(({ cause, changes, revision }) => {
    // A reset or a reload writes whole rows.
    const isWhole = ['reset', 'load', 'reload'].includes(cause.kind)
    const textOfLink = (row: Rows['deviceLinks'] | undefined) =>
      row && JSON.stringify(isWhole ? row : [row.status, row.status === 'complete' ? row.cloud_token : undefined])
    for (const { table, id, before, after } of changes)
      if (table === 'deviceLinks' && textOfLink(before?.row) !== textOfLink(after?.row)) revisions.set(id, revision)
  })
  return token => revisions.get(token) ?? start
}

/** Returns the revision of the last change to what a game shows. */
function followGames(world: LiveWorld, view: ReadView): (id: string) => number {
  const shown = new Map<string, { readonly text: string; readonly revision: number }>()
  const look = (revision: number) => {
    const ids = view.tables.games.all().map(({ game_id }) => game_id)
    for (const id of ids) {
      const text = textOf(id, view)
      if (shown.get(id)?.text !== text) shown.set(id, { text, revision })
    }
    for (const id of shown.keys()) if (!ids.includes(id)) shown.delete(id)
  }
  look(world.revision)
  world.subscribe(({ revision }) => look(revision))
  return id => shown.get(id)?.revision ?? 0
}

/** Reads the fields that a game shows, and the seats taken in each of its namespaces. */
function textOf(game_id: string, view: ReadView): string {
  const input = { game_id, watch_index: undefined }
  const game = getGame({ caller: { kind: 'cloud', gameId: game_id }, input, ...view })
  const { namespaces, lobbies } = view.tables
  const ids = namespaces.inIndex('game_id', { game_id }).map(({ namespace_id }) => namespace_id)
  return JSON.stringify([game, ids.map(id => lobbies.sum('players', id))])
}

/** The reads of a table. Each scans all rows. */
function scanOf<Row extends object>(table: TreeTable<Row>): TreeTable<Row> {
  const { shape } = table
  const all = () => table.state.all()
  const findMany = (predicate: Predicate<Row> = query => query) => {
    const query = (typeof predicate === 'function' ? predicate(new Query<Row>()) : predicate) as Query<Row>
    return all().filter(row => query.test(row))
  }
  const inIndex = (name: string, values: Partial<Row>) => {
    const { columns, rank = () => 0 } = definition(shape.indexes, name)
    return all()
      .filter(row =>
        columns.every(
          column =>
            values[column as keyof Row] === undefined || values[column as keyof Row] === row[column as keyof Row],
        ),
      )
      .filter(row => rank(row) !== undefined)
      .sort((one, other) => (rank(one) ?? 0) - (rank(other) ?? 0))
  }
  const reads = {
    shape,
    all,
    findMany,
    inIndex,
    get: (id: string) => all().find(row => shape.idOf(row) === id),
    count: () => all().length,
    first: () => all()[0],
    firstInIndex(name: string, group: string, isWanted: (row: Row) => boolean) {
      const { columns } = definition(shape.indexes, name)
      return inIndex(name, {})
        .filter(row => columns.map(column => row[column as keyof Row]).join(' ') === group)
        .find(isWanted)
    },
    withUnique(name: string, value: string) {
      const { values, within } = definition(shape.unique, name)
      const prefix = (row: Row) => (within === undefined ? '' : `${row[within as keyof Row]}\0`)
      return all().find(row => values(row).some(own => prefix(row) + own === value))
    },
    sum(name: string, group: string) {
      const { columns, amount } = definition(shape.sums, name)
      return all()
        .filter(row => columns.map(column => row[column as keyof Row]).join(' ') === group)
        .reduce((sum, row) => sum + amount(row), 0)
    },
    inView: (name: string, group: string) => all().filter(row => definition(shape.views, name).group(row) === group),
    findFirst: (predicate?: Predicate<Row>) => findMany(predicate)[0],
  } satisfies Partial<TreeTable<Row>>
  return reads as unknown as TreeTable<Row> // reads never write
}

function definition<T>(definitions: Readonly<Record<string, T>>, name: string): T {
  const found = definitions[name]
  if (!found) throw new Error(`there is no ${name}`)
  return found
}
