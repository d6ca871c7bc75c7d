import * as z from 'zod'
import { ApiError } from '../../contract/errors.js'
import { utf8Length } from '../../contract/formats.js'
import { limits } from '../../contract/limits.js'
import type { Auth } from '../../contract/operation.js'
import { operations } from '../../contract/operations.js'
import { deviceLinkPath, isControlPath, pathInWorld } from '../../contract/paths.js'
import type * as types from '../../generated/options.js'
import { parseInput } from '../../lib/issues.js'
import { nearest, quoted, UsageError } from '../../lib/messages.js'
import { lazyObject } from '../../lib/schemas.js'
import { formatInstant } from '../../lib/time.js'
import { validateNamespace } from '../../operations/namespaces.js'
import type { Caller } from '../../operations/resolver.js'
import { authenticate } from '../../pipeline/authenticate.js'
import type { LiveFaults } from '../../pipeline/faults.js'
import type { MockRequest } from '../../pipeline/message.js'
import { isAllowedOrigin, isUnsafeMethod, namespaceOfOrigin } from '../../pipeline/origin.js'
import { routes } from '../../pipeline/routes.js'
import {
  findObstacle,
  freeSeats,
  listObstacles,
  modeKey,
  type RunningLobby,
  seatsTaken,
} from '../../store/lobby-rules.js'
import type { LobbyRow } from '../../store/matchmaker-rows.js'
import { findGame, fullNameOf } from '../../store/namespaces.js'
import type { ReadView } from '../../store/world.js'
import { type Explanation, explainFind, obstacleTexts } from './explain-find.js'

export const Question = lazyObject(() => ({
  /** Explains why this lobby is listed or not. */
  lobby_id: z.string().optional(),
  /** Explains the answer to a request with this path. */
  path: z.string().optional(),
  /** The method of the request. Default: GET. */
  method: z.string().min(1).optional(),
  /** The bearer token of the request. Default: none. */
  token: z.string().optional(),
  /** The Origin of the request. Default: none. */
  origin: z.string().optional(),
  /** Checks this name id of a new namespace. */
  name_id: z.string().optional(),
  /** Checks this display name of a new namespace. */
  display_name: z.string().optional(),
  /** The game of that namespace, by its id or its `name_id`. Default: the first one. */
  game: z.string().optional(),
  /** Explains what a find in this game mode does now, if no fault applies to it. */
  find: z.string().optional(),
  /** The namespace of that game mode, by its id or as `<game>/<namespace>`. Default: the default namespace. */
  namespace: z.string().optional(),
  /** Explains the answer to a past request: the id of its journal entry. */
  exchange: z.int().min(1).optional(),
}))
/** Asks about a lobby, a request, a past request, a find, or the names of a namespace. */
export type Question = types.Question

interface ExplainedWorld {
  readonly world: ReadView
  /** Origins whose pages may read answers, beyond loopback and the pages of the namespaces. */
  readonly corsOrigins: readonly string[]
  readonly faults: Pick<LiveFaults, 'matching'>
  /** Says why a past request got its answer. Throws `UsageError` if the journal does not have it. */
  reasonsOf(exchange: number): Explanation
}

/** Answers a question. Throws `UsageError` unless it asks about one thing. */
export function explain(explained: ExplainedWorld, asked: Question): Explanation {
  const { world } = explained
  const question = parseInput(Question(), asked, 'question')
  const { lobby_id, path, name_id, display_name, exchange, find } = question
  const isName = name_id !== undefined || display_name !== undefined
  const subjects = [lobby_id !== undefined, path !== undefined, isName, exchange !== undefined, find !== undefined]
  if (subjects.filter(isAsked => isAsked).length !== 1)
    throw new UsageError(
      'ask for one thing: lobby_id, path (with method), exchange, find (with namespace), or name_id and display_name',
    )
  if (exchange !== undefined) return explained.reasonsOf(exchange)
  if (find !== undefined) return explainFind({ ...question, find }, world)
  if (lobby_id !== undefined) return explainLobby(world, lobby_id)
  if (path !== undefined) return explainRequest(explained, { ...question, path })
  return explainNames(world, question)
}

