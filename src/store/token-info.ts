import { fullNameOf } from './full-name.js'
import type { ReadTables } from './table-calls.js'

/** A token of the scenario, and whose it is: a namespace's as `<game>/<namespace>`, by their name ids, or a game's. */
export type TokenInfo =
  | { readonly kind: 'development' | 'public'; readonly namespace: string; readonly token: string }
  | { readonly kind: 'cloud'; readonly game: string; readonly token: string }

/** Whose a token is: `tanks/prod`, or `tanks`. */
export function ownerOf(token: TokenInfo): string {
  return token.kind === 'cloud' ? token.game : token.namespace
}

const order: readonly TokenInfo['kind'][] = ['development', 'public', 'cloud']

/** The tokens of a world, development, public, cloud, without those that device links were completed with. */
export function tokensOf(tables: ReadTables): TokenInfo[] {
  const { tokens, games, deviceLinks } = tables
  const ofLinks = new Set(deviceLinks.all().map(link => (link.status === 'complete' ? link.cloud_token : undefined)))
  const infos = tokens
    .findMany(q => q.where(row => !ofLinks.has(row.token)))
    .map((row): TokenInfo => {
      const { token } = row
      if (row.kind === 'cloud') return { kind: row.kind, game: games.get(row.game_id)?.name_id ?? '', token }
      return { kind: row.kind, namespace: fullNameOf(row.namespace_id, tables), token }
    })
  return order.flatMap(kind => infos.filter(info => info.kind === kind))
}
