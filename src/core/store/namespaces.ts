import { didYouMean, quoted, UsageError } from '../lib/messages.js'
import type { RowsById } from './lobby-rules.js'
import type { GameRow, NamespaceRow } from './rows.js'
import type { ReadTables } from './table-calls.js'

/** Returns the id of the default namespace, for calls that name none. `undefined` if the world has no default. */
export function defaultNamespaceId({ settings }: Pick<ReadTables, 'settings'>): string | undefined {
  return settings.get('settings')?.default_namespace_id
}

/** Finds the default namespace, for calls that name none. */
export function defaultNamespace(tables: Pick<ReadTables, 'namespaces' | 'settings'>): NamespaceRow | undefined {
  return tables.namespaces.get(defaultNamespaceId(tables) ?? '')
}

/** Returns the full name of a namespace: `tanks/prod`. */
export function fullNameOf(
  namespaceId: string,
  { games, namespaces }: { readonly games: RowsById<GameRow>; readonly namespaces: RowsById<NamespaceRow> },
): string {
  const namespace = namespaces.get(namespaceId)
  return `${games.get(namespace?.game_id ?? '')?.name_id}/${namespace?.name_id}`
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
