import type { Port } from '../contract/namespace-tokens.js'
import type { OperationInput } from '../contract/operations.js'
import type { LobbyPort } from '../store/rows.js'
import type { Behaviour } from './behaviour.js'
import { namespaceOf } from './namespace-of.js'
import { refuseInvalid } from './refuse-invalid.js'
import { portProblems } from './validate-development-token.js'

/** Mints a development token, which carries the host name and the ports of its own game server (PROTOCOL.md B2, C). */
export const createDevelopmentToken: Behaviour<'games.namespaces.createGameNamespaceTokenDevelopment'> = async ({
  input,
  tables,
}) => {
  const { namespace_id } = namespaceOf(input, tables)
  const ports = portsOf(input)
  refuseInvalid('the development token', portProblems(ports))
  const development = { hostname: input.hostname, lobby_ports: ports.map(lobbyPort) }
  const { token } = await tables.tokens.create({ kind: 'development', namespace_id, development })
  return { token }
}

/** Mints a public token (PROTOCOL.md C). */
export const createPublicToken: Behaviour<'games.namespaces.createGameNamespaceTokenPublic'> = async ({
  input,
  tables,
}) => {
  const { namespace_id } = namespaceOf(input, tables)
  const { token } = await tables.tokens.create({ kind: 'public', namespace_id })
  return { token }
}

type Sent = Pick<OperationInput<'games.namespaces.createGameNamespaceTokenDevelopment'>, 'ports' | 'lobby_ports'>

/** The ports in whichever of the two ways they were sent. */
function portsOf({ ports, lobby_ports }: Sent): readonly Port[] {
  if (lobby_ports) return lobby_ports
  return Object.entries(ports ?? {}).map(([label, { port, port_range, protocol }]) => ({
    label,
    target_port: port,
    port_range,
    proxy_protocol: protocol,
  }))
}

/** A port as the token keeps it: without unknown fields and undefined ones. */
function lobbyPort({ label, target_port, port_range, proxy_protocol }: Port): LobbyPort {
  return {
    label,
    ...(target_port === undefined ? {} : { target_port }),
    ...(port_range === undefined ? {} : { port_range }),
    proxy_protocol,
  }
}
