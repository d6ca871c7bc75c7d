import { isIdentifier } from '../contract/formats.js'
import { type Port, portsMax } from '../contract/namespace-tokens.js'
import type { ValidationError } from '../contract/namespaces.js'
import type { OperationInput } from '../contract/operations.js'
import { createRow } from '../store/models.js'
import type { LobbyPort } from '../store/rows.js'
import { findNamespace } from './namespaces.js'
import { type Resolver, refuseInvalid } from './resolver.js'

/** Creates a development token, which carries the host name and the ports of its own game server (PROTOCOL.md B2, C). */
export const createDevelopmentToken: Resolver<'games.namespaces.createGameNamespaceTokenDevelopment'> = call => {
  const { input, tables } = call
  const { namespace_id } = findNamespace(input, tables)
  const ports = sentPorts(input)
  refuseInvalid('the development token', portErrors(ports))
  const development = { hostname: input.hostname, lobby_ports: ports.map(lobbyPort) }
  const { token } = createRow('tokens', { kind: 'development', namespace_id, development }, call)
  return { token }
}

/** Creates a public token (PROTOCOL.md C). */
export const createPublicToken: Resolver<'games.namespaces.createGameNamespaceTokenPublic'> = call => {
  const { namespace_id } = findNamespace(call.input, call.tables)
  const { token } = createRow('tokens', { kind: 'public', namespace_id }, call)
  return { token }
}

type SentPorts = Pick<OperationInput<'games.namespaces.createGameNamespaceTokenDevelopment'>, 'ports' | 'lobby_ports'>

/** The ports, which may be sent in two ways. */
function sentPorts({ ports, lobby_ports }: SentPorts): readonly Port[] {
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

/** Validates the ports of a new development token (PROTOCOL.md B5). */
export const validateDevelopmentToken: Resolver<'games.namespaces.validateGameNamespaceTokenDevelopment'> = ({
  input,
}) => ({ errors: portErrors(input.lobby_ports) })

/** Lists the validation errors of ports: those of each port add up (PROTOCOL.md B5). */
function portErrors(ports: readonly Port[]): ValidationError[] {
  const tooMany = ports.length > portsMax ? [{ path: ['ports-too-many'] }] : []
  const labels = new Set<string>()
  const targets = new Set<string>()
  const ranges: Range[] = []
  const perPort = ports.flatMap((port, i) =>
    [...labelErrors(port, labels), ...targetErrors(port, targets), ...rangeErrors(port, ranges)].map(error => ({
      path: ['ports', String(i), error],
    })),
  )
  return [...tooMany, ...perPort]
}

type Range = NonNullable<Port['port_range']>

function labelErrors({ label }: Port, seen: Set<string>): string[] {
  if (!isIdentifier(label)) return ['label-invalid']
  if (seen.has(label)) return ['label-not-unique']
  seen.add(label)
  return []
}

function targetErrors({ target_port, proxy_protocol }: Port, seen: Set<string>): string[] {
  if (target_port === undefined) return []
  const target = `${target_port}/${proxy_protocol}`
  if (seen.has(target)) return ['port-protocol-not-unique']
  seen.add(target)
  return []
}

/** As the real service, compares ranges of all protocols, and ranges that run backwards too. `addRange` keeps `earlier`. */
function rangeErrors({ target_port, port_range: range, proxy_protocol }: Port, earlier: Range[]): string[] {
  if (target_port !== undefined) return range ? ['duplicate-port-and-port-range'] : []
  if (!range) return ['missing-port-and-port-range']
  if (proxy_protocol !== 'tcp' && proxy_protocol !== 'udp') return ['unsupported-port-range']
  const reach = earlier[countUpTo(range.max, earlier) - 1]?.max ?? Number.NEGATIVE_INFINITY
  const overlaps = range.min <= reach
  addRange(range, earlier)
  return [...(range.min > range.max ? ['range-min-gt-max'] : []), ...(overlaps ? ['ranges-overlap'] : [])]
}

/**
 * Adds a range to ranges that are sorted by `min` and also by `max`. A range inside another one is left out: whatever
 * overlaps it overlaps the other one too. So each check is a binary search, however many ranges there are.
 */
function addRange(range: Range, ranges: Range[]): void {
  const at = countUpTo(range.min, ranges)
  if ((ranges[at - 1]?.max ?? Number.NEGATIVE_INFINITY) >= range.max) return
  let end = at
  while (end < ranges.length && (ranges[end]?.max ?? 0) <= range.max) end += 1
  const start = ranges[at - 1]?.min === range.min ? at - 1 : at
  ranges.splice(start, end - start, range)
}

/** How many of the sorted ranges start at `port` or before it. */
function countUpTo(port: number, ranges: readonly Range[]): number {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.min ?? 0) <= port) low = middle + 1
    else high = middle
  }
  return low
}
