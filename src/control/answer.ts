import { ApiError } from '../contract/errors.js'
import { controlPath } from '../contract/paths.js'
import { UsageError } from '../lib/usage-error.js'
import { bodyLimit, type MockRequest, type MockResponseInit } from '../server/message.js'
import { pathInWorld, RouteTable } from '../server/routes.js'
import { controlCalls, controlPages, type SteeredServer } from './calls.js'
import { controlInput } from './control-input.js'
import { guard } from './guard.js'
import { type ControlId, type ControlSpec, controlOperations } from './operations.js'
import { jsonPage } from './page-answer.js'
import type { WorldControl } from './world-control.js'

/** Which pages may call is told by the headers that every answer gets. */
const preflight: MockResponseInit = { status: 204, headers: {}, body: new Uint8Array(), cors: 'loopback' }

const routes = new RouteTable(controlOperations, `GET ${controlPath} lists the calls`, controlPath)

/** What is steered by a request, and by which version of mockmaker. */
export interface Controlled {
  readonly mock: WorldControl
  readonly server: SteeredServer
  readonly version: string | undefined
  /** Where who calls reaches the world. Without a slash at its end. */
  readonly url: string
}

/**
 * Looks at a request to the control API before the world is there that it names: answers a preflight, and throws
 * `ApiError` where there is no such call, or it may not steer.
 */
export function admit(exchange: MockRequest): MockResponseInit | undefined {
  if (exchange.method === 'OPTIONS') return preflight
  routeOf(exchange)
  guard(exchange)
  return undefined
}

/** How many bytes of a request's body are read: of a call that is refused, no more than of any other. */
export function longestControlBody(request: Pick<MockRequest, 'method' | 'path' | 'headers'>): number {
  try {
    const { longestBody = bodyLimit }: ControlSpec = controlOperations[routeOf(request).id]
    guard(request)
    return longestBody
  } catch {
    return bodyLimit
  }
}

/** Answers a request that was admitted. Rejects with what its answer is made of: `ApiError`, or a bug. */
export async function answerControl(exchange: MockRequest, controlled: Controlled): Promise<MockResponseInit> {
  const { id, params } = routeOf(exchange)
  const input = controlInput(controlOperations[id], exchange)
  return carryOut(id, { ...controlled, ...input, params, exchange })
}

function routeOf({ method, path }: Pick<MockRequest, 'method' | 'path'>) {
  const inside = pathInWorld(path).slice(controlPath.length) || '/'
  // The id of a game mode has a slash in it, and people write it so.
  return routes.find(method, inside.replace(/^(\/game-modes\/[^/]+)\/(?=[^/]+$)/, '$1%2F'))
}

// The tables of calls have for each id what takes the input of its schemas; TypeScript cannot follow one id through all.
const pages = controlPages as {
  readonly [id: string]: ((call: object) => MockResponseInit | Promise<MockResponseInit>) | undefined
}
const calls = controlCalls as unknown as { readonly [id: string]: (call: object) => object | Promise<object> }

async function carryOut(id: ControlId, call: object): Promise<MockResponseInit> {
  try {
    return (await pages[id]?.(call)) ?? jsonPage((await calls[id]?.(call)) ?? {}, 'loopback')
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    throw new ApiError(isAskedByQuery(controlOperations[id]) ? 'API_BAD_QUERY' : 'API_BAD_BODY', error.message)
  }
}

/** Whether what a call says of itself stands in its query. */
function isAskedByQuery({ method, query, body }: ControlSpec): boolean {
  return method === 'GET' || (query !== undefined && body === undefined)
}
