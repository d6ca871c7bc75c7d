import * as z from 'zod'
import { record } from '../lib/json.js'
import { identifierShape } from './formats.js'
import { InNamespace, Validation } from './namespaces.js'
import type { OperationSpec } from './operation.js'

const Int32 = z.int32().meta({ format: 'int32' })

/** How a lobby's port is reached. */
export const ProxyProtocol = z.enum(['http', 'https', 'tcp', 'tcp_tls', 'udp'])

const PortRange = z.object({ min: Int32, max: Int32 })

/** The most ports of a development token (PROTOCOL.md B5). */
export const portsMax = 16

/** A port of a lobby: one `target_port`, or a `port_range`, inclusive. Which of them fit together, the validation says (PROTOCOL.md B5). */
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
      'A port of a lobby: one `target_port`, or a `port_range`, inclusive. Which of them fit together, the validation says.',
  })
export type Port = z.output<typeof Port>

/** A port of the game server of a development token, whose label stands beside it. */
export const DevelopmentPort = z
  .object({ port: Int32.optional(), port_range: PortRange.optional(), protocol: ProxyProtocol })
  .meta({
    id: 'DevelopmentPort',
    description: 'A port of a game server of your own: one `port`, or a `port_range`, inclusive.',
  })
export type DevelopmentPort = z.output<typeof DevelopmentPort>

const minted = z.object({ token: z.string() })

/** The JSON schema of an object that has one field, and not the other: null means absent (PROTOCOL.md B9). */
function onlyOf(field: string, other: string) {
  return { required: [field], properties: { [field]: { not: { type: 'null' } }, [other]: { type: 'null' } } }
}

/** How a namespace gets tokens. */
export const namespaceTokenOperations = {
  'games.namespaces.validateGameNamespaceTokenDevelopment': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/tokens/development/validate',
    summary: 'Says what is wrong with the ports of a development token to be. Creates nothing.',
    auth: 'bearer',
    kind: 'read',
    params: InNamespace,
    body: z.object({ hostname: z.string(), lobby_ports: z.array(Port) }),
    output: Validation,
    errors: ['API_UNAUTHORIZED', 'API_BAD_BODY'],
    source: 'interface',
    fidelity: ['The hostname is not checked.'],
  },
  'games.namespaces.createGameNamespaceTokenDevelopment': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/tokens/development',
    summary: 'Mints a development token, which leads to a game server of your own: its host name and its ports.',
    auth: 'cloud',
    kind: 'write',
    params: InNamespace,
    body: z
      .object({
        hostname: z.string(),
        ports: record(DevelopmentPort)
          .optional()
          .meta({ description: 'By their labels.', maxProperties: portsMax, propertyNames: identifierShape }),
        lobby_ports: z
          .array(Port)
          .optional()
          .meta({ description: 'In the place of `ports`, as older clients send them.', maxItems: portsMax }),
      })
      .refine(({ ports, lobby_ports }) => (ports === undefined) !== (lobby_ports === undefined), {
        error: 'expected one of ports and lobby_ports, and not both',
      })
      .meta({ oneOf: [onlyOf('ports', 'lobby_ports'), onlyOf('lobby_ports', 'ports')] }),
    output: minted,
    errors: [
      'API_UNAUTHORIZED',
      'CLAIMS_MISSING_ENTITLEMENT',
      'API_BAD_BODY',
      'NAMESPACE_NOT_FOUND',
      'VALIDATION_ERROR',
    ],
    source: 'client',
    fidelity: [
      'What is wrong with the ports is in `metadata.errors`, as the validation has it; those that come by label count in their order.',
      'One of `ports` and `lobby_ports` is sent: neither, or both, is `API_BAD_BODY`.',
    ],
  },
  'games.namespaces.createGameNamespaceTokenPublic': {
    method: 'POST',
    path: '/cloud/games/{game_id}/namespaces/{namespace_id}/tokens/public',
    summary: 'Mints a public token of a namespace, for the clients of the game.',
    auth: 'cloud',
    kind: 'write',
    params: InNamespace,
    output: minted,
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'NAMESPACE_NOT_FOUND'],
    source: 'client',
    fidelity: [],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
