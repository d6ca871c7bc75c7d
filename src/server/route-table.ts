import { ApiError } from '../contract/errors.js'
import { nearest } from '../lib/did-you-mean.js'
import { shortened } from '../lib/quote.js'
import { decodedSegment } from './decoded-segment.js'

/** What a request has found, and the parameters of its path, decoded. */
interface Route<Id> {
  readonly id: Id
  readonly params: Readonly<Record<string, string>>
}

/** Where something is asked for. */
interface Place {
  readonly method: string
  /** With `{name}` for each parameter. */
  readonly path: string
}

/** The places of a table by their ids, and what a path that has none is told to look at. */
interface RouteTableOptions<Id extends string> {
  readonly places: Readonly<Record<Id, Place>>
  readonly hint: string
  /** What stands before all paths of the table. Default: nothing. */
  readonly base?: string
}

/** Finds what of a table is asked for. */
export interface RouteTable<Id extends string> {
  /** What a method and a path mean. HEAD is GET. Throws `ApiError` where nothing is there, or only for other methods. */
  find(method: string, path: string): Route<Id>
  /** The place that a path which leads nowhere most likely meant; `undefined` where none is near. */
  near(path: string): Place | undefined
  /** What a method may mean at a path: one at most, but all of them for `OPTIONS`. */
  at(method: string, path: string): readonly Id[]
}

/** A segment of the paths: what may follow it, and what ends here, by method. */
interface Node<Id> {
  readonly literals: Map<string, Node<Id>>
  param?: { readonly name: string; readonly node: Node<Id> }
  readonly ends: Map<string, Id>
}

/** A place in the tree where a path has ended. */
interface Found<Id> {
  readonly ends: ReadonlyMap<string, Id>
  readonly params: Readonly<Record<string, string>>
}

/** In characters. A longer path is not remembered, nor compared with ours for a slip of the pen, which costs its square. */
const longestUsual = 300

const mostRemembered = 500

/** The routes of a table. */
export function createRouteTable<Id extends string>({
  places,
  hint,
  base = '',
}: RouteTableOptions<Id>): RouteTable<Id> {
  // The places have these keys and no other.
  const root = treeOf(Object.entries(places) as [Id, Place][])
  // Where paths have led, those found first going first: most clients ask for the same few.
  const remembered = new Map<string, Found<Id>>()
  const walked = (path: string) => walk(root, { segments: path.split('/'), at: 0, params: {} })
  const found = (path: string) => {
    const known = remembered.get(path)
    if (known) return known
    if (path.length > longestUsual) return walked(path)
    // A copy, because what is cut out of a URL keeps all of it alive.
    const copy: string = JSON.parse(JSON.stringify(path))
    const end = walked(copy)
    if (!end) return undefined
    remembered.set(copy, end)
    const [oldest = ''] = remembered.keys()
    if (remembered.size > mostRemembered) remembered.delete(oldest)
    return end
  }
  return {
    find(method, path) {
      const end = found(path)
      if (!end) throw notFound(path, { places: Object.values(places), hint, base })
      const id = end.ends.get(asked(method))
      if (id !== undefined) return { id, params: end.params }
      const allowed = [...end.ends.keys()].join(', ')
      throw new ApiError(
        'API_METHOD_NOT_ALLOWED',
        `${shortened(method)} is not allowed on ${base}${shortened(path, longestUsual)}: use ${allowed}`,
        { headers: { allow: allowed } },
      )
    },
    near: path => nearPlace(path, Object.values(places)),
    at(method, path) {
      const ends = found(path)?.ends
      if (!ends) return []
      if (method === 'OPTIONS') return [...ends.values()]
      const id = ends.get(asked(method))
      return id === undefined ? [] : [id]
    },
  }
}

/** The method that is meant. */
function asked(method: string): string {
  return method === 'HEAD' ? 'GET' : method
}

interface Way {
  readonly segments: readonly string[]
  /** The segment to be looked at. */
  readonly at: number
  readonly params: Readonly<Record<string, string>>
}

function walk<Id>({ literals, param, ends }: Node<Id>, { segments, at, params }: Way): Found<Id> | undefined {
  const segment = segments[at]
  if (segment === undefined) return ends.size === 0 ? undefined : { ends, params }
  const literal = literals.get(segment)
  const found = literal && walk(literal, { segments, at: at + 1, params })
  if (found || !param || segment === '') return found
  return walk(param.node, { segments, at: at + 1, params: { ...params, [param.name]: decodedSegment(segment) } })
}

function treeOf<Id>(places: readonly (readonly [Id, Place])[]): Node<Id> {
  const root = createNode<Id>()
  for (const [id, { method, path }] of places) {
    let node = root
    for (const segment of path.split('/')) node = nodeBelow(node, segment)
    node.ends.set(method, id)
  }
  return root
}

function nodeBelow<Id>(node: Node<Id>, segment: string): Node<Id> {
  const name = paramName(segment)
  if (name !== undefined) {
    node.param ??= { name, node: createNode() }
    return node.param.node
  }
  const next = node.literals.get(segment) ?? createNode<Id>()
  node.literals.set(segment, next)
  return next
}

function createNode<Id>(): Node<Id> {
  return { literals: new Map(), ends: new Map() }
}

function paramName(segment: string): string | undefined {
  return segment.startsWith('{') ? segment.slice(1, -1) : undefined
}

interface Places {
  readonly places: readonly Place[]
  readonly hint: string
  readonly base: string
}

function notFound(path: string, { places, hint, base }: Places): ApiError {
  const near = nearPlace(path, places)
  const advice = near ? `did you mean ${near.method} ${base}${near.path}?` : hint
  return new ApiError('API_NOT_FOUND', `nothing is at ${base}${shortened(path, longestUsual)}: ${advice}`)
}

/** The place whose path ends as this one does, or is nearly spelt like it. */
function nearPlace(path: string, places: readonly Place[]): Place | undefined {
  const segments = path.split('/').filter(segment => segment !== '')
  if (segments.length === 0 || path.length > longestUsual) return undefined
  const ending = places.find(place => endsLike(place.path.split('/'), segments))
  if (ending) return ending
  const filled = places.map(place =>
    fill(
      place.path.split('/').filter(segment => segment !== ''),
      segments,
    ),
  )
  const near = nearest(segments.join('/'), filled)
  return near === undefined ? undefined : places[filled.indexOf(near)]
}

function endsLike(template: readonly string[], segments: readonly string[]): boolean {
  const end = template.slice(-segments.length)
  const same = end.every((segment, i) => paramName(segment) !== undefined || segment === segments[i])
  return segments.length <= template.length && same && paramName(end.at(-1) ?? '') === undefined
}

function fill(template: readonly string[], segments: readonly string[]): string {
  return template.map((segment, i) => (paramName(segment) === undefined ? segment : segments[i])).join('/')
}
