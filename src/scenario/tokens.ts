import * as z from 'zod'
import { Identifier } from '../contract/formats.js'
import { linkTimes, serverPorts } from '../store/inputs.js'
import { fullNameOf } from '../store/namespaces.js'
import { DeviceLinkRow, DeviceLinkStatus, deviceLinkDefaults, TokenKind, TokenRow } from '../store/rows.js'
import type { ReadTables } from '../store/table-calls.js'
import { lifetimeMs, Span, Time } from '../store/time.js'
import { namespaceLabel } from '../store/tokens.js'
import { entryKeys, givenKeys, type SeededIds } from './entry.js'
import type { PlacedGame, PlacedNamespace } from './games.js'
import { ServerPortsEntry } from './lobbies.js'

/** The games and namespaces of a new world, which its tokens belong to. */
interface WorldParts {
  readonly games: readonly (PlacedGame & { readonly game_id: string })[]
  readonly namespaces: readonly (PlacedNamespace & { readonly namespace_id: string })[]
  readonly ids: SeededIds
  /** When the world begins, in ms since the epoch. */
  readonly now: number
}

const [pending, complete] = DeviceLinkRow.options
const { device_link_token, ...linkColumns } = { ...pending.shape, ...complete.shape, status: DeviceLinkStatus }

/** A device link that exists when the world begins (PROTOCOL.md B8). */
export const DeviceLinkEntry = z.strictObject({
  token: device_link_token.optional(),
  ...entryKeys(linkColumns, { omit: ['completes', 'game_id'], defaults: deviceLinkDefaults }),
  game: Identifier.optional().meta({
    description: 'The name_id of the game that it is or will be completed for. Default: the only game.',
    examples: ['tanks'],
  }),
  completes_after: Span.optional().describe('The time until the world completes it, as in 5s. Default: never.'),
  completes_at: Time.optional().describe('When the world completes it, as a point in time instead.'),
  expires_after: Span.optional().describe('The time until it expires, as in 1h. Default: never.'),
})
export type DeviceLinkEntry = z.output<typeof DeviceLinkEntry>

/** The rows of device links, which are prepared when the world begins. */
export function deviceLinkRows(
  links: readonly DeviceLinkEntry[],
  { games, ids, now }: Pick<WorldParts, 'games' | 'ids' | 'now'>,
): DeviceLinkRow[] {
  const gameIds = new Map(games.map(game => [game.names.name_id, game.game_id]))
  const [only] = gameIds.values()
  return links.map((link, i): DeviceLinkRow => {
    const { status, game, cloud_token } = link
    const stream = `device-link:${i}`
    const { expires_at, completes_at: at } = linkTimes(link, now)
    const fields = {
      device_link_token: link.token ?? ids.token(`${stream}/token`, 'device'),
      device_link_id: link.device_link_id ?? ids.uuid(stream),
      ...givenKeys({ expires_at }),
    }
    const game_id = (game === undefined ? only : gameIds.get(game)) as string // checked before
    if (status === 'complete')
      return { ...fields, status, game_id, cloud_token: cloud_token ?? ids.token(`${stream}/cloud`, 'cloud') }
    if (at === undefined) return { ...fields, status: 'pending' }
    return { ...fields, status: 'pending', completes: { at, game_id } }
  })
}

/** The entry of a row. */
export function deviceLinkEntry(link: DeviceLinkRow, { games }: ReadTables): DeviceLinkEntry {
  const { device_link_token: token, ...rest } = link
  const game = (id: string) => games.get(id)?.name_id
  if (rest.status === 'complete') {
    const { game_id, ...columns } = rest
    return { token, ...columns, game: game(game_id) }
  }
  const { completes, ...columns } = rest
  return { token, ...columns, ...(completes && { game: game(completes.game_id), completes_at: completes.at }) }
}

const [development, ofPublic, cloud] = TokenRow.options
const { token, ...tokenColumns } = { ...development.shape, ...ofPublic.shape, ...cloud.shape }

/** A bearer token, and its owner. */
export const BearerTokenEntry = z.strictObject({
  token,
  ...entryKeys(tokenColumns, { omit: ['namespace_id', 'game_id'] }),
  kind: TokenKind,
  development: ServerPortsEntry.optional().meta(tokenColumns.development.meta() ?? {}),
  namespace: z
    .string()
    .optional()
    .meta({
      description: 'The namespace of a development or public token: <game name_id>/<namespace name_id>.',
      examples: ['game/prod'],
    }),
  game: z
    .string()
    .optional()
    .meta({ description: 'The name_id of the game of a cloud token.', examples: ['game'] }),
})
export type BearerTokenEntry = z.output<typeof BearerTokenEntry>

/** The rows of listed bearer tokens. */
export function listedTokenRows(
  listed: readonly BearerTokenEntry[],
  { games, namespaces }: Pick<WorldParts, 'games' | 'namespaces'>,
): TokenRow[] {
  const gameIds = new Map(games.map(game => [game.names.name_id, game.game_id]))
  const namespaceIds = new Map(namespaces.map(namespace => [namespace.fullName, namespace.namespace_id]))
  return listed.map(({ token, kind, namespace, game, development, expires_at }): TokenRow => {
    const fields = { token, ...givenKeys({ expires_at }) }
    // The owner of each has been checked before.
    if (kind === 'cloud') return { ...fields, kind, game_id: gameIds.get(game as string) as string }
    const namespace_id = namespaceIds.get(namespace as string) as string
    if (kind === 'public' || !development) return { ...fields, kind, namespace_id }
    return { ...fields, kind, namespace_id, development: serverPorts(development) }
  })
}

/** The entry of a row. */
export function bearerTokenEntry(row: TokenRow, tables: ReadTables): BearerTokenEntry {
  if (row.kind === 'cloud') {
    const { game_id, ...columns } = row
    return { ...columns, game: tables.games.get(game_id)?.name_id }
  }
  const { namespace_id, ...columns } = row
  return { ...columns, namespace: fullNameOf(namespace_id, tables) }
}

/**
 * The rows of the tokens of a scenario that lists no bearer tokens: a public and a development token for each namespace,
 * labelled `pub_<name_id>` and `dev_<name_id>`, a cloud token for each game, and those of complete device links
 * (PROTOCOL.md B1, B8).
 */
export function ownTokenRows(links: readonly DeviceLinkRow[], { games, namespaces, ids, now }: WorldParts): TokenRow[] {
  const expires_at = now + lifetimeMs.token
  const ofNamespaces = namespaces.flatMap(({ namespace_id, fullName, names, given: { tokens } }): TokenRow[] =>
    (['public', 'development'] as const).map(kind => {
      const token = tokens?.[kind] ?? ids.token(`namespace:${fullName}/${kind}`, namespaceLabel(kind, names.name_id))
      return { token, kind, expires_at, namespace_id }
    }),
  )
  const ofGames = games.map(({ game_id, names, given: { tokens } }): TokenRow => {
    const token = tokens?.cloud ?? ids.token(`game:${names.name_id}/cloud`, 'cloud')
    return { token, kind: 'cloud', game_id, expires_at }
  })
  const ofLinks = links.flatMap((link): TokenRow[] =>
    link.status === 'complete' ? [{ token: link.cloud_token, kind: 'cloud', game_id: link.game_id, expires_at }] : [],
  )
  return [...ofNamespaces, ...ofGames, ...ofLinks]
}
