import * as z from 'zod'
import { displayNameMaxBytes, identifierShape, Timestamp, Uint32, Uuid } from './formats.js'
import { InGame, NamespaceSummary } from './games.js'
import type { OperationSpec } from './operation.js'

/** The parameters of a path that names a namespace of a game. */
export const InNamespace = InGame.extend({
  namespace_id: z.string().meta({ description: 'The id of a namespace of the game.' }),
})

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

/** One problem of a validated request; `path` is its origin, as in `["ports", "0", "label-invalid"]`. */
export const ValidationError = z.object({ path: z.array(z.string()) }).meta({
  id: 'ValidationError',
  description: 'One problem of a validated request; `path` is its origin, as in `["ports", "0", "label-invalid"]`.',
})
export type ValidationError = z.output<typeof ValidationError>

/** What the validations answer: an empty list where there is nothing to mend. */
export const Validation = z.object({ errors: z.array(ValidationError) }).meta({
  id: 'Validation',
  description: 'What is wrong with the request; an empty list where there is nothing to mend.',
})
export type Validation = z.output<typeof Validation>

const names = z.object({ display_name: z.string(), name_id: z.string() })
const matchmakerConfig = z.object({ lobby_count_max: Uint32, max_players: Uint32 })

/** What the cloud does with the namespaces of games. */
export const namespaceOperations = {
  'games.namespaces.validateGameNamespace': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/validate',
    summary: 'Says what is wrong with the names of a namespace to be. Creates nothing.',
    auth: 'bearer',
    kind: 'read',
    params: InGame,
    body: names,
    output: Validation,
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
    source: 'interface',
    fidelity: ['An unknown game is no error: its names are taken as free.'],
  },
  'games.namespaces.createGameNamespace': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces',
    summary:
      "Makes a namespace with the game modes of the game's first one. The new namespace needs a token. It has none yet: create one.",
    auth: 'cloud',
    kind: 'write',
    params: InGame,
    // The behaviour checks the names: what is wrong with them is `VALIDATION_ERROR`.
    body: z.object({
      display_name: z.string().meta({ minLength: 1, maxLength: displayNameMaxBytes }),
      name_id: z.string().meta(identifierShape),
      version_id: Uuid,
    }),
    output: z.object({ namespace_id: z.string() }),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_BODY', 'VALIDATION_ERROR'],
    source: 'client',
    fidelity: [
      'Any UUID is a version, and all versions of a game are alike: the game modes are those that the first namespace of the game has now, none where it is the first.',
      'What is wrong with the names is in `metadata.errors`, as the validation has it.',
    ],
  },
  'games.namespaces.getGameNamespaceById': {
    method: 'GET',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}',
    summary: 'Shows a namespace: its names, its version, its domains and its limits.',
    auth: 'cloud',
    kind: 'read',
    params: InNamespace,
    output: z.object({ namespace: Namespace }),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'NAMESPACE_NOT_FOUND'],
    source: 'client',
    fidelity: [
      'Players behind a VPN, a proxy, Tor or a hosting provider are not told apart: each `max_players_per_client` is the same number.',
      'Domains are verified at once, and as old as their namespace; nobody needs a password.',
      'The mock has no `kv` and no `identity`: their configurations are empty.',
    ],
  },
  'games.namespaces.updateGameNamespaceVersion': {
    method: 'PUT',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/version',
    summary: 'Sets the version that a namespace runs.',
    auth: 'cloud',
    kind: 'write',
    params: InNamespace,
    body: z.object({ version_id: Uuid }),
    output: z.object({}),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_BODY', 'NAMESPACE_NOT_FOUND'],
    source: 'client',
    fidelity: ['Any UUID is a version. The game modes and the lobbies of the namespace stay as they are.'],
  },
  'games.namespaces.updateGameNamespaceMatchmakerConfig': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/mm-config',
    summary: 'Sets how many lobbies a namespace may have, and how many players may come from one client address.',
    auth: 'bearer',
    kind: 'write',
    params: InNamespace,
    body: matchmakerConfig,
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY', 'NAMESPACE_NOT_FOUND'],
    source: 'interface',
    fidelity: [
      'An unknown namespace, or one of another game, is 404 `NAMESPACE_NOT_FOUND`: the real service answers 500 without a reason.',
    ],
  },
  'games.namespaces.validateGameNamespaceMatchmakerConfig': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/mm-config/validate',
    summary: 'Says what is wrong with two such numbers: nothing where they are unsigned 32-bit integers. Sets nothing.',
    auth: 'bearer',
    kind: 'read',
    params: InNamespace,
    body: matchmakerConfig,
    output: Validation,
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
    source: 'client',
    fidelity: ['An unknown namespace is no error.'],
  },
} as const satisfies { readonly [id: string]: OperationSpec }

/** From where a namespace may be called without a token. */
export const namespaceDomainOperations = {
  'games.namespaces.toggleNamespaceDomainPublicAuth': {
    method: 'PUT',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/domain-public-auth',
    summary: 'Says whether the pages of a namespace may call without a token.',
    auth: 'cloud',
    kind: 'write',
    params: InNamespace,
    body: z.object({ enabled: z.boolean() }),
    output: z.object({}),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_BODY', 'NAMESPACE_NOT_FOUND'],
    source: 'client',
    fidelity: ['Of the default namespace it holds for callers without a known Origin, too: see `lobbies.list`.'],
  },
  'games.namespaces.addNamespaceDomain': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/domains',
    summary: 'Gives a namespace a domain, whose pages then belong to it.',
    auth: 'cloud',
    kind: 'write',
    params: InNamespace,
    body: z.object({
      domain: z
        .string()
        .meta({ description: 'A host name: no scheme, no port, no path.', minLength: 1, maxLength: 253 }),
    }),
    output: z.object({}),
    errors: [
      'API_UNAUTHORIZED',
      'CLAIMS_MISSING_ENTITLEMENT',
      'API_BAD_BODY',
      'NAMESPACE_NOT_FOUND',
      'VALIDATION_ERROR',
    ],
    source: 'client',
    fidelity: [
      'The mock looks at no DNS. A text that is no host name, and a domain that another namespace has, are `VALIDATION_ERROR` with `metadata.errors`: `["domain", "invalid"]` and `["domain", "not-unique"]`.',
      'A domain that the namespace has already is no error.',
    ],
  },
  'games.namespaces.removeNamespaceDomain': {
    method: 'DELETE',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/domains/{domain}',
    summary: 'Removes a domain from a namespace.',
    auth: 'cloud',
    kind: 'write',
    params: InNamespace.extend({ domain: z.string().meta({ description: 'A domain of the namespace.' }) }),
    output: z.object({}),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'NAMESPACE_NOT_FOUND'],
    source: 'client',
    fidelity: ['A domain that the namespace does not have is no error: it is gone all the same.'],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
