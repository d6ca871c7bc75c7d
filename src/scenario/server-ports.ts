import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { LobbyPort, type ServerPorts } from '../store/rows.js'

const { label, target_port, port_range, proxy_protocol } = LobbyPort.shape
const { min, max } = port_range.unwrap().shape

const LobbyPortEntry = exact({
  label: label.meta({ description: 'What clients call the port.', examples: ['default'] }),
  target_port: target_port.meta({
    description: 'The one port. Leave it out where port_range is given.',
    examples: [7777],
  }),
  port_range: exact({
    min: min.meta({ description: 'The first port.', examples: [26_000] }),
    max: max.meta({ description: 'The last port.', examples: [26_010] }),
  })
    .optional()
    .describe('Ports from min to max. Leave it out where target_port is given.'),
  proxy_protocol: proxy_protocol.describe('How clients reach the port.'),
}).describe('A port of a game server.')

/** Where game servers run, and the ports that they open. */
export const ServerPortsEntry = exact({
  hostname: z
    .string()
    .optional()
    .meta({
      description: 'Where the game servers run. Default: 127.0.0.1.',
      default: '127.0.0.1',
      examples: ['10.0.0.7'],
    }),
  lobby_ports: z
    .array(LobbyPortEntry)
    .optional()
    .meta({ description: 'The ports that they open. Default: none.', default: [] }),
})

export type ServerPortsEntry = z.output<typeof ServerPortsEntry>

/** The same with its defaults. */
export function serverPortsOf({ hostname = '127.0.0.1', lobby_ports = [] }: ServerPortsEntry): ServerPorts {
  return { hostname, lobby_ports }
}
