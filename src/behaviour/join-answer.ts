import type { Join, JoinPort } from '../contract/lobbies.js'
import type { ServerPorts } from '../store/rows.js'

/** Where a player has a seat. */
interface Seat {
  readonly lobby_id: string
  readonly region: Join['lobby']['region']
  /** Absent where nobody says where game servers run. */
  readonly ports: ServerPorts | undefined
  readonly token: string
}

/** What find, join and create answer. */
export function joinAnswer({ lobby_id, region, ports: server, token }: Seat): Join {
  const ports = server ? joinPorts(server) : {}
  const player = { token }
  return { lobby: { lobby_id, region, ports, player }, ports, player }
}

/** Each port by its label (PROTOCOL.md B2). */
function joinPorts({ hostname, lobby_ports }: ServerPorts): Record<string, JoinPort> {
  return Object.fromEntries(
    lobby_ports.map(({ label, target_port: port, port_range, proxy_protocol }) => [
      label,
      {
        hostname,
        ...(port === undefined ? {} : { host: `${hostname}:${port}`, port }),
        ...(port_range === undefined ? {} : { port_range }),
        is_tls: proxy_protocol === 'https' || proxy_protocol === 'tcp_tls',
      },
    ]),
  )
}
