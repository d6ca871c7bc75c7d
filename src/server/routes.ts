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

const root = createNode()
for (const id of operationIds) addRoute(id, operations[id])

/** The operation that a method and a path mean. HEAD is GET. Throws `ApiError` where no operation is there, or only others. */
export function findRoute(method: string, path: string): Route {
  const there = operationsAt(path)
  if (there.length === 0) throw notFound(path)
  const route = there.find(({ id }) => operations[id].method === (method === 'HEAD' ? 'GET' : method))
  if (route) return route
  const allowed = there.map(({ id }) => operations[id].method).join(', ')
  throw new ApiError('API_METHOD_NOT_ALLOWED', `${method} is not allowed on ${path}: use ${allowed}`, {
    headers: { allow: allowed },
  })
}

/** The operations of all methods at a path. */
export function operationsAt(path: string): Route[] {
  const found = walk(root, path.split('/'), {})
  return found ? [...found.node.ends.values()].map(id => ({ id, params: found.params })) : []
}

interface Found {
  readonly node: Node
  readonly params: Readonly<Record<string, string>>
}

function walk(node: Node, [segment, ...rest]: readonly string[], params: Found['params']): Found | undefined {
  if (segment === undefined) return node.ends.size === 0 ? undefined : { node, params }
  const literal = node.literals.get(segment)
  const found = literal && walk(literal, rest, params)
  if (found || !node.param || segment === '') return found
  return walk(node.param.node, rest, { ...params, [node.param.name]: decodedSegment(segment) })
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

/** What is longer than any path of ours by far is no slip of the pen, and costs its square to compare. */
const longestMistake = 300

/** The operation whose path ends as this one does, or is nearly spelt like it. */
function nearOperation(path: string): OperationSpec | undefined {
  const segments = path.split('/').filter(segment => segment !== '')
  if (segments.length === 0 || path.length > longestMistake) return undefined
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
