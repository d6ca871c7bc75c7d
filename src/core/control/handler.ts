import * as z from 'zod'
import { ApiError } from '../contract/errors.js'
import { controlPath } from '../contract/paths.js'
import { parseInput } from '../lib/issues.js'
import { nestingLimit } from '../lib/json.js'
import { lazy } from '../lib/lazy.js'
import { didYouMean, nearest, quoted, shortened, UsageError } from '../lib/messages.js'
import { URLSearchParams } from '../lib/real-globals.js'
import type { MockRequest, MockResponseInit } from '../pipeline/message.js'
import { type ControlAccess, checkControlAccess, checkControlCaller } from '../pipeline/origin.js'
import { jsonLimits, parseJson } from '../pipeline/parse.js'
import { type Place, RouteTable } from '../pipeline/routes.js'
import { tablesByPath } from '../store/table-names.js'
import { controlCalls, ObjectOrText } from './api.js'
import { type ControlCall, type ControlContext, longJsonResponse } from './call.js'

type AnyCall = ControlCall<string, z.ZodObject | 'fields' | undefined, z.ZodType | undefined, object>

const table = lazy(() => {
  const calls: Readonly<Record<string, AnyCall>> = Object.fromEntries(controlCalls().map(call => [call.route, call]))
  return { calls, routes: new RouteTable(calls, basePath => `GET ${basePath} lists the calls`) }
})

const preflight: MockResponseInit = { status: 204, headers: {}, body: new Uint8Array(), cors: 'loopback' }

/** The call of a request, before its body is read. */
export interface FoundCall {
  readonly call: AnyCall
  readonly params: Readonly<Record<string, string>>
}

/** Finds the call of a request, or the answer to a preflight. Throws `ApiError` also if the client may not call. */
export function findControlCall(
  request: Pick<MockRequest, 'method' | 'headers' | 'address' | 'basePath'>,
  place: Pick<Place, 'path' | 'basePath'>,
  access: ControlAccess,
): FoundCall | { readonly preflight: MockResponseInit } {
  checkControlAccess(request, access)
  if (request.method === 'OPTIONS') return { preflight }
  const callPath = place.path.slice(controlPath.length) || '/'
  // The id of a game mode has a slash, and people leave it unencoded.
  const encoded = callPath.replace(/^(\/game-modes\/[^/]+)\/(?=[^/]+$)/, '$1%2F')
  const { calls, routes } = table()
  const basePath = (request.basePath ?? '') + place.basePath + controlPath
  const { id, params } = routes.find(request.method, encoded, basePath)
  if (params.table !== undefined) checkTable(params.table, basePath + shortened(callPath))
  checkControlCaller(request)
  return { call: calls[id] as AnyCall, params } // the routes have the ids of the calls
}

/** Throws `ApiError` if the control API has no such table. The path may be that of another call, with a mistake. */
function checkTable(name: string, path: string): void {
  if (Object.hasOwn(tablesByPath, name)) return
  const tables = Object.keys(tablesByPath)
  const calls = controlCalls().flatMap(call => (call.path.includes('{') ? [] : [call.path.slice(1)]))
  const near = nearest(name, [...tables, ...calls])
  throw new ApiError(
    'API_NOT_FOUND',
    `nothing is at ${path}, and no table is called ${quoted(name)}.${didYouMean('', tables)}${near === undefined ? '' : ` Did you mean ${near}?`}`,
  )
}

interface ControlInput {
  readonly query: z.output<z.ZodObject> | undefined
  readonly body: unknown
}

/** Reads the query and the body of a call. Throws `ApiError`. */
export function readControlInput({ call }: FoundCall, request: MockRequest): ControlInput {
  return { query: parseQuery(call, request), body: parseBody(call, request) }
}

/** Runs a call. `isNew`: it has created its world, and its answer says so. Rejects with `ApiError`. */
export async function runControlCall(
  { call, params }: FoundCall,
  context: ControlContext,
  { read, isNew }: { readonly read: () => ControlInput; readonly isNew: boolean },
): Promise<MockResponseInit> {
  const { inSlices } = context
  const input = { ...context, params, ...read() }
  try {
    const cause = { kind: 'control', call: call.route.replace('{table}', params.table ?? '') } as const
    const output = await context.mock.world.causedBy(cause, () => call.run(input))
    const response = await call.respond?.(output, context)
    return response ?? (await inSlices(longJsonResponse(isNew ? { ...output, created: true } : output)))
  } catch (error) {
    const { method, query, body } = call
    const isAskedByQuery = method === 'GET' || (query !== undefined && body === undefined)
    throw asApiError(error, isAskedByQuery ? 'query' : 'body')
  }
}

/** Refuses unknown parameters, because they would have no effect. */
function parseQuery({ query: schema = z.strictObject({}) }: AnyCall, { query = '' }: MockRequest) {
  if (schema === 'fields') return undefined
  const parameters = [...new URLSearchParams(query)]
  const seen = new Set<string>()
  const repeated = parameters.map(([name]) => name).find(name => seen.size === seen.add(name).size)
  if (repeated !== undefined)
    throw new ApiError('API_BAD_QUERY', `query parameter ${shortened(repeated)} appears more than once: send it once`)
  return check(schema, Object.fromEntries(parameters), 'query')
}

/** The most levels of a body. A snapshot contains the states of lobbies, which may have `nestingLimit` levels themselves. */
const levels = 2 * nestingLimit

function parseBody({ body: schema, limits = jsonLimits }: AnyCall, request: MockRequest): unknown {
  if (!schema) return undefined
  // The schema of the call may allow only one of the two.
  return check(schema, parseJson(request, ObjectOrText, { ...limits, levels, takesMark: true }), 'body')
}

function check<Schema extends z.ZodType>(schema: Schema, input: object | string, part: 'query' | 'body') {
  try {
    return parseInput(schema, input, part)
  } catch (error) {
    throw asApiError(error, part)
  }
}

function asApiError(error: unknown, part: 'query' | 'body'): unknown {
  if (!(error instanceof UsageError)) return error
  return new ApiError(part === 'query' ? 'API_BAD_QUERY' : 'API_BAD_BODY', error.message)
}
