import type { Namespace } from '../contract/namespaces.js'
import { matchmakerDefaults, type NamespaceRow } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'
import type { Behaviour } from './behaviour.js'
import { namespaceSummary } from './game.js'
import { gameOf } from './game-of.js'
import { namespaceOf } from './namespace-of.js'
import { refuseInvalid } from './refuse-invalid.js'
import { namespaceProblems } from './validate-namespace.js'

/**
 * Makes a namespace with the game modes of the first one of its game (PROTOCOL.md C). As a new one of the real service it
 * answers nobody without a token, and has no domains and no tokens.
 */
export const createNamespace: Behaviour<'games.namespaces.createGameNamespace'> = async ({ input, tables }) => {
  const { display_name, name_id, version_id } = input
  const { game_id } = gameOf(input.game_id, tables)
  refuseInvalid('the namespace', namespaceProblems(input, tables))
  const first = tables.namespaces.findFirst(q => q.where({ game_id }))
  const modes = first ? tables.gameModes.findMany(q => q.where({ namespace_id: first.namespace_id })) : []
  const created = await tables.namespaces.create({ game_id, name_id, display_name, version_id, tokenless: false })
  const { namespace_id } = created
  for (const mode of modes) await tables.gameModes.create({ ...mode, namespace_id })
  return { namespace_id }
}

/** Shows a namespace (PROTOCOL.md C). */
export const getNamespace: Behaviour<'games.namespaces.getGameNamespaceById'> = ({ input, tables }) => {
  const namespace = namespaceOf(input, tables)
  return {
    namespace: {
      ...namespaceSummary(namespace),
      config: { cdn: cdnConfig(namespace, tables), matchmaker: matchmakerConfig(namespace), kv: {}, identity: {} },
    },
  }
}

/** Sets the version that a namespace runs (PROTOCOL.md C). */
export const updateNamespaceVersion: Behaviour<'games.namespaces.updateGameNamespaceVersion'> = async ({
  input,
  tables,
}) => {
  const { namespace_id } = namespaceOf(input, tables)
  await tables.namespaces.update(q => q.where({ namespace_id }), {
    data(namespace) {
      namespace.version_id = input.version_id
    },
  })
  return {}
}

function cdnConfig(namespace: NamespaceRow, { games, settings }: ReadTables): Namespace['config']['cdn'] {
  const { create_ts } = namespaceSummary(namespace)
  const cname_record = `${games.get(namespace.game_id)?.name_id}--${namespace.name_id}.${settings.get('settings')?.cdn_domain}`
  return {
    enable_domain_public_auth: namespace.tokenless,
    domains: namespace.domains.map(domain => ({
      domain,
      create_ts,
      verification_status: 'active',
      verification_method: { http: { cname_record } },
      verification_errors: [],
    })),
    auth_type: 'none',
    auth_user_list: [],
  }
}

function matchmakerConfig(namespace: NamespaceRow): Namespace['config']['matchmaker'] {
  const { lobby_count_max, max_players: most = matchmakerDefaults.max_players } = namespace
  return {
    lobby_count_max,
    max_players_per_client: most,
    max_players_per_client_vpn: most,
    max_players_per_client_proxy: most,
    max_players_per_client_tor: most,
    max_players_per_client_hosting: most,
  }
}
