import type { Caller, CallerOf } from '../behaviour/caller.js'
import { ApiError } from '../contract/error.js'
import type { Auth } from '../contract/operation.js'
import { defaultNamespace } from '../store/default-namespace.js'
import type { View } from '../store/world.js'
import { type Exchange, header } from './exchange.js'
import { namespaceOfOrigin } from './origin.js'

const scheme = 'Bearer '

/** The token of a request: only what is sent as `Bearer <token>`, with one space. */
export function tokenOf(exchange: Exchange): string | undefined {
  const sent = header(exchange, 'authorization')
  if (sent === undefined || !sent.startsWith(scheme)) return undefined
  const token = sent.slice(scheme.length)
  return token === '' || token.startsWith(' ') ? undefined : token
}

const hint =
  'send it as "Authorization: Bearer <token>"; the mock shows its tokens when it starts and on GET /, in-process as mock.tokens'

/** Finds out who asks, and throws `ApiError` where that is not whom the operation answers (PROTOCOL.md B1, B3). */
export function authenticate<Needed extends Auth>(auth: Needed, exchange: Exchange, view: View): CallerOf<Needed> {
  const token = tokenOf(exchange)
  const caller = token === undefined ? withoutToken(auth, exchange, view) : ofToken(token, view)
  if (!admitted[auth].includes(caller.kind)) throw wrongKind(auth, caller.kind)
  // The table of admitted kinds says for each auth what its callers' type says.
  return caller as CallerOf<Needed>
}

const anyToken = ['public', 'development', 'cloud', 'device'] as const
const admitted: { readonly [Needed in Auth]: readonly Caller['kind'][] } = {
  none: ['anonymous', ...anyToken],
  bearer: anyToken,
  namespace: ['tokenless', 'public', 'development'],
  cloud: ['cloud'],
}

const anonymous: Caller = { kind: 'anonymous' }

function withoutToken(auth: Auth, exchange: Exchange, view: View): Caller {
  if (auth === 'none') return anonymous
  if (auth === 'namespace') return tokenless(exchange, view)
  throw new ApiError('API_UNAUTHORIZED', `this call needs a ${auth === 'cloud' ? 'cloud ' : ''}token: ${hint}`)
}

function ofToken(token: string, { tables, hasPassed }: View): Caller {
  const row = tables.tokens.get(token)
  const link = row ? undefined : tables.deviceLinks.get(token)
  const found = row ?? link
  if (!found) throw new ApiError('TOKEN_INVALID', `nothing here has this token: ${hint}`)
  if (found.expires_at !== undefined && hasPassed(found.expires_at)) {
    throw new ApiError('CLAIMS_ENTITLEMENT_EXPIRED', `this ${row?.kind ?? 'device'} token has expired: ${hint}`)
  }
  if (!row) return { kind: 'device' }
  return row.kind === 'cloud'
    ? { kind: 'cloud', gameId: row.game_id }
    : { kind: row.kind, namespaceId: row.namespace_id }
}

/** The namespace of the page that asks; where no page does, the default one, which real servers do not have. */
function tokenless(exchange: Exchange, { tables }: View): Caller {
  const origin = header(exchange, 'origin')
  const namespace = (origin === undefined ? undefined : namespaceOfOrigin(origin, tables)) ?? defaultNamespace(tables)
  if (namespace?.tokenless) return { kind: 'tokenless', namespaceId: namespace.namespace_id }
  const which = namespace
    ? `namespace "${namespace.name_id}" does not allow calls without a token`
    : 'no namespace answers here'
  throw new ApiError(
    'CLAIMS_MISSING_ENTITLEMENT',
    `${which}, so this call needs a public or development token: ${hint}`,
  )
}

function wrongKind(auth: Auth, kind: Caller['kind']): ApiError {
  const needed = auth === 'cloud' ? 'a cloud' : 'a public or development'
  return new ApiError(
    'CLAIMS_MISSING_ENTITLEMENT',
    `this is a ${kind} token, and the call needs ${needed} token: ${hint}`,
  )
}
