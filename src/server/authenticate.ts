import { admitted, type Caller, type CallerOf } from '../behaviour/caller.js'
import { ApiError } from '../contract/errors.js'
import type { Auth } from '../contract/operation.js'
import { quoted } from '../lib/quote.js'
import { defaultNamespace } from '../store/default-namespace.js'
import { lobbyIdIn } from '../store/lobby-token.js'
import { devPlayerExpiry } from '../store/player-token.js'
import type { View } from '../store/world.js'
import { header, type MockRequest } from './message.js'
import { namespaceOfOrigin } from './origin.js'
import { howToSend, whereNewOnesAre, whereOthersAre, whereShown } from './token-advice.js'

const scheme = 'Bearer '

/** The token of a request: only what is sent as `Bearer <token>`, with one space. */
export function tokenOf(request: MockRequest): string | undefined {
  const sent = header(request, 'authorization')
  if (sent === undefined || !sent.startsWith(scheme)) return undefined
  const token = sent.slice(scheme.length)
  return token === '' || token.startsWith(' ') ? undefined : token
}

/** Whom a call answers, and what it is about. */
interface Asked<Needed extends Auth> {
  readonly auth: Needed
  /** Of its path. */
  readonly params: Readonly<Record<string, string>>
  readonly view: View
}

/** Finds out who asks, and throws `ApiError` where that is not whom the operation answers (PROTOCOL.md B1, B3). */
export function authenticate<Needed extends Auth>(request: MockRequest, asked: Asked<Needed>): CallerOf<Needed> {
  const { auth, params, view } = asked
  const token = tokenOf(request)
  const caller = token === undefined ? withoutToken(auth, request, view) : ofToken(token, view)
  const kinds: readonly Caller['kind'][] = admitted[auth]
  if (!kinds.includes(caller.kind)) throw wrongKind(auth, caller.kind)
  if (auth === 'cloud' && caller.kind === 'cloud' && params.game_id !== undefined) checkGame(caller, params.game_id)
  // The table of admitted kinds says for each auth what its callers' type says.
  return caller as CallerOf<Needed>
}

/** Throws `ApiError` where a cloud token is of another game. */
function checkGame({ gameId }: Extract<Caller, { kind: 'cloud' }>, asked: string): void {
  if (gameId === asked) return
  throw new ApiError(
    'API_FORBIDDEN',
    `this cloud token is not of game ${quoted(asked)}, but of ${gameId}: send one of that game; ${whereShown('cloud')}`,
  )
}

const anonymous: Caller = { kind: 'anonymous' }

function withoutToken(auth: Auth, request: MockRequest, view: View): Caller {
  if (auth === 'none') return anonymous
  if (auth === 'namespace') return tokenless(request, view)
  throw new ApiError('API_UNAUTHORIZED', `this call needs ${needed[auth]} token: ${howToSend(auth)}`)
}

function ofToken(token: string, view: View): Caller {
  const { tables, hasPassed } = view
  const row = tables.tokens.get(token)
  const link = row ? undefined : tables.deviceLinks.get(token)
  const found = row ?? link
  if (!found) return ofLobby(token, tables) ?? ofDevPlayer(token, view)
  if (found.expires_at !== undefined && hasPassed(found.expires_at)) {
    const kind = row?.kind ?? 'device'
    throw new ApiError('CLAIMS_ENTITLEMENT_EXPIRED', `this ${kind} token has expired: ${whereNewOnesAre[kind]}`)
  }
  if (!row) return { kind: 'device' }
  if (row.kind === 'cloud') return { kind: 'cloud', gameId: row.game_id }
  const { kind, namespace_id: namespaceId } = row
  return kind === 'development' && row.development
    ? { kind, namespaceId, server: row.development }
    : { kind, namespaceId }
}

/** A lobby's server, or a player; `undefined` where it is neither. */
function ofLobby(token: string, { lobbies, players }: View['tables']): Caller | undefined {
  const lobbyId = lobbyIdIn(token)
  const lobby = lobbyId === undefined ? undefined : lobbies.get(lobbyId)
  if (lobby) return { kind: 'lobby', lobbyId: lobby.lobby_id, namespaceId: lobby.namespace_id }
  const player = players.get(token)
  return player && { kind: 'player', namespaceId: player.namespace_id }
}

/** A player of a development server. */
function ofDevPlayer(token: string, { seed, hasPassed }: View): Caller {
  const expiresAt = devPlayerExpiry(token, seed)
  if (expiresAt === undefined)
    throw new ApiError('TOKEN_INVALID', `the mock does not know this token: ${whereOthersAre(token)}`)
  if (!hasPassed(expiresAt)) return { kind: 'dev_player' }
  throw new ApiError('CLAIMS_ENTITLEMENT_EXPIRED', `this dev_player token has expired: ${whereNewOnesAre.dev_player}`)
}

/** The namespace of the page that asks; where no page does, the default one, which real servers do not have. */
function tokenless(request: MockRequest, { tables }: View): Caller {
  const origin = header(request, 'origin')
  const namespace = (origin === undefined ? undefined : namespaceOfOrigin(origin, tables)) ?? defaultNamespace(tables)
  if (namespace?.tokenless) return { kind: 'tokenless', namespaceId: namespace.namespace_id }
  const which = namespace
    ? `namespace "${namespace.name_id}" does not allow calls without a token`
    : 'no namespace answers here'
  throw new ApiError(
    'CLAIMS_MISSING_ENTITLEMENT',
    `${which}, so this call needs a public or development token: ${howToSend('namespace')}`,
  )
}

/** What kind of token a call needs. */
const needed: { readonly [auth in Auth]: string } = {
  none: 'no',
  bearer: 'a',
  namespace: 'a public or development',
  public: 'a public or development',
  lobby: 'a lobby or development',
  cloud: 'a cloud',
}

function wrongKind(auth: Auth, kind: Caller['kind']): ApiError {
  return new ApiError(
    'CLAIMS_MISSING_ENTITLEMENT',
    `this is a ${kind} token, and the call needs ${needed[auth]} token: ${whereShown(auth)}`,
  )
}
