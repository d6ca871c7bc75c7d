import type { Tables } from './model.js'
import type { Random } from './random.js'

/** Draws an id that nothing has: a scenario may name those that the seed gives. */
export function freshId(random: Random, isTaken: (id: string) => boolean): string {
  return drawn(() => random.uuid(), isTaken)
}

/** Draws a token that no player, device link or bearer has. */
export function freshToken(
  label: string,
  { random, tables }: { readonly random: Random; readonly tables: Pick<Tables, 'players' | 'tokens' | 'deviceLinks'> },
): string {
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
