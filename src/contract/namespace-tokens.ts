import * as z from 'zod'
import { record } from '../lib/json.js'
import { Int32, identifierShape, PortRange } from './formats.js'
import { InNamespace, Validation } from './namespaces.js'
import type { OperationSpec } from './operation.js'

/** The protocol of a port. */
export const ProxyProtocol = z.enum(['http', 'https', 'tcp', 'tcp_tls', 'udp'])

/** The most ports of a development token (PROTOCOL.md B5). */
export const portsMax = 16

/** A port of a lobby. */
export const Port = z
  .object({
    label: z.string(),
    target_port: Int32.optional(),
    port_range: PortRange.optional(),
    proxy_protocol: ProxyProtocol,
  })
  .meta({
    id: 'Port',
    description:
      'A port of a lobby: one `target_port`, or an inclusive `port_range`. The validation checks the combination.',
  })
export type Port = z.output<typeof Port>

/** A port of your own game server. */
export const DevelopmentPort = z
  .object({ port: Int32.optional(), port_range: PortRange.optional(), protocol: ProxyProtocol })
  .meta({
    id: 'DevelopmentPort',
    description: 'A port of your own game server: one `port`, or an inclusive `port_range`.',
  })
export type DevelopmentPort = z.output<typeof DevelopmentPort>

const newToken = z.object({ token: z.string() })

/** JSON Schema of an object that has one field and not the other. Null means absent (PROTOCOL.md B9). */
function onlyOf(field: string, other: string) {
  return { required: [field], properties: { [field]: { not: { type: 'null' } }, [other]: { type: 'null' } } }
}

export const namespaceTokenOperations = {
  'games.namespaces.validateGameNamespaceTokenDevelopment': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/tokens/development/validate',
    summary: 'Validates the ports of a new development token. Creates nothing.',
    auth: 'bearer',
    kind: 'read',
    params: InNamespace,
    body: z.object({ hostname: z.string(), lobby_ports: z.array(Port) }),
    output: Validation,
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
    source: 'interface',
    fidelity: ['The mock does not check the hostname.'],
  },
  'games.namespaces.createGameNamespaceTokenDevelopment': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/tokens/development',
    summary: 'Creates a development token, for a game server of your own at a host name and ports.',
    auth: 'cloud',
    kind: 'write',
    params: InNamespace,
    body: z
      .object({
        hostname: z.string(),
        ports: record(DevelopmentPort)
          .optional()
          .meta({ description: 'The ports by label.', maxProperties: portsMax, propertyNames: identifierShape }),
        lobby_ports: z
          .array(Port)
          .optional()
          .meta({ description: 'Older clients send this instead of `ports`.', maxItems: portsMax }),
      })
      .refine(({ ports, lobby_ports }) => (ports === undefined) !== (lobby_ports === undefined), {
        error: 'expected one of ports and lobby_ports, and not both',
      })
      .meta({ oneOf: [onlyOf('ports', 'lobby_ports'), onlyOf('lobby_ports', 'ports')] }),
    output: newToken,
    errors: [
      'API_UNAUTHORIZED',
      'CLAIMS_MISSING_ENTITLEMENT',
      'API_BAD_BODY',
      'NAMESPACE_NOT_FOUND',
      'VALIDATION_ERROR',
    ],
    source: 'client',
    fidelity: [
      '`metadata.errors` lists the problems of the ports, like the validation. `ports` are numbered in their order.',
      'A body with both `ports` and `lobby_ports`, or with neither, is `API_BAD_BODY`.',
    ],
  },
  'games.namespaces.createGameNamespaceTokenPublic': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/tokens/public',
    summary: 'Creates a public token of a namespace, for the clients of the game.',
    auth: 'cloud',
    kind: 'write',
    params: InNamespace,
    output: newToken,
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'NAMESPACE_NOT_FOUND'],
    source: 'client',
    fidelity: [],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
