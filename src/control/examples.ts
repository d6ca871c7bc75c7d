import { hasPassed } from '../store/clock.js'
import type { TokenInfo } from '../store/token-info.js'
import type { World } from '../store/world.js'

const kinds: readonly TokenInfo['kind'][] = ['public', 'development', 'cloud']

/** Sorts tokens as people look for them: public, development, cloud. */
export function sortTokens(tokens: readonly TokenInfo[]): TokenInfo[] {
  return kinds.flatMap(kind => tokens.filter(token => token.kind === kind))
}

/** Returns a shell command that lists the lobbies without a token. */
export function curlLine(url: string): string {
  return `curl ${shellWord(`${url}/matchmaker/lobbies/list`)}`
}

/**
 * Returns a shell command to try a token. A namespace's token lists the lobbies. A cloud token completes a pending
 * device link or, if there is none, validates the names of a namespace.
 */
export function curlLineFor(token: TokenInfo, { url, world }: { readonly url: string; readonly world: World }): string {
  const authorization = shellWord(`Authorization: Bearer ${token.token}`)
  if (token.kind !== 'cloud') return `curl -H ${authorization} ${shellWord(`${url}/matchmaker/lobbies/list`)}`
  const { path, body } = cloudCall(token.game, world)
  return `curl -H ${authorization} -d ${shellWord(JSON.stringify(body))} ${shellWord(url + path)}`
}

function cloudCall(gameName: string, { games, deviceLinks, clock }: World): { path: string; body: object } {
  const game_id = games.findFirst(q => q.where({ name_id: gameName }))?.game_id ?? ''
  const pending = deviceLinks
    .all()
    .find(link => link.status === 'pending' && !link.completes && !hasPassed(link.expires_at, clock))
  if (pending) {
    const { device_link_token } = pending
    return { path: '/cloud/devices/links/complete', body: { device_link_token, game_id } }
  }
  const path = `/cloud/games/${encodeURIComponent(game_id)}/namespaces/validate`
  return { path, body: { display_name: 'Beta', name_id: 'beta' } }
}

/** Quotes a word for a POSIX shell, if it has to be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