function explainLobby({ tables, starter }: ReadView, lobbyId: string): Explanation {
  const lobby = tables.lobbies.get(lobbyId)
  if (!lobby) {
    const ids = tables.lobbies.all().map(({ lobby_id }) => lobby_id)
    const near = nearest(lobbyId, ids)
    const hint = near === undefined ? 'GET /__mock/lobbies lists the lobbies' : `did you mean ${near}?`
    return { verdict: 'does not exist', because: [`the world has no lobby ${quoted(lobbyId)}: ${hint}`] }
  }
  const mode = modeKey(lobby)
  const ofMode: LobbyRow[] = []
  for (const other of tables.lobbies.all()) {
    if (modeKey(other) === mode) ofMode.push(other)
  }
  const obstacle = listObstacles(ofMode, tables)(lobby)
  const start = lobby.run_by === 'none' ? { starts_server: starter.starts(lobby) } : {}
  const more = lobby.status === 'stopped' ? [] : runningText(lobby, starter)
  if (obstacle !== undefined)
    return { verdict: 'not listed', because: [`it is ${obstacleTexts[obstacle]}`, ...more], ...start }
  const namespace = fullNameOf(lobby.namespace_id, tables)
  const open = `it is open and public, and its game mode is listable: a public token of ${namespace} sees it, and so does a caller without a token if ${namespace} is tokenless`
  const canned = 'a development token gets a canned list instead, without the lobbies of the world'
  return { verdict: 'listed', because: [open, canned, ...more], ...start }
}

function runningText(lobby: RunningLobby, starter: ReadView['starter']): string[] {
  const texts = [seatsText(lobby, starter), serverText(lobby, starter)]
  if (lobby.status === 'ready') return texts
  const until = lobby.ready_by === undefined ? '' : `, and stops at ${formatInstant(lobby.ready_by)} if it does not`
  return [`it is not ready until its server calls POST /matchmaker/lobbies/ready${until}`, ...texts]
}

function seatsText(lobby: RunningLobby, starter: ReadView['starter']): string {
  const { total_player_count, reserved_player_count, max_players_direct } = lobby
  const taken = `seats taken by connected players: ${total_player_count}, reserved: ${reserved_player_count}`
  const forFind = findObstacle(lobby, {}, { starter }) === undefined ? freeSeats(lobby) : 0
  return `${taken}, free for find: ${forFind}, for join by its id: ${Math.max(0, max_players_direct - seatsTaken(lobby))}`
}

function serverText(lobby: RunningLobby, starter: ReadView['starter']): string {
  const { run_by, lobby_id } = lobby
  const env = `GET /__mock/lobbies/${encodeURIComponent(lobby_id)}/env shows its token`
  if (run_by === 'mock') return `the mock simulates its server until the first call with the lobby's token (${env})`
  if (run_by === 'none')
    return starter.starts(lobby)
      ? 'no game server runs it: the first find or join starts one'
      : `no game server runs it, and no command starts one: find passes it by. If you run one, set run_by to server (${env})`
  return `a real server runs it: players connect and leave only through calls with the lobby's token (${env})`
}

function explainNames({ tables, ...view }: ReadView, question: Question): Explanation {
  // Replaces a name that was not asked about by a valid one.
  const { game: name, name_id = 'a', display_name = 'A' } = question
  const game = name === undefined ? tables.games.all()[0] : findGame(name, tables)
  const input = { name_id, display_name, game_id: game?.game_id ?? '' }
  const { errors } = validateNamespace({ caller: { kind: 'device' }, input, tables, ...view })
  const names = { name_id, display_name, game: game?.name_id ?? 'any game' }
  const because = errors
    .filter(({ path: [name] }) => (name === 'name-id' ? question.name_id : question.display_name) !== undefined)
    .map(({ path }) => {
      const problem = path.join('.')
      return [problem, nameProblems[problem]?.(names)].filter(text => text !== undefined).join(': ')
    })
  if (because.length > 0) return { verdict: 'invalid', because }
  return { verdict: 'valid', because: [`the format is right, and no namespace of ${names.game} has that name_id`] }
}

const nameProblems: {
  readonly [problem: string]: (names: { name_id: string; display_name: string; game: string }) => string
} = {
  'display-name.too-short': () => 'it is empty',
  'display-name.too-long': ({ display_name }) =>
    `it has ${utf8Length(display_name)} bytes of UTF-8, and at most ${limits.displayNameBytes.most} are allowed`,
  'display-name.invalid': ({ display_name }) =>
    `${quoted(display_name)} is not a display name: expected 1 to 128 bytes of UTF-8, with no white space but single inner spaces`,
  'name-id.too-short': () => 'it is empty',
  'name-id.too-long': ({ name_id }) =>
    `it has ${utf8Length(name_id)} bytes of UTF-8, and at most ${limits.identifierBytes.most} are allowed`,
  'name-id.not-unique': ({ name_id, game }) => `the game ${game} already has a namespace ${quoted(name_id)}`,
  'name-id.invalid': ({ name_id }) =>
    `${quoted(name_id)} is not an identifier: expected 1 to 16 of 0-9 a-z and -, with single - inside only`,
}

