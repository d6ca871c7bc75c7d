import { lifetimeMs, lobbyTokenPrefix } from './columns.js'
import type { Tables } from './model.js'
import { fullNameOf } from './namespaces.js'
import { Random } from './random.js'
import { type TokenInput, tokenTables } from './rows.js'
import type { ReadTables } from './table-calls.js'

/** Draws an id that is not taken. A scenario may contain an id that the seed gives. */
export function freshId(random: Random, isTaken: (id: string) => boolean): string {
  return drawUntil(() => random.uuid(), isTaken)
}

/** Draws a token that no row has. */
export function freshToken(
  label: string,
  { random, tables }: { readonly random: Random; readonly tables: Tables },
): string {
  return drawUntil(
    () => random.token(label),
    token => hasToken(tables, token),
  )
}

/** Tells whether a row has a text as its token. */
function hasToken(tables: Tables, text: string): boolean {
  return tokenTables.some(name => tables[name].get(text) !== undefined)
}

/** Lists the tokens that have another form than those that a mock creates. There are few: scenarios and code have named them. */
export function* namedTokens(tables: Tables): Generator<string> {
  for (const name of tokenTables) {
    const { state } = tables[name]
    for (let token = state.idAfter(''); token !== undefined; ) {
      const [label] = /^\w+(?=\.mock\.)/.exec(token) ?? []
      if (label === undefined) yield token
      // Passes all with that label at once: in ASCII, / comes right after the full stop.
      token = state.idAfter(label === undefined ? token : `${label}.mock/`)
    }
  }
}

function drawUntil(draw: () => string, isTaken: (value: string) => boolean): string {
  for (;;) {
    const value = draw()
    if (!isTaken(value)) return value
  }
}

/** Returns the readable first part of a token: `dev_<name_id>`, `pub_<name_id>`, `cloud` (PROTOCOL.md B1). */
export function tokenLabel(token: TokenInput, { namespaces }: Pick<Tables, 'namespaces'>): string {
  if (token.kind === 'cloud') return 'cloud'
  return namespaceLabel(token.kind, namespaces.get(token.namespace_id)?.name_id ?? '')
}

/** Returns the first part of a token of a namespace. */
export function namespaceLabel(kind: 'development' | 'public', nameId: string): string {
  return `${kind === 'development' ? 'dev' : 'pub'}_${nameId.replaceAll('-', '_')}`
}

/** Returns the token of a lobby's server. It contains the id, so it is valid while the lobby exists (PROTOCOL.md B1). */
export function lobbyTokenOf(lobbyId: string): string {
  const encoded = encodeURIComponent(lobbyId).replaceAll(
    /[!'()*~]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return lobbyTokenPrefix + encoded
}

/** Returns the lobby id in a token. `undefined` if it is not the token of a lobby. */
export function lobbyIdIn(token: string): string | undefined {
  if (!token.startsWith(lobbyTokenPrefix)) return undefined
  try {
    const id = decodeURIComponent(token.slice(lobbyTokenPrefix.length))
    return lobbyTokenOf(id) === token ? id : undefined
  } catch {
    return undefined
  }
}

/** The prefix of the tokens of players of development servers. No other token has it. */
export const devPlayerPrefix = 'dev_player.mock.'

const lengths = { minute: 8, nonce: 6, signature: 10 } as const
const stemLength = lengths.minute + lengths.nonce
const minuteMs = 60_000

/** Creates the token of a player of a development server, which has no row. `now` in ms since the epoch. */
export function devPlayerToken(random: Random, { seed, now }: { readonly seed: number; readonly now: number }): string {
  const minute = Math.floor(now / minuteMs)
  const stem = minute.toString(36).padStart(lengths.minute, '0') + random.letters(lengths.nonce)
  return devPlayerPrefix + stem + signatureOf(stem, seed)
}

/** Returns when a token expires, in ms since the epoch. `undefined` if no world with that seed created it. */
export function devPlayerExpiry(token: string, seed: number): number | undefined {
  if (!token.startsWith(devPlayerPrefix)) return undefined
  const rest = token.slice(devPlayerPrefix.length)
  const stem = rest.slice(0, stemLength)
  if (stem.length < stemLength || rest.slice(stemLength) !== signatureOf(stem, seed)) return undefined
  return Number.parseInt(stem.slice(0, lengths.minute), 36) * minuteMs + lifetimeMs.token
}

function signatureOf(stem: string, seed: number): string {
  return new Random(seed, `dev_player:${stem}`).letters(lengths.signature)
}

/** A token and the name of its owner: `<game>/<namespace>`, or `<game>`. */
export type TokenInfo =
  | { readonly kind: 'development' | 'public'; readonly namespace: string; readonly token: string }
  | { readonly kind: 'cloud'; readonly game: string; readonly token: string }

/** Returns the name of the owner: `tanks/prod`, or `tanks`. */
export function ownerOf(token: TokenInfo): string {
  return token.kind === 'cloud' ? token.game : token.namespace
}

const order: readonly TokenInfo['kind'][] = ['development', 'public', 'cloud']

/** Lists the tokens of a world: development, public, cloud. Leaves out the tokens of completed device links. */
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
