import { lifetimeMs } from '../store/lifetime.js'
import { namespaceLabel } from '../store/model.js'
import type { DeviceLinkRow, TokenRow } from '../store/rows.js'
import type { BearerTokenEntry } from './bearer-token.js'
import type { OwnedGame } from './game-row.js'
import type { OwnedNamespace } from './namespace-row.js'
import type { Naming } from './naming.js'
import { serverPortsOf } from './server-ports.js'

/** Whose tokens are, and what they are made with. */
interface TokenMaking {
  readonly games: readonly OwnedGame[]
  readonly namespaces: readonly OwnedNamespace[]
  readonly links: readonly DeviceLinkRow[]
  readonly naming: Naming
  /** When they are minted, in ms since the epoch. */
  readonly now: number
}

/** The bearer tokens of a scenario: those that it lists or, where it has no list, one of each that something can have. */
export function tokenRows(listed: readonly BearerTokenEntry[] | undefined, making: TokenMaking): TokenRow[] {
  if (listed) return listedTokenRows(listed, making)
  const { games, namespaces, links } = making
  return [
    ...namespaces.flatMap(namespace => namespaceTokenRows(namespace, making)),
    ...games.map(game => gameTokenRow(game, making)),
    ...linkTokenRows(links, making),
  ]
}

function listedTokenRows(listed: readonly BearerTokenEntry[], { games, namespaces }: TokenMaking): TokenRow[] {
  const gameIds = new Map(games.map(game => [game.names.name_id, game.game_id]))
  const namespaceIds = new Map(namespaces.map(namespace => [namespace.fullName, namespace.namespace_id]))
  return listed.map(({ token, kind, namespace, game, development, expires_at }): TokenRow => {
    const fields = { token, ...(expires_at === undefined ? {} : { expires_at: Date.parse(expires_at) }) }
    // check has seen to it that each is of something that is there.
    if (kind === 'cloud') return { ...fields, kind, game_id: gameIds.get(game as string) as string }
    const namespace_id = namespaceIds.get(namespace as string) as string
    if (kind === 'public' || !development) return { ...fields, kind, namespace_id }
    return { ...fields, kind, namespace_id, development: serverPortsOf(development) }
  })
}

/** The public and the development token of a namespace, labelled `pub_<name_id>` and `dev_<name_id>` (PROTOCOL.md B1). */
function namespaceTokenRows(namespace: OwnedNamespace, { naming, now }: TokenMaking): TokenRow[] {
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

function gameTokenRow({ names, given, game_id }: OwnedGame, { naming, now }: TokenMaking): TokenRow {
  const token = given.tokens?.cloud ?? naming.token(`game:${names.name_id}/cloud`, 'cloud')
  return { token, kind: 'cloud', game_id, expires_at: now + lifetimeMs.token }
}

/** The cloud tokens that complete device links have handed out: valid bearers too. */
function linkTokenRows(links: readonly DeviceLinkRow[], { now }: TokenMaking): TokenRow[] {
  return links.flatMap((link): TokenRow[] => {
    if (link.status !== 'complete') return []
    return [{ token: link.cloud_token, kind: 'cloud', game_id: link.game_id, expires_at: now + lifetimeMs.token }]
  })
}
