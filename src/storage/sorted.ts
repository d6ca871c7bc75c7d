/** Counts the numbers of a sorted list up to a limit. */
export function countUpTo(sorted: readonly number[], limit: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] ?? limit) <= limit) low = middle + 1
    else high = middle
  }
  return low
}
