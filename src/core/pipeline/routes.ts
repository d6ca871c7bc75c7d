import { ApiError } from '../contract/errors.js'
import { operations } from '../contract/operations.js'
import { decodeSegment, defaultWorldId, splitWorldPath } from '../contract/paths.js'
import { nearest, shortened } from '../lib/messages.js'
import { type AbortSignalLike, header, type MockRequest } from './message.js'

interface Endpoint {
  readonly method: string
  readonly path: string
}

type Params = Readonly<Record<string, string>>

/** The endpoint of a request, and the decoded parameters of its path. */
export interface Route<Id> {
  readonly id: Id
  readonly params: Params
}

interface Match<Id> {
  readonly ids: ReadonlyMap<string, Id>
  readonly params: Params
}

interface Node<Id> {
  readonly literals: Map<string, Node<Id>>
  param?: { readonly name: string; readonly node: Node<Id> }
  readonly ids: Map<string, Id>
}

/** In characters. A longer path is not cached, and gets no suggestion, which would take quadratic time. */
const longestUsualPath = 300

const mostCachedPaths = 500

const mostInPrefix = 3

const isUsualPrefix = (segment: string) => /^(?:api|v\d+)$/i.test(segment)

/** Finds the endpoint of a method and a path. */
export class RouteTable<Id extends string> {
  readonly #endpoints: readonly Endpoint[]
  readonly #hint: (basePath: string) => string
  readonly #root: Node<Id>
  /** Most clients request the same few paths. The oldest is dropped first. */
  readonly #cache = new Map<string, Match<Id>>()

  /** `hint` ends the error message for an unknown path. */
  constructor(endpoints: Readonly<Record<Id, Endpoint>>, hint: (basePath: string) => string) {
    this.#endpoints = Object.values(endpoints)
    this.#hint = hint
    this.#root = buildTree(Object.entries(endpoints) as [Id, Endpoint][]) // it has only these keys
  }

  /** Finds the endpoint of a request; HEAD is answered as GET. Throws `ApiError`, whose message begins paths with `basePath`. */
  find(method: string, path: string, basePath = ''): Route<Id> {
    const route = this.get(method, path)
    if (route) return route
    const found = this.#match(path)
    if (!found) throw this.#notFound(path, basePath)
    const allowed = [...found.ids.keys()].join(', ')
    throw new ApiError(
      'API_METHOD_NOT_ALLOWED',
      `${shortened(method)} is not allowed on ${basePath}${shortened(path, longestUsualPath)}: use ${allowed}`,
      { headers: { allow: allowed } },
    )
  }

  /** Finds the endpoint of a request, as `find` does. `undefined` if there is none. */
  get(method: string, path: string): Route<Id> | undefined {
    const found = this.#match(path)
    if (!found) return undefined
    const id = found.ids.get(method === 'HEAD' ? 'GET' : method)
    return id === undefined ? undefined : { id, params: found.params }
  }

