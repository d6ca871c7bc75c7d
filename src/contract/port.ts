import * as z from 'zod'

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
