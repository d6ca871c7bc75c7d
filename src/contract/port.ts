import * as z from 'zod'

const Int32 = z.int32().meta({ format: 'int32' })

/** How a lobby's port is reached. */
export const ProxyProtocol = z.enum(['http', 'https', 'tcp', 'tcp_tls', 'udp'])

/** A port of a lobby: one `target_port`, or a `port_range`, inclusive. Which of them fit together, the validation says (PROTOCOL.md B5). */
export const Port = z
  .object({
    label: z.string(),
    target_port: Int32.nullish(),
    port_range: z.object({ min: Int32, max: Int32 }).nullish(),
    proxy_protocol: ProxyProtocol,
  })
  .meta({
    id: 'Port',
    description:
      'A port of a lobby: one `target_port`, or a `port_range`, inclusive. Which of them fit together, the validation says.',
  })
export type Port = z.output<typeof Port>
