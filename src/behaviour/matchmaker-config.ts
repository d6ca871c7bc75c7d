import { ApiError } from '../contract/error.js'
import { quoted } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'
import type { Behaviour } from './behaviour.js'

/** Sets how many lobbies a namespace may have, and how many players may come from one client address (PROTOCOL.md B6). */
export const updateMatchmakerConfig: Behaviour<'games.namespaces.updateGameNamespaceMatchmakerConfig'> = async ({
  input,
  tables,
}) => {
  const { game_id, namespace_id, lobby_count_max, max_players } = input
  const updated = await tables.namespaces.update(q => q.where({ namespace_id, game_id }), {
    data(namespace) {
      Object.assign(namespace, { lobby_count_max, max_players })
    },
  })
  if (updated) return undefined
  const known = tables.namespaces.findMany(q => q.where({ game_id })).map(namespace => namespace.namespace_id)
  throw new ApiError(
    'NAMESPACE_NOT_FOUND',
    `game ${quoted(game_id)} has no namespace ${quoted(namespace_id)}.${knownChoices(namespace_id, known)}`,
  )
}
