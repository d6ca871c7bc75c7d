/** The earliest of some times; `undefined` is never. */
export function earliest(...times: readonly (number | undefined)[]): number | undefined {
  const first = Math.min(...times.map(time => time ?? Number.POSITIVE_INFINITY))
  return first === Number.POSITIVE_INFINITY ? undefined : first
}
