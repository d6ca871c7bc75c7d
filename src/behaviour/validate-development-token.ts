import { isIdentifier } from '../contract/formats.js'
import { type Port, portsMax } from '../contract/namespace-tokens.js'
import type { ValidationError } from '../contract/namespaces.js'
import type { Behaviour } from './behaviour.js'

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
  if (target_port === undefined) return []
  const target = `${target_port}/${proxy_protocol}`
  if (seen.has(target)) return ['port-protocol-not-unique']
  seen.add(target)
  return []
}

/**
 * Ranges are compared whatever their protocol, one that runs backwards too, as the real service does. `earlier` is what
 * `addRange` keeps.
 */
function rangeProblems({ target_port, port_range: range, proxy_protocol }: Port, earlier: Range[]): string[] {
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
