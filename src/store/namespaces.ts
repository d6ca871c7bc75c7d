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
