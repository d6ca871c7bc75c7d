import { createHash } from 'node:crypto'

/** Returns the hash that names an origin. */
export function originHashOf(origin: string): string {
  return createHash('sha256').update(origin).digest('hex').slice(0, 16)
}
