import { ApiError } from '../contract/error.js'
import { nearest } from '../contract/nearest.js'
import type { Method, OperationSpec } from '../contract/operation.js'
import { type OperationId, operationIds, operations } from '../contract/operations.js'
import { decodedSegment } from './decoded-segment.js'

/** An operation that a request has found, and the parameters of its path, decoded. */
interface Route {
  readonly id: OperationId
  readonly params: Readonly<Record<string, string>>
}

/** A segment of the paths: what may follow it, and the operations that end here. */
interface Node {
  readonly literals: Map<string, Node>
  param?: { readonly name: string; readonly node: Node }
  readonly ends: Map<Method, OperationId>
}

/** A place in the tree where a path has ended. */
interface Found {
  readonly ends: ReadonlyMap<Method, OperationId>
  readonly params: Readonly<Record<string, string>>
}

const root = createNode()
for (const id of operationIds) addRoute(id, operations[id])

/** The operation that a method and a path mean. HEAD is GET. Throws `ApiError` where no operation is there, or only others. */
export function findRoute(method: string, path: string): Route {
  const found = find(path)
  if (!found) throw notFound(path)
  const id = found.ends.get(asked(method))
  if (id !== undefined) return { id, params: found.params }
  const allowed = [...found.ends.keys()].join(', ')
  throw new ApiError('API_METHOD_NOT_ALLOWED', `${method} is not allowed on ${path}: use ${allowed}`, {
    headers: { allow: allowed },
  })
}

/** The operations at a path that a method may mean: one at most, but all of them for `OPTIONS`. */
export function operationsAt(method: string, path: string): readonly OperationId[] {
  const ends = find(path)?.ends
  if (!ends) return []
  if (method === 'OPTIONS') return [...ends.values()]
  const id = ends.get(asked(method))
  return id === undefined ? [] : [id]
}

/** The method of the operation that is meant; no operation has one that is none of ours. */
function asked(method: string): Method {
  return (method === 'HEAD' ? 'GET' : method) as Method
}

/** In characters. A longer path is not remembered, nor compared with ours for a slip of the pen, which costs its square. */
const longestUsual = 300

/** Where paths have led, those found first going first: most clients ask for the same few. All mocks have one table of operations, and so share this. */
const remembered = new Map<string, Found>()
const mostRemembered = 500

function find(path: string): Found | undefined {
  const known = remembered.get(path)
  if (known) return known
  if (path.length > longestUsual) return walked(path)
  // A copy, because what is cut out of a URL keeps all of it alive.
  const copy: string = JSON.parse(JSON.stringify(path))
  const found = walked(copy)
  if (!found) return undefined
  remembered.set(copy, found)
  const [oldest = ''] = remembered.keys()
  if (remembered.size > mostRemembered) remembered.delete(oldest)
  return found
}

function walked(path: string): Found | undefined {
  return walk(root, { segments: path.split('/'), at: 0, params: {} })
}

interface Way {
  readonly segments: readonly string[]
  /** The segment to be looked at. */
  readonly at: number
  readonly params: Found['params']
}

function walk({ literals, param, ends }: Node, { segments, at, params }: Way): Found | undefined {
  const segment = segments[at]
  if (segment === undefined) return ends.size === 0 ? undefined : { ends, params }
  const literal = literals.get(segment)
  const found = literal && walk(literal, { segments, at: at + 1, params })
  if (found || !param || segment === '') return found
  return walk(param.node, { segments, at: at + 1, params: { ...params, [param.name]: decodedSegment(segment) } })
}

function addRoute(id: OperationId, { method, path }: OperationSpec): void {
  let node = root
  for (const segment of path.split('/')) {
    const name = paramName(segment)
    if (name === undefined) {
      const next = node.literals.get(segment) ?? createNode()
      node.literals.set(segment, next)
      node = next
    } else {
      node.param ??= { name, node: createNode() }
      node = node.param.node
    }
  }
  node.ends.set(method, id)
}

function createNode(): Node {
  return { literals: new Map(), ends: new Map() }
}

function paramName(segment: string): string | undefined {
  return segment.startsWith('{') ? segment.slice(1, -1) : undefined
}

function notFound(path: string): ApiError {
  const near = nearOperation(path)
  const hint = near ? `did you mean ${near.method} ${near.path}?` : 'npx mockmaker routes lists what there is'
  return new ApiError('API_NOT_FOUND', `nothing is at ${path}: ${hint}`)
}

/** The operation whose path ends as this one does, or is nearly spelt like it. */
function nearOperation(path: string): OperationSpec | undefined {
  const segments = path.split('/').filter(segment => segment !== '')
  if (segments.length === 0 || path.length > longestUsual) return undefined
  const specs: readonly OperationSpec[] = operationIds.map(id => operations[id])
  const ending = specs.find(spec => endsLike(spec.path.split('/'), segments))
  if (ending) return ending
  const filled = specs.map(spec =>
    fill(
      spec.path.split('/').filter(segment => segment !== ''),
      segments,
    ),
  )
  const near = nearest(segments.join('/'), filled)
  return near === undefined ? undefined : specs[filled.indexOf(near)]
}

function endsLike(template: readonly string[], segments: readonly string[]): boolean {
  const end = template.slice(-segments.length)
  const same = end.every((segment, i) => paramName(segment) !== undefined || segment === segments[i])
  return segments.length <= template.length && same && paramName(end.at(-1) ?? '') === undefined
}

function fill(template: readonly string[], segments: readonly string[]): string {
  return template.map((segment, i) => (paramName(segment) === undefined ? segment : segments[i])).join('/')
}
