import { fullNameOf } from '../store/full-name.js'
import type { ReadTables } from '../store/table.js'

/** Whose a request is, by ids; absent where nothing says. */
export interface Owner {
  readonly gameId?: string | undefined
  readonly namespaceId?: string | undefined
}

/** What the game of an owner is called: its id and its `name_id`. */
export function gameNamesOf({ gameId, namespaceId }: Owner, { games, namespaces }: ReadTables): (string | undefined)[] {
  const id = gameId ?? (namespaceId === undefined ? undefined : namespaces.get(namespaceId)?.game_id)
  return id === undefined ? [] : [id, games.get(id)?.name_id]
}

/** What the namespace of an owner is called: its id, its `name_id`, and `<game name_id>/<namespace name_id>`. */
export function namespaceNamesOf({ namespaceId }: Owner, tables: ReadTables): (string | undefined)[] {
  if (namespaceId === undefined) return []
  const namespace = tables.namespaces.get(namespaceId)
  if (!namespace) return [namespaceId]
  return [namespaceId, namespace.name_id, fullNameOf(namespaceId, tables)]
}
