/** How deep a key of the format may lie: that of a port's range is in a range, port, list of ports, … of a game. */
const deepestLevel = 10

/**
 * An input without the keys that say nothing: `lobbies:` with nothing after it is null in YAML, and is as good as no key.
 * A `state` is the game's own and stays as it is.
 */
export function withoutAbsent(input: unknown, levels = deepestLevel): unknown {
  if (typeof input !== 'object' || input === null || levels === 0) return input
  if (Array.isArray(input)) return input.map(inner => withoutAbsent(inner, levels - 1))
  const present = Object.entries(input).filter(
    ([key, value]) => value !== undefined && (value !== null || key === 'state'),
  )
  return Object.fromEntries(
    present.map(([key, value]) => [key, key === 'state' ? value : withoutAbsent(value, levels - 1)]),
  )
}
