import { lifetimeMs, namespaceLabel } from '../store/model.js'
import type { DeviceLinkRow, TokenRow } from '../store/rows.js'
import type { PlacedGame } from './layout.js'
import type { OwnedNamespace } from './namespace-row.js'
import type { Naming } from './naming.js'

/** What tokens are made with. */
interface TokenMaking {
  readonly naming: Naming
  /** When they are minted, in ms since the epoch. */
  readonly now: number
}

/** The public and the development token of a namespace, labelled `pub_<name_id>` and `dev_<name_id>` (PROTOCOL.md B1). */
export function namespaceTokenRows(namespace: OwnedNamespace, { naming, now }: TokenMaking): TokenRow[] {
  const { fullName, names, namespace_id, given } = namespace
  const stream = `namespace:${fullName}`
  const fields = { expires_at: now + lifetimeMs.token, namespace_id }
  const pub = given.tokens?.public ?? naming.token(`${stream}/public`, namespaceLabel('public', names.name_id))
  const dev =
    given.tokens?.development ?? naming.token(`${stream}/development`, namespaceLabel('development', names.name_id))
  return [
    { token: pub, kind: 'public', ...fields },
    { token: dev, kind: 'development', ...fields },
  ]
}

/** The cloud token of a game. */
export function gameTokenRow(game: PlacedGame & { readonly game_id: string }, { naming, now }: TokenMaking): TokenRow {
  const { names, given, game_id } = game
  const token = given.tokens?.cloud ?? naming.token(`game:${names.name_id}/cloud`, 'cloud')
  return { token, kind: 'cloud', game_id, expires_at: now + lifetimeMs.token }
}

/** The cloud tokens that complete device links have handed out: valid bearers too. */
export function linkTokenRows(links: readonly DeviceLinkRow[], now: number): TokenRow[] {
  return links.flatMap((link): TokenRow[] => {
    if (link.status !== 'complete') return []
    return [{ token: link.cloud_token, kind: 'cloud', game_id: link.game_id, expires_at: now + lifetimeMs.token }]
  })
}
