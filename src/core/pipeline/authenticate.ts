import { ApiError } from '../contract/errors.js'
import type { Auth } from '../contract/operation.js'
import { type OperationId, operations } from '../contract/operations.js'
import { quoted } from '../lib/messages.js'
import { parseUrl } from '../lib/url.js'
import { acceptedCallers, type Caller, type Client } from '../operations/resolver.js'
import { lobbyTokenPrefix } from '../store/columns.js'
import { defaultNamespace } from '../store/namespaces.js'
import type { TokenRow } from '../store/rows.js'
import { devPlayerExpiry, lobbyIdIn } from '../store/tokens.js'
import type { ReadView } from '../store/world.js'
import { header, type MockRequest } from './message.js'
import { connectionAddress, isLoopbackAddress, namespaceOfOrigin } from './origin.js'
import type { Route } from './routes.js'

const scheme = 'Bearer '

/** Reads the token: `Bearer <token>`, with one space (PROTOCOL.md B1). `anyCase`: the case of the scheme does not count. */
export function readToken(
  request: Pick<MockRequest, 'headers'>,
  { anyCase = false }: { readonly anyCase?: boolean } = {},
): string | undefined {
  const sent = header(request, 'authorization')
  if (sent === undefined) return undefined
  const isBearer = sent.startsWith(scheme) || (anyCase && /^bearer /i.test(sent))
  if (!isBearer) return undefined
  const token = sent.slice(scheme.length)
  return token === '' || token.startsWith(' ') ? undefined : token
}

/** Identifies the caller of an operation. Throws `ApiError` if the operation does not admit them (PROTOCOL.md B1, B3). */
export function authenticate(request: MockRequest, { id, params }: Route<OperationId>, view: ReadView): Caller {
  const { auth } = operations[id]
  const token = readToken(request)
  const caller = token === undefined ? callerWithoutToken(auth, request, view) : callerOf(token, view)
  const kinds: readonly Caller['kind'][] = acceptedCallers[auth]
  if (!kinds.includes(caller.kind))
    throw new ApiError(
      'CLAIMS_MISSING_ENTITLEMENT',
      `this is a ${caller.kind} token, and the call needs ${neededToken[auth]} token: ${whereToFindTokens(auth)}`,
    )
  const { game_id } = params
  if (auth === 'cloud' && caller.kind === 'cloud' && game_id !== undefined && game_id !== caller.gameId)
    throw new ApiError(
      'API_FORBIDDEN',
      `this cloud token is of game ${caller.gameId}, but the path names game ${quoted(game_id)}: send a token of that game; ${whereToFindTokens('cloud')}`,
    )
  return caller
}

const anonymous: Caller = { kind: 'anonymous' }

function callerWithoutToken(auth: Auth, request: MockRequest, view: ReadView): Caller {
  if (auth === 'none') return anonymous
  if (auth === 'namespace') return tokenlessCaller(request, view)
  throw new ApiError('API_UNAUTHORIZED', `this call needs ${neededToken[auth]} token: ${howToSendToken(auth)}`)
}

/** The Origin identifies the namespace. Without a known Origin it is the default one, which the real service does not have. */
function tokenlessCaller(request: MockRequest, { tables }: ReadView): Caller {
  const origin = header(request, 'origin')
  const namespace = (origin === undefined ? undefined : namespaceOfOrigin(origin, tables)) ?? defaultNamespace(tables)
  if (namespace?.tokenless) return { kind: 'tokenless', namespaceId: namespace.namespace_id }
  const which = namespace
    ? `namespace "${namespace.name_id}" does not allow calls without a token`
    : 'there is no default namespace'
  throw new ApiError(
    'CLAIMS_MISSING_ENTITLEMENT',
    `${which}, so this call needs a public or development token: ${howToSendToken('namespace')}`,
  )
}

function callerOf(token: string, view: ReadView): Caller {
  const { tables, hasPassed } = view
  const row = tables.tokens.get(token)
  const found = row ?? tables.deviceLinks.get(token)
  if (!found) return lobbyOrPlayerCaller(token, tables) ?? devPlayerCaller(token, view)
  if (found.expires_at !== undefined && hasPassed(found.expires_at)) throw expiredToken(row?.kind ?? 'device')
  if (!row) return { kind: 'device' }
  if (row.kind === 'cloud') return { kind: 'cloud', gameId: row.game_id }
  const { kind, namespace_id: namespaceId } = row
  return kind === 'development' && row.development
    ? { kind, namespaceId, server: row.development }
    : { kind, namespaceId }
}

