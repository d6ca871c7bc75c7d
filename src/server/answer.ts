import type { Auth, OperationSpec } from '../contract/operation.js'
import { operations } from '../contract/operations.js'
import type { LiveWorld } from '../store/world.js'
import { afflict } from './afflict.js'
import { authenticate, readClient } from './authenticate.js'
import type { Call, CarryOut } from './behave.js'
import type { WorldFaults } from './faults.js'
import { parseBody, parseHeaders, parseQuery } from './input.js'
import type { MockResponse, RequestContext, RequestHandler } from './message.js'
import { checkSite } from './origin.js'
import type { Responder } from './respond.js'
import { routes } from './routes.js'

/** What the service is put together of. */
interface RequestHandlerOptions {
  readonly world: LiveWorld
  readonly responder: Responder
  readonly faults: WorldFaults
  /** Origins that are allowed beyond loopback and the pages of the namespaces. */
  readonly corsOrigins: readonly string[]
  /** For calls that have passed all checks. */
  readonly carryOut: CarryOut
}

/**
 * Answers requests, in the order of checks of PROTOCOL.md B9: site, route, method, token, query, body, existence, state. Faults
 * strike before the token is looked at, and so also what would be refused, but no preflight. What is due by now happens first.
 */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { world, responder, faults, corsOrigins } = options
  return request => {
    if (request.method === 'OPTIONS') return responder.preflight(request)
    const context = responder.begin(request)
    try {
      checkSite(request, { tables: world, corsOrigins })
    } catch (error) {
      // Before the faults, whose counters it must not change.
      return responder.fail(context, error)
    }
    const begin = () =>
      faults.some
        ? afflict(context, { ...options, goOn: late => carriedOn(late, options) })
        : carriedOn(context, options)
    const caughtUp = world.catchUp()
    return caughtUp ? caughtUp.then(begin) : begin()
  }
}

/** Answers a request as ever. Never throws or rejects. */
function carriedOn(
  context: RequestContext,
  { world, responder, carryOut }: RequestHandlerOptions,
): MockResponse | Promise<MockResponse> {
  try {
    const output = carryOut(prepare(context, world))
    if (!(output instanceof Promise)) return responder.succeed(context, output)
    return output.then(
      late => responder.succeed(context, late),
      error => responder.fail(context, error),
    )
  } catch (error) {
    return responder.fail(context, error)
  }
}

function prepare(context: RequestContext, world: LiveWorld): Call {
  const { request } = context
  const route = routes.find(request.method, request.path)
  const { id, params } = route
  context.operation = id
  const spec: OperationSpec = operations[id]
  const caller = authenticate(request, route, world.view)
  context.caller = caller
  // A development token is answered with mock data before any check but decoding (PROTOCOL.md B2).
  const canned = caller.kind === 'development' && forDevelopment.includes(spec.auth)
  const query = parseQuery(spec, request)
  const headers = canned ? {} : parseHeaders(spec, request)
  const body = parseBody(spec, request)
  const signal = () => {
    context.blockedAt = performance.now()
    return request.signal?.()
  }
  const input = joined([params, query, headers, body])
  const client = () => readClient(request)
  return { id, caller, client, input, signal, longestBlockMs: context.longestBlockMs }
}

/** The operations that answer a development token with mock data are of these. */
const forDevelopment: readonly Auth[] = ['namespace', 'public', 'lobby']

/** The fields of all parts of a request; no two of an operation have a name in common. */
function joined(parts: readonly Readonly<Record<string, unknown>>[]): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  for (const part of parts) for (const name in part) fields[name] = part[name]
  return fields
}
