import type { Random } from './random.js'
import type { ReadTables } from './table.js'

interface Making {
  readonly random: Random
  readonly tables: Pick<ReadTables, 'players' | 'tokens' | 'deviceLinks'>
}

/** An id that nothing has: a scenario may name those that the seed makes. */
export function freshId(random: Random, isTaken: (id: string) => boolean): string {
  return drawn(() => random.uuid(), isTaken)
}

/** A token that is none of a player's, nor a device link's, nor any other. */
export function freshToken(label: string, { random, tables }: Making): string {
  const { players, tokens, deviceLinks } = tables
  return drawn(
    () => random.token(label),
    token => [players, tokens, deviceLinks].some(table => table.get(token) !== undefined),
  )
}

function drawn(draw: () => string, isTaken: (drawn: string) => boolean): string {
  for (;;) {
    const one = draw()
    if (!isTaken(one)) return one
  }
}