  /** Lists the endpoints of a method at a path. `OPTIONS` lists all methods; any other method has at most one endpoint. */
  list(method: string, path: string): readonly Id[] {
    if (method === 'OPTIONS') return [...(this.#match(path)?.ids.values() ?? [])]
    const route = this.get(method, path)
    return route ? [route.id] : []
  }

  /** Suggests an endpoint for a wrong path: by the same ending, or by nearly the same spelling. */
  suggest(path: string): Endpoint | undefined {
    const segments = path.split('/').filter(segment => segment !== '')
    if (path.length > longestUsualPath) return undefined
    const ends = segments.slice(0, mostInPrefix + 1).map((_, dropped) => segments.slice(dropped))
    // The last segment alone says little, as in `/articles/list`, unless only a usual prefix is before it.
    const told = ends.filter((end, dropped) => end.length > 1 || segments.slice(0, dropped).every(isUsualPrefix))
    return (
      told.map(end => this.#endingWith(end)).find(Boolean) ??
      this.#near(segments) ??
      told.map(end => this.#withNearEnding(end)).find(Boolean)
    )
  }

  #endingWith(segments: readonly string[]): Endpoint | undefined {
    return this.#endpoints.find(({ path }) => endsWith(path.split('/'), segments))
  }

  #near(segments: readonly string[]): Endpoint | undefined {
    const filled = this.#endpoints.map(({ path }) => fillParams(path.split('/').slice(1), segments))
    const near = nearest(segments.join('/'), filled)
    return this.#endpoints.find((_, i) => filled[i] === near)
  }

  #withNearEnding(segments: readonly string[]): Endpoint | undefined {
    if (segments.length === 1) return undefined
    const ends = this.#endpoints.map(({ path }) => path.split('/').slice(-segments.length))
    // A parameter is spelt like any segment.
    const texts = ends.map(end => (end.some(isParam) ? '' : end.join('/')))
    const near = nearest(segments.join('/'), texts)
    return this.#endpoints.find((_, i) => texts[i] === near)
  }

  #match(path: string): Match<Id> | undefined {
    const cached = this.#cache.get(path)
    if (cached) return cached
    if (path.length > longestUsualPath) return match(this.#root, path.split('/'), {})
    // A copy, because a substring of a URL keeps the whole URL in memory.
    const copy: string = JSON.parse(JSON.stringify(path))
    const found = match(this.#root, copy.split('/'), {})
    if (!found) return undefined
    this.#cache.set(copy, found)
    const [oldest = ''] = this.#cache.keys()
    if (this.#cache.size > mostCachedPaths) this.#cache.delete(oldest)
    return found
  }

  #notFound(path: string, basePath: string): ApiError {
    const near = this.suggest(path)
    const advice = near ? `did you mean ${near.method} ${basePath}${near.path}?` : this.#hint(basePath)
    return new ApiError('API_NOT_FOUND', `nothing is at ${basePath}${shortened(path, longestUsualPath)}: ${advice}`)
  }
}

/** The routes of the operations. All mocks share them. */
export const routes = new RouteTable(operations, () => 'npx mockmaker routes prints all operations')

/** Suggests an operation for a request that none matches. `undefined` if none is similar. */
export function explainUnmatched(method: string, pathname: string, basePath = ''): string | undefined {
  const isBelow = pathname.startsWith(basePath)
  const { basePath: world, path } = splitWorldPath(isBelow ? pathname.slice(basePath.length) : pathname)
  const base = basePath + world
  const allowed = isBelow ? routes.list('OPTIONS', path).map(id => operations[id].method) : []
  if (allowed.length > 0) {
    const isAllowed = routes.list(method, path).length > 0
    return isAllowed ? undefined : `${method} is not allowed on ${base}${path}: use ${allowed.join(', ')}`
  }
  const near = routes.suggest(path)
  return near && `did you mean ${near.method} ${base}${near.path}?`
}

function match<Id>(node: Node<Id>, [segment, ...rest]: readonly string[], params: Params): Match<Id> | undefined {
  const { literals, param, ids } = node
  if (segment === undefined) return ids.size === 0 ? undefined : { ids, params }
  const literal = literals.get(segment)
  const found = literal ? match(literal, rest, params) : undefined
  if (found || !param || segment === '') return found
  return match(param.node, rest, { ...params, [param.name]: decodeSegment(segment) })
}

function buildTree<Id>(endpoints: readonly (readonly [Id, Endpoint])[]): Node<Id> {
  const root = createNode<Id>()
  for (const [id, { method, path }] of endpoints) {
    let node = root
    for (const segment of path.split('/')) node = nodeBelow(node, segment)
    node.ids.set(method, id)
  }
  return root
}

function nodeBelow<Id>(node: Node<Id>, segment: string): Node<Id> {
  if (isParam(segment)) {
    node.param ??= { name: segment.slice(1, -1), node: createNode() }
    return node.param.node
  }
  const next = node.literals.get(segment) ?? createNode<Id>()
  node.literals.set(segment, next)
  return next
}

function createNode<Id>(): Node<Id> {
  return { literals: new Map(), ids: new Map() }
}

function isParam(segment: string): boolean {
  return segment.startsWith('{')
}

/** Tells whether a template ends with these segments. A parameter matches any segment, but cannot be the last one. */
function endsWith(template: readonly string[], segments: readonly string[]): boolean {
  // A longer path differs from the empty text with which a template begins.
  const end = template.slice(-segments.length)
  const isSame = end.every((segment, i) => isParam(segment) || segment === segments[i])
  return isSame && !isParam(end.at(-1) ?? '')
}

function fillParams(template: readonly string[], segments: readonly string[]): string {
  return template.map((segment, i) => (isParam(segment) ? segments[i] : segment)).join('/')
}

/** The world of a request, and the path in it. */
export interface Place {
  readonly worldId: string
  /** Without the world. */
  readonly path: string
  /** The part of the path that names the world. Empty if the path names none. */
  readonly basePath: string
}

/** Finds the world that a request names: by its path `/w/{id}/…`, else by its header `x-mock-world`, else `default`. */
export function locate(request: Pick<MockRequest, 'path' | 'headers'>): Place {
  const { basePath, encodedId, path } = splitWorldPath(request.path)
  const worldId = encodedId === undefined ? header(request, 'x-mock-world') : decodeSegment(encodedId)
  return { worldId: worldId ?? defaultWorldId, path, basePath }
}

/** Returns a request as its world sees it: without the world in its path. */
export function requestAt(request: MockRequest, { path, basePath }: Pick<Place, 'path' | 'basePath'>): MockRequest {
  return basePath === '' ? request : new RequestInWorld(request, path, basePath)
}

/** Removes the world from the path of a request. */
export function withoutWorld(request: MockRequest): MockRequest {
  return requestAt(request, splitWorldPath(request.path))
}

/** A request with another path. Like the original, it reads the address of the connection on demand. */
class RequestInWorld implements MockRequest {
  readonly method: string
  readonly path: string
  readonly basePath: string
  readonly query: string | undefined
  readonly headers: MockRequest['headers']
  readonly body: Uint8Array | undefined
  publicUrl: string | undefined
  serverHost: string | undefined
  readonly #original: MockRequest

  constructor(original: MockRequest, path: string, worldPath: string) {
    this.method = original.method
    this.path = path
    this.basePath = (original.basePath ?? '') + worldPath
    this.query = original.query
    this.headers = original.headers
    this.body = original.body
    this.serverHost = original.serverHost
    this.#original = original
  }

  get address(): string | undefined {
    return this.#original.address
  }

  get port(): number | undefined {
    return this.#original.port
  }

  get forwardedFor(): string | undefined {
    return this.#original.forwardedFor
  }

  get pageOrigin(): string | undefined {
    return this.#original.pageOrigin
  }

  get waitedMs(): number | undefined {
    return this.#original.waitedMs
  }

  signal(): AbortSignalLike | undefined {
    return this.#original.signal?.()
  }
}
