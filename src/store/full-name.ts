import type { ReadTables } from './table-calls.js'

/** What people call a namespace: `tanks/prod`. */
export function fullNameOf(
  namespaceId: string,
  { games, namespaces }: Pick<ReadTables, 'games' | 'namespaces'>,
): string {
  const namespace = namespaces.get(namespaceId)
  return `${games.get(namespace?.game_id ?? '')?.name_id}/${namespace?.name_id}`
}
