import type { ReadTables } from './table.js'

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
export function tokensOf({ tokens, namespaces, games, deviceLinks }: ReadTables): TokenInfo[] {
  const ofLinks = new Set(deviceLinks.all().map(link => (link.status === 'complete' ? link.cloud_token : undefined)))
  const gameName = (gameId: string | undefined) => games.get(gameId ?? '')?.name_id ?? ''
  const infos = tokens
    .findMany(q => q.where(row => !ofLinks.has(row.token)))
    .map((row): TokenInfo => {
      if (row.kind === 'cloud') return { kind: row.kind, game: gameName(row.game_id), token: row.token }
      const namespace = namespaces.get(row.namespace_id)
      return { kind: row.kind, namespace: `${gameName(namespace?.game_id)}/${namespace?.name_id}`, token: row.token }
    })
  return order.flatMap(kind => infos.filter(info => info.kind === kind))
}
