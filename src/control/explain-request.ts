import type { Caller } from '../behaviour/caller.js'
import { ApiError } from '../contract/errors.js'
import type { Auth } from '../contract/operation.js'
import { operations } from '../contract/operations.js'
import { deviceLinkPath, isControlPath } from '../contract/paths.js'
import { authenticate } from '../server/authenticate.js'
import { isAllowedOrigin, isChanging } from '../server/cors.js'
import type { MockRequest } from '../server/message.js'
import { namespaceOfOrigin } from '../server/origin.js'
import { routes } from '../server/routes.js'
import { pathInWorld } from '../server/world-path.js'
import { fullNameOf } from '../store/full-name.js'
import type { View } from '../store/world.js'
import type { ExplainedOf, Explanation, Question } from './explanation.js'

/** Why a request is answered as it is: what it asks for, what that needs, and who asks. */
export function explainRequest(
  { view, corsOrigins, faults }: ExplainedOf,
  question: Question & { readonly path: string },
): Explanation {
  const { method = 'GET', token, origin } = question
  const [path = '', query] = pathInWorld(withoutOrigin(question.path)).split('?')
  const door = doorAt(path)
  if (door !== undefined) return { verdict: door, because: [`nothing of the service is at ${path}`] }
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(origin === undefined ? {} : { origin }),
  }
  const exchange: MockRequest = { method: method.toUpperCase(), path, query, headers }
  const concerning = faults.concerning(exchange)
  const because = concerning.map(faultText)
  const struck = struckBy(concerning)
  if (struck !== undefined) return { verdict: struck, because }
  try {
    const { id, params } = routes.find(exchange.method, path)
    const { auth, summary } = operations[id]
    because.push(`it is ${id}: ${summary}`, `it answers ${needs[auth]}`)
    const caller = authenticate(exchange, { auth, params, view })
    because.push(whoAsks(caller, { origin, view }), ...readers(origin, { view, corsOrigins, method: exchange.method }))
    return { verdict: `answered by ${id}`, because }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { verdict: `${error.status} ${error.code}`, because: [...because, error.message] }
  }
}

function withoutOrigin(url: string): string {
  return url.replace(/^https?:\/\/[^/?]*/i, '') || '/'
}

/** What is beside the service, where the mock is a server; `undefined` for all that is none of that. */
function doorAt(path: string): string | undefined {
  if (isControlPath(path)) return 'answered by the control API'
  const isPage = path === '/' || path === '/openapi.json' || path.startsWith(deviceLinkPath)
  return isPage ? 'answered by a page' : undefined
}

const needs: { readonly [auth in Auth]: string } = {
  none: 'anyone; a token that is sent must be valid',
  bearer: 'every token of the world',
  namespace:
    'a public token, a development token (with canned data), or nobody in particular where the namespace is tokenless',
  public: 'a public token, or a development token (with canned data)',
  lobby: "the token of a lobby, or a namespace's development token (with canned data)",
  cloud: 'a cloud token, where the path names a game one of that game',
}

interface Asking {
  readonly origin: string | undefined
  readonly view: View
}

function whoAsks(caller: Caller, { origin, view: { tables } }: Asking): string {
  if (caller.kind === 'tokenless') {
    const name = fullNameOf(caller.namespaceId, tables)
    const byOrigin = origin !== undefined && namespaceOfOrigin(origin, tables) !== undefined
    if (byOrigin) return `no token was sent, and pages of ${origin} belong to ${name}, which is tokenless`
    return `no token was sent, and no namespace has the Origin: the default namespace ${name} answers, which is tokenless`
  }
  if ('namespaceId' in caller) {
    const canned = caller.kind === 'development' ? ', which gets canned data' : ''
    return `the token is a ${caller.kind} token of ${fullNameOf(caller.namespaceId, tables)}${canned}`
  }
  if ('gameId' in caller) return `the token is a cloud token of ${tables.games.get(caller.gameId)?.name_id}`
  return caller.kind === 'anonymous' ? 'no token was sent' : `the token is a ${caller.kind} token`
}

type Concerning = ReturnType<ExplainedOf['faults']['concerning']>

/** What the first does that is due; `undefined` where there is none, or where the request goes on as ever. */
function struckBy(concerning: Concerning): string | undefined {
  const { state } = concerning.find(({ isDue, state }) => isDue && state.chance !== 0) ?? {}
  if (!state || state.effect.spurious !== undefined) return undefined
  const may = state.chance === undefined || state.chance === 1 ? '' : 'perhaps '
  return `${may}met by fault ${state.id}: ${JSON.stringify(state.effect)}`
}

function faultText({ state: { id, effect, times, struck, chance }, isDue }: Concerning[number]): string {
  const more = [
    !isDue && 'but not now',
    times !== undefined && `${struck} of ${times} times so far`,
    chance !== undefined && `with a chance of ${chance}`,
  ].filter(text => text !== false)
  return [`fault ${id} concerns it: ${JSON.stringify(effect)}`, ...more].join(', ')
}

/** Whether the page that asks may read the answer. */
function readers(
  origin: string | undefined,
  { view: { tables }, corsOrigins, method }: Pick<ExplainedOf, 'view' | 'corsOrigins'> & { readonly method: string },
): string[] {
  if (origin === undefined || isAllowedOrigin(origin, { tables, corsOrigins })) return []
  const refused = isChanging(method)
    ? ['a browser that sends it from there is refused (403 API_FORBIDDEN), because the page is of another site']
    : []
  return [`pages of ${origin} may not read the answer, unless --cors-origin ${origin} allows them`, ...refused]
}
