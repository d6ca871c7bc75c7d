import * as z from 'zod'

/** How a lobby's port is reached. */
export const ProxyProtocol = z.enum(['http', 'https', 'tcp', 'tcp_tls', 'udp'])

/** A port of a lobby: one `target_port`, or a `port_range`, inclusive. Which of them fit together, the validation says (PROTOCOL.md B5). */
export const Port = z
  .object({
    label: z.string(),
    target_port: z.int32().nullish(),
    port_range: z.object({ min: z.int32(), max: z.int32() }).nullish(),
    proxy_protocol: ProxyProtocol,
  })
  .meta({ id: 'Port' })
export type Port = z.output<typeof Port>
