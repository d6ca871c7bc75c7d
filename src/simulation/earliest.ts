/** The earlier of two times; `undefined` is never. */
export function earliest(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined) return other
  return other === undefined ? one : Math.min(one, other)
}
