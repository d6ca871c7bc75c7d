import type { NamespaceRow } from './rows.js'
import type { ReadTables } from './table-calls.js'

/** The id of the namespace that calls use if they name none; `undefined` if the world has no default. */
export function defaultNamespaceId({ settings }: Pick<ReadTables, 'settings'>): string | undefined {
  return settings.get('settings')?.default_namespace_id
}

/** The namespace that calls use if they name none. */
export function defaultNamespace(tables: Pick<ReadTables, 'namespaces' | 'settings'>): NamespaceRow | undefined {
  return tables.namespaces.get(defaultNamespaceId(tables) ?? '')
}

/** The name of a namespace for people: `tanks/prod`. */
export function fullNameOf(
  namespaceId: string,
  { games, namespaces }: Pick<ReadTables, 'games' | 'namespaces'>,
): string {
  const namespace = namespaces.get(namespaceId)
  return `${games.get(namespace?.game_id ?? '')?.name_id}/${namespace?.name_id}`
}
