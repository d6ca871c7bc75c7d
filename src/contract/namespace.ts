import * as z from 'zod'
import { Timestamp } from './timestamp.js'
import { Uint32 } from './uint32.js'

/** A namespace as its game lists it. */
export const NamespaceSummary = z
  .object({
    namespace_id: z.string(),
    create_ts: Timestamp,
    display_name: z.string(),
    version_id: z.string(),
    name_id: z.string(),
  })
  .meta({ id: 'NamespaceSummary', description: 'A namespace, as its game lists it.' })
export type NamespaceSummary = z.output<typeof NamespaceSummary>

const CdnDomain = z.object({
  domain: z.string(),
  create_ts: Timestamp,
  verification_status: z.enum(['active', 'pending', 'failed']),
  verification_method: z.object({ http: z.object({ cname_record: z.string() }) }),
  verification_errors: z.array(z.string()),
})

/** Whose pages may call without a token. */
const CdnConfig = z.object({
  enable_domain_public_auth: z.boolean().meta({ description: 'Whether `lobbies.list` and the like need no token.' }),
  domains: z.array(CdnDomain),
  auth_type: z.enum(['none', 'basic']),
  auth_user_list: z.array(z.object({ user: z.string() })),
})

const MatchmakerConfig = z.object({
  lobby_count_max: Uint32,
  max_players_per_client: Uint32,
  max_players_per_client_vpn: Uint32,
  max_players_per_client_proxy: Uint32,
  max_players_per_client_tor: Uint32,
  max_players_per_client_hosting: Uint32,
})

/** A whole namespace. Clients insist on all fields of its config. */
export const Namespace = NamespaceSummary.extend({
  config: z.object({ cdn: CdnConfig, matchmaker: MatchmakerConfig, kv: z.object({}), identity: z.object({}) }),
}).meta({ id: 'Namespace', description: 'A namespace with its configuration.' })
export type Namespace = z.output<typeof Namespace>
