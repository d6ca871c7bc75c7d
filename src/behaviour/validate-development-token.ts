import { isIdentifier } from '../contract/identifier.js'
import type { Port } from '../contract/port.js'
import type { ValidationError } from '../contract/validation.js'
import type { Behaviour } from './behaviour.js'

const portsMax = 16

/** Says what is wrong with the ports of a development token to be (PROTOCOL.md B5). */
export const validateDevelopmentToken: Behaviour<'games.namespaces.validateGameNamespaceTokenDevelopment'> = ({
  input,
}) => ({ errors: portProblems(input.lobby_ports) })

/** What is wrong with the ports of a development token to be; the problems add up, port by port (PROTOCOL.md B5). */
export function portProblems(ports: readonly Port[]): ValidationError[] {
  const tooMany = ports.length > portsMax ? [{ path: ['ports-too-many'] }] : []
  const labels = new Set<string>()
  const targets = new Set<string>()
  const ranges: Range[] = []
  const perPort = ports.flatMap((port, i) =>
    [...labelProblems(port, labels), ...targetProblems(port, targets), ...rangeProblems(port, ranges)].map(problem => ({
      path: ['ports', String(i), problem],
    })),
  )
  return [...tooMany, ...perPort]
}

type Range = NonNullable<Port['port_range']>

function labelProblems({ label }: Port, seen: Set<string>): string[] {
  if (!isIdentifier(label)) return ['label-invalid']
  if (seen.has(label)) return ['label-not-unique']
  seen.add(label)
  return []
}

function targetProblems({ target_port, proxy_protocol }: Port, seen: Set<string>): string[] {
  if (target_port == null) return []
  const target = `${target_port}/${proxy_protocol}`
  if (seen.has(target)) return ['port-protocol-not-unique']
  seen.add(target)
  return []
}

/** Ranges are compared whatever their protocol, one that runs backwards too, as the real service does. */
function rangeProblems({ target_port, port_range: range, proxy_protocol }: Port, earlier: Range[]): string[] {
  if (target_port != null) return range ? ['duplicate-port-and-port-range'] : []
  if (!range) return ['missing-port-and-port-range']
  if (proxy_protocol !== 'tcp' && proxy_protocol !== 'udp') return ['unsupported-port-range']
  const overlaps = earlier.some(({ min, max }) => range.max >= min && range.min <= max)
  earlier.push(range)
  return [...(range.min > range.max ? ['range-min-gt-max'] : []), ...(overlaps ? ['ranges-overlap'] : [])]
}
