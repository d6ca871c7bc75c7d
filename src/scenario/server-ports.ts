import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { LobbyPort, type ServerPorts } from '../store/rows.js'

const port_range = exact(LobbyPort.shape.port_range.unwrap().shape).optional()
const LobbyPortEntry = exact({ ...LobbyPort.shape, port_range })

/** Where game servers run, and the ports that they open. */
export const ServerPortsEntry = exact({
  hostname: z.string().optional().describe('Default: 127.0.0.1.'),
  lobby_ports: z.array(LobbyPortEntry).optional(),
})

export type ServerPortsEntry = z.output<typeof ServerPortsEntry>

/** The same with its defaults. */
export function serverPortsOf({ hostname = '127.0.0.1', lobby_ports = [] }: ServerPortsEntry): ServerPorts {
  return { hostname, lobby_ports }
}