function lobbyOrPlayerCaller(token: string, { lobbies, players }: ReadView['tables']): Caller | undefined {
  const lobbyId = lobbyIdIn(token)
  const lobby = lobbyId === undefined ? undefined : lobbies.get(lobbyId)
  if (lobby) return { kind: 'lobby', lobbyId: lobby.lobby_id, namespaceId: lobby.namespace_id }
  const player = players.get(token)
  return player && { kind: 'player', namespaceId: player.namespace_id }
}

/** A player of a development server has no row: its token says when it expires. */
function devPlayerCaller(token: string, { seed, hasPassed }: ReadView): Caller {
  const expiresAt = devPlayerExpiry(token, seed)
  if (expiresAt === undefined)
    throw new ApiError('TOKEN_INVALID', `the mock does not know this token: ${whereToFindOthers(token)}`)
  if (hasPassed(expiresAt)) throw expiredToken('dev_player')
  return { kind: 'dev_player' }
}

type ExpiringToken = TokenRow['kind'] | 'device' | 'dev_player'

function expiredToken(kind: ExpiringToken): ApiError {
  return new ApiError('CLAIMS_ENTITLEMENT_EXPIRED', `this ${kind} token has expired: ${howToRenew[kind]}`)
}

const neededToken: { readonly [auth in Auth]: string } = {
  none: 'no',
  bearer: 'a',
  namespace: 'a public or development',
  public: 'a public or development',
  lobby: 'a lobby or development',
  cloud: 'a cloud',
}

/** Tells users where to find the tokens of games and namespaces. */
const shownTokens = 'the page at GET /, the key t and GET /__mock/tokens show the tokens, in-process mock.tokens'

const lobbyTokens =
  'GET /__mock/tokens?kind=lobby shows those of lobbies, in-process mock.lobbyEnvironment(lobbyId).RIVET_TOKEN'

function whereToFindTokens(auth: Auth): string {
  return auth === 'lobby' ? `${shownTokens}; ${lobbyTokens}` : shownTokens
}

function howToSendToken(auth: Auth): string {
  return `send it as "Authorization: Bearer <token>"; ${whereToFindTokens(auth)}`
}

function whereToFindOthers(unknownToken: string): string {
  if (!unknownToken.startsWith(lobbyTokenPrefix)) return shownTokens
  return `its lobby may have stopped more than an hour ago; ${lobbyTokens}`
}

const tokensPath = '/cloud/games/{game_id}/namespaces/{namespace_id}/tokens'

const howToRenew: { readonly [kind in ExpiringToken]: string } = {
  public: `POST ${tokensPath}/public mints a new one; or reset the world`,
  development: `POST ${tokensPath}/development mints a new one; or reset the world`,
  cloud: 'complete a device link to get a new one, or reset the world',
  dev_player: 'get a new one with find, join or create and a development token',
  device: 'create a new link with POST /cloud/devices/links',
}

const longestAddress = 64 // characters

/** Finds the client: as trusted proxies report it, else by `x-forwarded-for`, else by its connection (PROTOCOL.md B6, B9). */
export function readClient(request: MockRequest): Client {
  const [first = ''] = (request.forwardedFor ?? header(request, 'x-forwarded-for') ?? '').split(',', 1)
  const forwarded = first.trim().slice(0, longestAddress)
  const { publicUrl, serverHost } = request
  const host = serverHost ?? ((publicUrl && parseUrl(publicUrl)?.hostname) || usableHost(header(request, 'host')))
  if (forwarded !== '') return { address: forwarded, isLocal: false, host, publicUrl }
  const address = connectionAddress(request)
  return { address, isLocal: isLoopbackAddress(address), host, publicUrl }
}

/** Returns a Host header, unless it is none that a client could connect to. */
function usableHost(host = ''): string | undefined {
  return /^(?:[\w.-]{1,253}|\[[\da-f:.]+\])(?::\d*)?$/i.test(host) ? host : undefined
}
