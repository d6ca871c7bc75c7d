import type { Behaviour } from './behaviour.js'
import { namespaceOf } from './namespace-of.js'

/** Sets how many lobbies a namespace may have, and how many players may come from one client address (PROTOCOL.md B6). */
export const updateMatchmakerConfig: Behaviour<'games.namespaces.updateGameNamespaceMatchmakerConfig'> = async ({
  input,
  tables,
}) => {
  const { namespace_id } = namespaceOf(input, tables)
  const { lobby_count_max, max_players } = input
  await tables.namespaces.update(q => q.where({ namespace_id }), {
    data(namespace) {
      Object.assign(namespace, { lobby_count_max, max_players })
    },
  })
  return undefined
}

/** Says what is wrong with two such numbers: nothing, where they could be read (PROTOCOL.md C). */
export const validateMatchmakerConfig: Behaviour<'games.namespaces.validateGameNamespaceMatchmakerConfig'> = () => ({
  errors: [],
})
