import { ApiError } from '../contract/errors.js'
import type { RequestMatch } from '../contract/journal.js'
import { type OperationId, operations } from '../contract/operations.js'
import { exactValue, setKey } from '../lib/json.js'
import { matchesGlob } from '../lib/messages.js'
import { URLSearchParams } from '../lib/real-globals.js'
import type { Caller } from '../operations/resolver.js'
import { fullNameOf } from '../store/namespaces.js'
import type { ReadTables } from '../store/table-calls.js'
import type { ReadView } from '../store/world.js'
import { authenticate } from './authenticate.js'
import type { MockRequest } from './message.js'
import { decodeJson } from './parse.js'
import { type Route, routes } from './routes.js'

/** The parts of a request that a `RequestMatch` compares. */
export interface MatchableRequest {
  /** Returns all values of a query parameter. */
  query(name: string): readonly string[]
  /** Returns all values of a header. `name` is in lower case. */
  header(name: string): readonly string[]
  /** The parsed body: `{}` if it is empty, `undefined` if it is not JSON. */
  readonly body: unknown
  readonly owner: RequestOwner
  readonly tables: ReadTables
}

/** A field in which a request differs from what is expected. */
export interface Difference {
  /** `query.include_state`, `headers.authorization`, `body.name_id`. */
  readonly field: string
  readonly expected: unknown
  /** Absent if the request does not have the field. */
  readonly actual?: unknown
}

/** Creates a difference, without `actual` if that is `undefined`. */
export function difference(field: string, expected: unknown, actual: unknown): Difference {
  const made: Difference = { field, expected }
  setKey(made, 'expected', expected)
  if (actual !== undefined) setKey(made, 'actual', actual)
  return made
}

/** Compares a request with a match, field by field. It is lazy: the first difference may be enough. */
export function* findDifferences(match: RequestMatch, request: MatchableRequest): Generator<Difference> {
  const { query, headers, body, game, namespace } = match
  for (const name in query) yield* compareTexts(`query.${name}`, query[name], request.query(name))
  for (const name in headers) yield* compareTexts(`headers.${name}`, headers[name], request.header(name.toLowerCase()))
  if (body !== undefined) yield* compareJson('body', body, request.body)
  if (game !== undefined) yield* compareNames('game', game, gameNamesOf(request.owner, request.tables))
  if (namespace !== undefined)
    yield* compareNames('namespace', namespace, namespaceNamesOf(request.owner, request.tables))
}

function* compareTexts(field: string, expected = '', actual: readonly string[]): Generator<Difference> {
  if (actual.some(value => matchesGlob(value, expected))) return
  yield difference(field, expected, actual.length > 1 ? actual : actual[0])
}

function* compareNames(
  field: string,
  expected: string,
  actual: readonly (string | undefined)[],
): Generator<Difference> {
  if (actual.includes(expected)) return
  yield difference(
    field,
    expected,
    actual.findLast(name => name !== undefined),
  )
}

/** An object may have more keys than expected. A list must have exactly the expected elements. */
export function* compareJson(field: string, expected: unknown, actual: unknown): Generator<Difference> {
  if (typeof expected !== 'object' || expected === null) {
    // Code can expect only a number where a text has more digits.
    const found = typeof expected === 'number' && typeof actual === 'bigint' ? Number(actual) : actual
    if (found !== expected) yield difference(field, expected, actual)
    return
  }
  if (typeof actual !== 'object' || actual === null || lengthOf(actual) !== lengthOf(expected)) {
    yield difference(field, expected, actual)
    return
  }
  // Not Object.entries: usually the first few keys are enough.
  for (const key in expected) {
    const found = Object.hasOwn(actual, key) ? exactValue(actual, key) : undefined
    yield* compareJson(`${field}.${key}`, exactValue(expected, key), found)
  }
}

/** The length of a list; `undefined` for an object. */
function lengthOf(value: object): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}

/** The game or namespace of a request, if known. */
export interface RequestOwner {
  readonly gameId?: string | undefined
  readonly namespaceId?: string | undefined
}

function gameNamesOf(owner: RequestOwner, { games, namespaces }: ReadTables): (string | undefined)[] {
  const { gameId, namespaceId } = owner
  const id = gameId ?? (namespaceId === undefined ? undefined : namespaces.get(namespaceId)?.game_id)
  return id === undefined ? [] : [id, games.get(id)?.name_id]
}

function namespaceNamesOf({ namespaceId }: RequestOwner, tables: ReadTables): (string | undefined)[] {
  if (namespaceId === undefined) return []
  const namespace = tables.namespaces.get(namespaceId)
  if (!namespace) return [namespaceId]
  return [namespaceId, namespace.name_id, fullNameOf(namespaceId, tables)]
}

/** A request before its checks. It parses each part on first use, and never throws. */
export class UncheckedRequest implements MatchableRequest {
  readonly #request: MockRequest
  readonly #route: Route<OperationId> | undefined
  readonly #view: ReadView
  #query: URLSearchParams | undefined
  #body: { readonly json: unknown } | undefined
  #caller: { readonly found: Caller | undefined } | undefined

  constructor(request: MockRequest, view: ReadView) {
    this.#request = request
    this.#view = view
    this.#route = routes.get(request.method, request.path)
  }

  /** `undefined` if no operation has the path and the method. */
  get operation(): OperationId | undefined {
    return this.#route?.id
  }

  query(name: string): readonly string[] {
    this.#query ??= new URLSearchParams(this.#request.query ?? '')
    return this.#query.getAll(name)
  }

  header(name: string): readonly string[] {
    const { headers } = this.#request
    return Object.hasOwn(headers, name) ? [headers[name] ?? []].flat() : []
  }

  /** `undefined` also for a body that the service refuses: it is too long, or nests too deep. */
  get body(): unknown {
    this.#body ??= { json: unlessRefused(() => decodeJson(this.#request)) }
    return this.#body.json
  }

  /** `undefined` if the operation does not admit the caller. */
  get caller(): Caller | undefined {
    const route = this.#route
    this.#caller ??= { found: route && unlessRefused(() => authenticate(this.#request, route, this.#view)) }
    return this.#caller.found
  }

  get isWatch(): boolean {
    const { operation } = this
    return operation !== undefined && operations[operation].kind === 'watch'
  }

  /** True for a watch with an index, which may block. */
  get mayBlock(): boolean {
    return this.isWatch && this.query('watch_index').length > 0
  }

  get tables(): ReadTables {
    return this.#view.tables
  }

  /** The owner of the path or, if that names no game, of the caller. */
  get owner(): RequestOwner {
    const { game_id: gameId, namespace_id: namespaceId } = this.#route?.params ?? {}
    return gameId === undefined ? ownerByCaller(this.caller) : { gameId, namespaceId }
  }
}

function ownerByCaller(caller: Caller | undefined): RequestOwner {
  if (caller === undefined) return {}
  if ('namespaceId' in caller) return { namespaceId: caller.namespaceId }
  return 'gameId' in caller ? { gameId: caller.gameId } : {}
}

function unlessRefused<T>(find: () => T): T | undefined {
  try {
    return find()
  } catch (error) {
    if (error instanceof ApiError) return undefined
    throw error
  }
}
