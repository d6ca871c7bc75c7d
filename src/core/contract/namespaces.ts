import * as z from 'zod'
import type * as types from '../generated/operations.js'
import { lazy } from '../lib/lazy.js'
import { component } from '../lib/schemas.js'
import { Int32, identifierShape, PortRange, record, Timestamp, Uint32, Uuid } from './formats.js'
import { InGame, NamespaceSummary } from './games.js'
import { limits } from './limits.js'
import { operation } from './operation.js'

const InNamespace = lazy(() =>
  InGame().extend({
    namespace_id: z.string().meta({ description: 'The id of the namespace.' }),
  }),
)

const CdnDomain = lazy(() =>
  z.object({
    domain: z.string(),
    create_ts: Timestamp,
    verification_status: z.enum(['active', 'pending', 'failed']),
    verification_method: z.object({ http: z.object({ cname_record: z.string() }) }),
    verification_errors: z.array(z.string()),
  }),
)

const CdnConfig = lazy(() =>
  z.object({
    enable_domain_public_auth: z
      .boolean()
      .meta({ description: '`true` if matchmaker calls from the domains need no token.' }),
    domains: z.array(CdnDomain()),
    auth_type: z.enum(['none', 'basic']),
    auth_user_list: z.array(z.object({ user: z.string() })),
  }),
)

const MatchmakerConfig = lazy(() =>
  z.object({
    lobby_count_max: Uint32,
    max_players_per_client: Uint32,
    max_players_per_client_vpn: Uint32,
    max_players_per_client_proxy: Uint32,
    max_players_per_client_tor: Uint32,
    max_players_per_client_hosting: Uint32,
  }),
)

/** A namespace with its configuration. Clients require all fields. */
export const Namespace = lazy(() =>
  NamespaceSummary()
    .extend({
      config: z.object({ cdn: CdnConfig(), matchmaker: MatchmakerConfig(), kv: z.object({}), identity: z.object({}) }),
    })
    .meta({ id: 'Namespace', description: 'A namespace with its configuration.' }),
)
export type Namespace = types.Namespace

export const ValidationError = component(
  'ValidationError',
  'A problem of a validated request. `path` says where it is and what is wrong: `["ports", "0", "label-invalid"]`.',
  () => ({
    path: z.array(z.string()),
  }),
)
export type ValidationError = types.ValidationError

export const Validation = component(
  'Validation',
  'The problems of a validated request. The list is empty if the request is valid.',
  () => ({
    errors: z.array(ValidationError()),
  }),
)
export type Validation = types.Validation

const names = lazy(() => z.object({ display_name: z.string(), name_id: z.string() }))
const matchmakerConfig = lazy(() => z.object({ lobby_count_max: Uint32, max_players: Uint32 }))

/** The protocol of a port. */
export const ProxyProtocol = lazy(() => z.enum(['http', 'https', 'tcp', 'tcp_tls', 'udp']))

export const Port = component(
  'Port',
  'A port of a lobby: one `target_port`, or an inclusive `port_range`. The validation checks the combination.',
  () => ({
    label: z.string(),
    target_port: Int32.optional(),
    port_range: PortRange.optional(),
    proxy_protocol: ProxyProtocol(),
  }),
)
export type Port = types.Port

export const DevelopmentPort = component(
  'DevelopmentPort',
  'A port of your own game server: one `port`, or an inclusive `port_range`.',
  () => ({
    port: Int32.optional(),
    port_range: PortRange.optional(),
    protocol: ProxyProtocol(),
  }),
)
export type DevelopmentPort = types.DevelopmentPort

const newToken = lazy(() => z.object({ token: z.string() }))

/** JSON Schema of an object that has one field and not the other. Null means absent (PROTOCOL.md B9). */
function onlyOf(field: string, other: string) {
  return { required: [field], properties: { [field]: { not: { type: 'null' } }, [other]: { type: 'null' } } }
}

const cloudErrors = ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT'] as const

