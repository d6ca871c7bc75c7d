import { didYouMean, quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import { defaultNamespace, fullNameOf } from '../store/namespaces.js'
import type { GameRow, NamespaceRow, TableName } from '../store/rows.js'
import type { ReadTables } from '../store/table-calls.js'

/** The tables of the control API, by their names in paths. */
export const tablesByPath = {
  games: 'games',
  namespaces: 'namespaces',
  'game-modes': 'gameModes',
  regions: 'regions',
  lobbies: 'lobbies',
  players: 'players',
  simulations: 'simulations',
  'device-links': 'deviceLinks',
  tokens: 'tokens',
} as const satisfies { readonly [path: string]: TableName }

/** A table that the control API has. */
export type ControlTable = Exclude<TableName, 'settings'>

/** Returns the key of a table's records in an answer. */
export function listKey(path: string): string {
  return path.replaceAll('-', '_')
}

/** Finds a game by its id or its `name_id`. Throws `UsageError` if there is none. */
export function findGame(name: string, { games }: Pick<ReadTables, 'games'>): GameRow {
  const game = games.get(name) ?? games.findFirst(q => q.where({ name_id: name }))
  if (game) return game
  const known = games.all().map(({ name_id }) => name_id)
  throw new UsageError(`game is ${quoted(name)}, which does not exist.${didYouMean(name, known)}`)
}

/** Finds a namespace by its id, or by the name ids `<game>/<namespace>`. Throws `UsageError` if there is none. */
export function findNamespace(name: string | undefined, tables: ReadTables): NamespaceRow {
  const nameOf = ({ namespace_id }: NamespaceRow) => fullNameOf(namespace_id, tables)
  const { namespaces } = tables
  const found =
    name === undefined
      ? defaultNamespace(tables)
      : (namespaces.get(name) ?? namespaces.all().find(namespace => nameOf(namespace) === name))
  if (found) return found
  const known = namespaces.all().map(nameOf)
  if (name === undefined)
    throw new UsageError(`namespace is missing, and the world has no default namespace.${didYouMean('', known)}`)
  throw new UsageError(`namespace is ${quoted(name)}, which does not exist.${didYouMean(name, known)}`)
}
