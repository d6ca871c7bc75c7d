import { matchmakerDefaults } from '../store/default-columns.js'
import type { NamespaceRow } from '../store/rows.js'
import type { PlacedNamespace } from './layout.js'
import type { Naming } from './naming.js'
import { serverPortsOf } from './server-ports.js'

/** A namespace whose id, and whose game's, are known. */
export interface OwnedNamespace extends PlacedNamespace {
  readonly namespace_id: string
  readonly game_id: string
}

/** What rows are made with that a scenario does not say. */
export interface RowMaking {
  readonly naming: Naming
  /** When the world begins, in ms since the epoch. */
  readonly now: number
}

/** The row of a namespace. `max_players` and `development` are absent where the scenario does not say them. */
export function namespaceRow(
  { namespace_id, game_id, names, fullName, given }: OwnedNamespace,
  { naming, now }: RowMaking,
): NamespaceRow {
  const { version_id, created_at, tokenless = true, domains = [], matchmaker, development } = given
  const max_players = matchmaker?.max_players
  return {
    namespace_id,
    game_id,
    ...names,
    created_at: created_at === undefined ? now : Date.parse(created_at),
    version_id: version_id ?? naming.uuid(`namespace:${fullName}/version`),
    tokenless,
    domains,
    lobby_count_max: matchmaker?.lobby_count_max ?? matchmakerDefaults.lobby_count_max,
    ...(max_players === undefined ? {} : { max_players }),
    ...(development === undefined ? {} : { development: serverPortsOf(development) }),
  }
}
