/** How deep a key of the format may lie: that of a port's range is in a range, port, list of ports, … of a game. */
const deepestLevel = 11

/** Keys whose values are any JSON: the game's own, what a fault answers with, and what a request had in its body. */
const owned = ['state', 'lobby_config', 'metadata', 'body']

/**
 * An input without the keys that say nothing: `lobbies:` with nothing after it is null in YAML, and is as good as no key.
 * A value that may be any JSON, such as a `state` or the `metadata` of a fault, stays as it is.
 */
export function withoutAbsent(input: unknown, levels = deepestLevel): unknown {
  if (typeof input !== 'object' || input === null || levels === 0) return input
  if (Array.isArray(input)) return input.map(inner => withoutAbsent(inner, levels - 1))
  const present = Object.entries(input).filter(
    ([key, value]) => value !== undefined && (value !== null || owned.includes(key)),
  )
  return Object.fromEntries(
    present.map(([key, value]) => [key, owned.includes(key) ? value : withoutAbsent(value, levels - 1)]),
  )
}
