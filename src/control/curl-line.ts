import { hasPassed } from '../store/clock.js'
import type { TokenInfo } from '../store/token-info.js'
import type { World } from '../store/world.js'

/** A call to try, as a line for a shell: the list of lobbies without a token. */
export function curlLine(url: string): string {
  return `curl ${shellWord(`${url}/matchmaker/lobbies/list`)}`
}

/**
 * A call to try with a token, as a line for a shell: the list of lobbies for a namespace's token; for a cloud token the
 * completion of a pending device link or, where there is none, the validation of a namespace's names.
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

/** A word as a POSIX shell takes it: as it is where it is plain, else between single quotes. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}