function explainRequest(
  { world: view, corsOrigins, faults }: ExplainedWorld,
  question: Question & { readonly path: string },
): Explanation {
  const { method = 'GET', token, origin } = question
  const url = question.path.replace(/^https?:\/\/[^/?]*/i, '') || '/'
  const [path = '', query] = pathInWorld(url).split('?')
  const outside = outsideService(path)
  if (outside !== undefined) return { verdict: outside, because: [`no operation has the path ${path}`] }
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(origin === undefined ? {} : { origin }),
  }
  const request: MockRequest = { method: method.toUpperCase(), path, query, headers }
  const matching = faults.matching(request)
  const because = matching.map(faultText)
  const verdict = faultVerdict(matching)
  if (verdict !== undefined) return { verdict, because }
  try {
    const route = routes.find(request.method, path)
    const { id } = route
    const { auth, summary } = operations[id]
    because.push(`the operation is ${id}: ${summary}`, `it accepts ${authTexts[auth]}`)
    const caller = authenticate(request, route, view)
    because.push(callerText(caller, origin, view))
    if (origin !== undefined && !isAllowedOrigin(origin, { tables: view.tables, corsOrigins }))
      because.push(...refusedOriginTexts(origin, request.method))
    return { verdict: `answered by ${id}`, because }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { verdict: `${error.status} ${error.code}`, because: [...because, error.message] }
  }
}

function outsideService(path: string): string | undefined {
  if (isControlPath(path)) return 'answered by the control API'
  const isPage = path === '/' || path === '/openapi.json' || path.startsWith(deviceLinkPath)
  return isPage ? 'answered by a page' : undefined
}

const authTexts: { readonly [auth in Auth]: string } = {
  none: 'any caller, but a token that is sent must be valid',
  bearer: 'any valid token',
  namespace: 'a public token, a development token (with canned data), or no token if the namespace is tokenless',
  public: 'a public token, or a development token (with canned data)',
  lobby: 'the token of a lobby, or a development token (with canned data)',
  cloud: 'a cloud token. If the path names a game, it must be a token of that game',
}

function callerText(caller: Caller, origin: string | undefined, { tables }: ReadView): string {
  if (caller.kind === 'tokenless') {
    const name = fullNameOf(caller.namespaceId, tables)
    const byOrigin = origin !== undefined && namespaceOfOrigin(origin, tables) !== undefined
    if (byOrigin) return `no token was sent, and pages of ${origin} belong to ${name}, which is tokenless`
    return `no token was sent, and no namespace has this Origin: the default namespace ${name} answers, because it is tokenless`
  }
  if ('namespaceId' in caller) {
    const canned = caller.kind === 'development' ? ', which gets canned data' : ''
    return `the token is a ${caller.kind} token of ${fullNameOf(caller.namespaceId, tables)}${canned}`
  }
  if ('gameId' in caller) return `the token is a cloud token of ${tables.games.get(caller.gameId)?.name_id}`
  return caller.kind === 'anonymous' ? 'no token was sent' : `the token is a ${caller.kind} token`
}

function refusedOriginTexts(origin: string, method: string): string[] {
  const refused = isUnsafeMethod(method)
    ? ['the mock refuses this call from such a page (403 API_FORBIDDEN), because the page is of another site']
    : []
  return [`pages of ${origin} may not read the answer, unless --cors-origin ${origin} allows them`, ...refused]
}

type MatchingFault = ReturnType<LiveFaults['matching']>[number]

function faultVerdict(matching: readonly MatchingFault[]): string | undefined {
  const { state } = matching.find(({ isDue, state }) => isDue && state.chance !== 0) ?? {}
  if (!state) return undefined
  const { spurious, index, date } = state.effect
  if ((spurious ?? index ?? date) !== undefined) return undefined
  const applies = state.chance === undefined || state.chance === 1 ? 'applies' : 'may apply'
  return `fault ${state.id} ${applies}: ${JSON.stringify(state.effect)}`
}

function faultText({ state: { id, effect, times, struck, chance }, isDue }: MatchingFault): string {
  const more = [
    !isDue && 'but it is not active now',
    times !== undefined && `applied ${struck} of ${times} times so far`,
    chance !== undefined && `with a chance of ${chance}`,
  ].filter(text => text !== false)
  return [`fault ${id} matches: ${JSON.stringify(effect)}`, ...more].join(', ')
}
