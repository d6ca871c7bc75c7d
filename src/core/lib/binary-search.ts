/** Returns the first index below `length` for which `isAfter` is true, or `length`. It is then true for all larger ones, too. */
export function firstIndex(length: number, isAfter: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isAfter(middle)) high = middle
    else low = middle + 1
  }
  return low
}
