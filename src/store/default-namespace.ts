import type { NamespaceRow } from './rows.js'
import type { ReadTables } from './table.js'

/** The id of the namespace that is meant where none is named; `undefined` where the world has none. */
export function defaultNamespaceId({ settings }: Pick<ReadTables, 'settings'>): string | undefined {
  return settings.get('settings')?.default_namespace_id
}

/** The namespace that is meant where none is named; `undefined` where the world has none. */
export function defaultNamespace(tables: Pick<ReadTables, 'namespaces' | 'settings'>): NamespaceRow | undefined {
  return tables.namespaces.get(defaultNamespaceId(tables) ?? '')
}
