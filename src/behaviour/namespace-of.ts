import { ApiError } from '../contract/errors.js'
import { didYouMean } from '../lib/did-you-mean.js'
import { quoted } from '../lib/quote.js'
import type { NamespaceRow } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'

type Place = Pick<NamespaceRow, 'game_id' | 'namespace_id'>

/** The namespace of a game. Throws `ApiError` where there is none, or where it is another game's (PROTOCOL.md B6). */
export function namespaceOf(
  { game_id, namespace_id }: Place,
  { namespaces }: Pick<ReadTables, 'namespaces'>,
): NamespaceRow {
  const found = namespaces.get(namespace_id)
  if (found?.game_id === game_id) return found
  const known = namespaces.findMany(q => q.where({ game_id })).map(namespace => namespace.namespace_id)
  throw new ApiError(
    'NAMESPACE_NOT_FOUND',
    `game ${quoted(game_id)} has no namespace ${quoted(namespace_id)}.${didYouMean(namespace_id, known)}`,
  )
}