export const namespaceOperations = {
  'games.namespaces.validateGameNamespace': operation(
    'POST /cloud/games/{game_id}/namespaces/validate',
    {
      summary: 'Validates the names of a new namespace. Creates nothing.',
      auth: 'bearer',
      kind: 'read',
      errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
      source: 'interface',
      fidelity: ['For an unknown game, every name is free.'],
    },
    () => ({ params: InGame(), body: names(), output: Validation() }),
  ),
  'games.namespaces.createGameNamespace': operation(
    'POST /cloud/games/{game_id}/namespaces',
    {
      summary: "Creates a namespace with the game modes of the game's first one, and without a token: create one.",
      auth: 'cloud',
      kind: 'write',
      errors: [...cloudErrors, 'API_BAD_BODY', 'VALIDATION_ERROR'],
      source: 'client',
      fidelity: ["Any UUID is a version. The game modes are those of the game's first namespace."],
    },
    () => ({
      params: InGame(),
      body: z.object({
        display_name: z.string().meta({ minLength: 1, maxLength: limits.displayNameBytes.most }),
        name_id: z.string().meta(identifierShape),
        version_id: Uuid,
      }),
      output: z.object({ namespace_id: z.string() }),
    }),
  ),
  'games.namespaces.getGameNamespaceById': operation(
    'GET /cloud/games/{game_id}/namespaces/{namespace_id}',
    {
      summary: 'Returns a namespace with its names, version, domains and limits.',
      auth: 'cloud',
      kind: 'read',
      errors: [...cloudErrors, 'NAMESPACE_NOT_FOUND'],
      source: 'client',
      fidelity: [
        'Each `max_players_per_client` is the same number: no VPN, proxy or Tor is detected.',
        'Domains are verified at once, as old as their namespace, and without a password.',
        'The configurations of `kv` and `identity` are empty.',
      ],
    },
    () => ({ params: InNamespace(), output: z.object({ namespace: Namespace() }) }),
  ),
  'games.namespaces.updateGameNamespaceVersion': operation(
    'PUT /cloud/games/{game_id}/namespaces/{namespace_id}/version',
    {
      summary: 'Sets the version that a namespace runs.',
      auth: 'cloud',
      kind: 'write',
      errors: [...cloudErrors, 'API_BAD_BODY', 'NAMESPACE_NOT_FOUND'],
      source: 'client',
      fidelity: ['Any UUID is a version. Game modes and lobbies stay.'],
    },
    () => ({ params: InNamespace(), body: z.object({ version_id: Uuid }), output: z.object({}) }),
  ),
  'games.namespaces.updateGameNamespaceMatchmakerConfig': operation(
    'POST /cloud/games/{game_id}/namespaces/{namespace_id}/mm-config',
    {
      summary: 'Sets the limits of a namespace: lobbies, and players from one address.',
      auth: 'bearer',
      kind: 'write',
      errors: ['API_UNAUTHORIZED', 'API_BAD_BODY', 'NAMESPACE_NOT_FOUND'],
      source: 'interface',
      fidelity: [
        'An unknown or foreign namespace is 404 `NAMESPACE_NOT_FOUND`, in the real service 500.',
        'All unsigned 32-bit integers are valid. The real service answers `VALIDATION_ERROR` to some, and `CLOUD_INVALID_CONFIG` to negative numbers.',
      ],
    },
    () => ({ params: InNamespace(), body: matchmakerConfig() }),
  ),
  'games.namespaces.validateGameNamespaceMatchmakerConfig': operation(
    'POST /cloud/games/{game_id}/namespaces/{namespace_id}/mm-config/validate',
    {
      summary: 'Validates the limits of a namespace. Sets nothing.',
      auth: 'bearer',
      kind: 'read',
      errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
      source: 'client',
      fidelity: [
        'An unknown namespace is not an error.',
        'The real service lists `["lobby-count", "too-low"]`, `["lobby-count", "too-high"]` and `["max-players", "too-low"]`.',
      ],
    },
    () => ({ params: InNamespace(), body: matchmakerConfig(), output: Validation() }),
  ),
  'games.namespaces.validateGameNamespaceTokenDevelopment': operation(
    'POST /cloud/games/{game_id}/namespaces/{namespace_id}/tokens/development/validate',
    {
      summary: 'Validates the ports of a new development token. Creates nothing.',
      auth: 'bearer',
      kind: 'read',
      errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
      source: 'interface',
      fidelity: ['The mock does not check the hostname.'],
    },
    () => ({
      params: InNamespace(),
      body: z.object({ hostname: z.string(), lobby_ports: z.array(Port()) }),
      output: Validation(),
    }),
  ),
  'games.namespaces.createGameNamespaceTokenDevelopment': operation(
    'POST /cloud/games/{game_id}/namespaces/{namespace_id}/tokens/development',
    {
      summary: 'Creates a development token, for a game server at a host name and ports.',
      auth: 'cloud',
      kind: 'write',
      errors: [...cloudErrors, 'API_BAD_BODY', 'NAMESPACE_NOT_FOUND', 'VALIDATION_ERROR'],
      source: 'client',
      fidelity: [
        '`ports` are numbered in their order.',
        'A body with both `ports` and `lobby_ports`, or with neither, is `API_BAD_BODY`, in the real service `CLOUD_INVALID_CONFIG` and 500.',
      ],
    },
    () => ({
      params: InNamespace(),
      body: z
        .object({
          hostname: z.string(),
          ports: record(DevelopmentPort()).optional().meta({
            description: 'The ports by label.',
            maxProperties: limits.ports.most,
            propertyNames: identifierShape,
          }),
          lobby_ports: z
            .array(Port())
            .optional()
            .meta({ description: 'Older clients send this instead of `ports`.', maxItems: limits.ports.most }),
        })
        .refine(({ ports, lobby_ports }) => (ports === undefined) !== (lobby_ports === undefined), {
          error: 'expected ports or lobby_ports, not both',
        })
        .meta({ oneOf: [onlyOf('ports', 'lobby_ports'), onlyOf('lobby_ports', 'ports')] }),
      output: newToken(),
    }),
  ),
  'games.namespaces.createGameNamespaceTokenPublic': operation(
    'POST /cloud/games/{game_id}/namespaces/{namespace_id}/tokens/public',
    {
      summary: 'Creates a public token of a namespace, for the clients of the game.',
      auth: 'cloud',
      kind: 'write',
      errors: [...cloudErrors, 'NAMESPACE_NOT_FOUND'],
      source: 'client',
      fidelity: [],
    },
    () => ({ params: InNamespace(), output: newToken() }),
  ),
  'games.namespaces.toggleNamespaceDomainPublicAuth': operation(
    'PUT /cloud/games/{game_id}/namespaces/{namespace_id}/domain-public-auth',
    {
      summary: 'Allows or forbids calls without a token from the domains of a namespace.',
      auth: 'cloud',
      kind: 'write',
      errors: [...cloudErrors, 'API_BAD_BODY', 'NAMESPACE_NOT_FOUND'],
      source: 'client',
      fidelity: ['For the default namespace it also applies to callers without a known Origin.'],
    },
    () => ({ params: InNamespace(), body: z.object({ enabled: z.boolean() }), output: z.object({}) }),
  ),
  'games.namespaces.addNamespaceDomain': operation(
    'POST /cloud/games/{game_id}/namespaces/{namespace_id}/domains',
    {
      summary: 'Adds a domain to a namespace. Calls from its pages then belong to the namespace.',
      auth: 'cloud',
      kind: 'write',
      errors: [
        ...cloudErrors,
        'API_BAD_BODY',
        'NAMESPACE_NOT_FOUND',
        'CDN_INVALID_DOMAIN',
        'CDN_TOO_MANY_DOMAINS',
        'CLOUD_HOSTNAME_TAKEN',
      ],
      source: 'client',
      fidelity: [
        'It takes host names as browsers send them, without DNS. The real service takes all texts of `0-9 a-z - .`.',
        'Adding a domain again is not an error.',
      ],
    },
    () => ({
      params: InNamespace(),
      body: z.object({
        domain: z.string().meta({
          description: 'A host name: no scheme, no port, no path.',
          minLength: 1,
          maxLength: limits.domainBytes.most,
        }),
      }),
      output: z.object({}),
    }),
  ),
  'games.namespaces.removeNamespaceDomain': operation(
    'DELETE /cloud/games/{game_id}/namespaces/{namespace_id}/domains/{domain}',
    {
      summary: 'Removes a domain from a namespace.',
      auth: 'cloud',
      kind: 'write',
      errors: [...cloudErrors, 'NAMESPACE_NOT_FOUND'],
      source: 'client',
      fidelity: ['Removing an unknown domain is not an error.'],
    },
    () => ({
      params: InNamespace().extend({ domain: z.string().meta({ description: 'A domain of the namespace.' }) }),
      output: z.object({}),
    }),
  ),
}
