import { type FaultError, statusOf } from '../contract/faults.js'
import type { Auth, OperationSpec } from '../contract/operation.js'
import { type OperationId, operations } from '../contract/operations.js'
import { durationMs } from '../lib/time.js'
import type { Caller, Client } from '../operations/resolver.js'
import type { LiveWorld } from '../store/world.js'
import { authenticate, readClient } from './authenticate.js'
import type { Call, Execute } from './execute.js'
import type { SelectedFault, WorldFaults } from './faults.js'
import type { AbortSignalLike, MockResponse, RequestContext, RequestHandler } from './message.js'
import { checkSite } from './origin.js'
import { parseBody, parseHeaders, parseQuery } from './parse.js'
import type { PendingRequests } from './pending.js'
import { ClientGone } from './reads.js'
import { InjectedDisconnect, InjectedError, type Responder } from './respond.js'
import { routes } from './routes.js'

/** The parts that answer the requests of a world. */
interface RequestHandlerOptions {
  readonly world: LiveWorld
  readonly responder: Responder
  readonly faults: WorldFaults
  readonly pending: PendingRequests
  /** Origins that are allowed beyond loopback and the pages of the namespaces. */
  readonly corsOrigins: readonly string[]
  /** Executes calls that have passed all checks. */
  readonly execute: Execute
}

/**
 * Creates the function that answers the requests of a world. It runs the due jobs first. Checks are in the order of
 * PROTOCOL.md B9: site, route, method, token, query, body, existence, state. Faults apply before the token is checked, and
 * never to preflights.
 */
export function createRequestHandler(options: RequestHandlerOptions): RequestHandler {
  const { world, responder, faults, corsOrigins } = options
  const allowed = { tables: world.tables, corsOrigins }
  const answer = (context: RequestContext) =>
    faults.isEmpty ? executeRequest(context, options) : applyFault(context, options)
  return request => {
    if (request.method === 'OPTIONS') return responder.preflight(request)
    const context = responder.begin(request)
    try {
      checkSite(request, allowed)
    } catch (error) {
      // Before the faults, because a refused page must not change their counters.
      return responder.fail(context, error)
    }
    const isDue = world.clock.catchUp()
    return isDue ? isDue.then(() => answer(context)) : answer(context)
  }
}

/** Applies the first matching fault to a request. Answers as usual if there is none. Never throws or rejects. */
function applyFault(context: RequestContext, options: RequestHandlerOptions): MockResponse | Promise<MockResponse> {
  const { responder, faults } = options
  try {
    const fault = faults.select(context.request, () => ({
      cause: { kind: 'request', request: responder.rayIdOf(context), operation: context.operation },
      revisions: context.revisions,
    }))
    return fault ? applyEffect(fault, context, options) : executeRequest(context, options)
  } catch (error) {
    return responder.fail(context, error)
  }
}

function applyEffect(
  fault: SelectedFault,
  context: RequestContext,
  options: RequestHandlerOptions,
): MockResponse | Promise<MockResponse> {
  const { responder, faults, pending } = options
  const { id, request, effect, delayMs } = fault
  const { error, reset, hold, spurious } = effect
  context.operation = request.operation
  context.caller = request.caller
  context.fault = { id, effect: Object.keys(effect).join() }
  if (error) return responder.fail(context, injectedError(error, id))
  if (hold || delayMs !== undefined)
    return new Promise(resolve => {
      let hasEnded = false
      faults.hold(fault, context.request, (heldForMs, hasDisconnected) => {
        hasEnded = true
        context.waitsFor = undefined
        context.fault = { id, effect: hold ? 'held' : `delayed ${heldForMs} ms` }
        resolve(hasDisconnected ? responder.fail(context, new ClientGone()) : executeRequest(context, options))
      })
      if (!hasEnded) pending.add(context, 'fault')
    })
  if (spurious === undefined) return responder.fail(context, new InjectedDisconnect(reset ? 'reset' : 'empty'))
  context.longestBlockMs = durationMs(spurious)
  return executeRequest(context, options)
}

function injectedError(error: FaultError, id: string): InjectedError {
  const { code = 'ERROR', message = `fault ${id} of this mock injected this error`, metadata } = error
  return new InjectedError({ code, message, ...(metadata === undefined ? {} : { metadata }) }, statusOf(error))
}

/** Checks and executes a request. Never throws or rejects. */
function executeRequest(
  context: RequestContext,
  { world, responder, pending, execute }: RequestHandlerOptions,
): MockResponse | Promise<MockResponse> {
  try {
    const output = execute(parseCall(context, world, responder))
    if (!(output instanceof Promise)) return responder.succeed(context, output)
    if (context.waitsFor) pending.add(context, context.waitsFor)
    else void addUnlessAnswered(context, pending)
    return output.then(
      late => responder.succeed(context, late),
      error => responder.fail(context, error),
    )
  } catch (error) {
    return responder.fail(context, error)
  }
}

/**
 * The microtasks that a resolver may take before its request counts as waiting. An async resolver takes a few, even if it waits
 * for nothing.
 */
const quickResolver = 20

async function addUnlessAnswered(context: RequestContext, pending: PendingRequests): Promise<void> {
  for (let i = 0; i < quickResolver; i += 1) await undefined
  if (!context.hasEnded) pending.add(context, context.waitsFor ?? 'resolver')
}

function parseCall(context: RequestContext, world: LiveWorld, responder: Responder): Call {
  const { request } = context
  const route = routes.find(request.method, request.path)
  const { id, params } = route
  context.operation = id
  const spec: OperationSpec = operations[id]
  const caller = authenticate(request, route, world)
  context.caller = caller
  // A development token gets mock data after decoding, before any other check (PROTOCOL.md B2).
  const isCanned = caller.kind === 'development' && authsOfCanned.includes(spec.auth)
  const query = parseQuery(spec, request)
  const headers = isCanned ? {} : parseHeaders(spec, request)
  const body = parseBody(spec, request)
  return new RequestCall(context, responder, { id, caller, input: joinFields([params, query, headers, body]) })
}

/** The call of a request. A class, because thousands of calls may be blocked at once. */
class RequestCall implements Call {
  readonly id: OperationId
  readonly caller: Caller
  readonly input: Call['input']
  readonly #context: RequestContext
  readonly #responder: Responder

  constructor(
    context: RequestContext,
    responder: Responder,
    { id, caller, input }: Pick<Call, 'id' | 'caller' | 'input'>,
  ) {
    this.id = id
    this.caller = caller
    this.input = input
    this.#context = context
    this.#responder = responder
  }

  get longestBlockMs(): number | undefined {
    return this.#context.longestBlockMs
  }

  get revisions(): number[] {
    return this.#context.revisions
  }

  client(): Client {
    return readClient(this.#context.request)
  }

  signal(): AbortSignalLike | undefined {
    this.#context.blockedAt = performance.now()
    const { kind }: OperationSpec = operations[this.id]
    this.#context.waitsFor = kind === 'watch' ? 'watch' : 'lobby'
    return this.#context.request.signal?.()
  }

  rayId(): string {
    return this.#responder.rayIdOf(this.#context)
  }
}

/** The auths of operations that answer a development token with mock data. */
const authsOfCanned: readonly Auth[] = ['namespace', 'public', 'lobby']

/** Joins the fields of all parts of a request. No two parts of an operation have a field of the same name. */
function joinFields(parts: readonly Readonly<Record<string, unknown>>[]): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  for (const part of parts) for (const name in part) fields[name] = part[name]
  return fields
}
