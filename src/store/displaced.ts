/** The ids that both have, and that stand elsewhere among them; none where these have the same order. */
export function displaced(
  before: ReadonlyMap<string, unknown>,
  after: ReadonlyMap<string, unknown>,
): ReadonlySet<string> {
  const then = [...before.keys()].filter(id => after.has(id))
  const now = [...after.keys()].filter(id => before.has(id))
  return new Set(now.filter((id, i) => then[i] !== id))
}
