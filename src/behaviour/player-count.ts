import { uint32Max } from '../contract/formats.js'

/** How many players some counts are together: no more than clients can read, however many it would be. */
export function playerCount(counts: Iterable<number>): number {
  let sum = 0
  for (const count of counts) sum += count
  return Math.min(sum, uint32Max)
}
