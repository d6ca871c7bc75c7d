import { ApiError, type ErrorBody } from '../contract/errors.js'
import type { World } from '../store/world.js'
import { tokenOf } from './authenticate.js'
import { corsHeaders, isAllowedOrigin } from './cors.js'
import type { History } from './history.js'
import type { ExchangeLog } from './log.js'
import { BrokenOff, MadeUpFailure } from './made-up.js'
import { header, type MockRequest, type MockResponse, type MockResponseInit, type RequestContext } from './message.js'
import { outcomeOf } from './outcome.js'
import { RecordedExchange } from './recorded.js'
import { isShared } from './shared-output.js'
import { pathWithoutTokens, textWithoutTokens } from './token-label.js'
import { ClientGone } from './watch.js'

/** Gives answers the headers that every answer has, and tells the log (PROTOCOL.md B9). */
export interface Responder {
  begin(request: MockRequest): RequestContext
  /** An operation's output, as JSON; `undefined` is the empty body. */
  succeed(context: RequestContext, output: unknown): MockResponse
  /** An `ApiError` and what a fault makes up as itself, anything else as 500 `ERROR`. */
  fail(context: RequestContext, error: unknown): MockResponse
  preflight(request: MockRequest): MockResponse
  /** As `fail`, where a door refuses what the world never gets to see. */
  refuse(request: MockRequest, error: unknown, startedAt?: number): MockResponse
  /** A page of a door. `startedAt` as `performance.now()` has it. Default: now. */
  respond(request: MockRequest, page: MockResponseInit, startedAt?: number): MockResponse
}

/** What answers are finished with. */
interface ResponderOptions {
  readonly worldId: string
  readonly world: World
  /** Origins whose pages may read answers, beyond loopback and the pages of the namespaces. */
  readonly corsOrigins: readonly string[]
  readonly log: ExchangeLog
  /** Keeps the exchanges of the world. */
  readonly history: History
  /** A new ray id, a UUID. */
  rayId(): string
  /** Is told of what is a bug, not an answer. */
  onBug(error: unknown, rayId: string): void
}

/** A response, and what the log shows of it. */
interface Result extends MockResponseInit {
  /** The error code and the message of a failure. */
  readonly code?: string
  readonly message?: string
  /** What the body was made of, where that is JSON. */
  readonly output?: unknown
}

const encoder = new TextEncoder()
const nothing = new Uint8Array()
const encoded = new WeakMap<object, Uint8Array<ArrayBuffer>>()

/** What nginx calls it: nobody is there to read it. */
const clientGone = 499

/** A responder that always has an answer: what fails while one is finished is a bug, and answered as such. */
export function createResponder(options: ResponderOptions): Responder {
  const { onBug, worldId, world, log, history } = options
  const finish = (context: RequestContext, result: Result) => {
    const answer = dressed(context, result, options)
    const endedAt = performance.now()
    // What began before a reset is no part of what comes after.
    const isOfHistory = context.isJournaled && context.generation === history.generation
    if (isOfHistory && history.wantsExchanges) {
      const { status } = result
      history.addExchange(new RecordedExchange(context, { worldId, at: world.clock.now(), endedAt, status, answer }))
    }
    if (log.heard) record(context, { result, options, endedAt })
    return answer
  }
  const bug = (context: RequestContext, error: unknown) => {
    const rayId = rayOf(context, options)
    onBug(error, rayId)
    const message = `the mock failed unexpectedly: its console shows the error, at ray id ${rayId}`
    return failure(500, { code: 'ERROR', message })
  }
  // What cannot be written as JSON is a bug like any other.
  const made = (context: RequestContext, result: () => Result) => {
    try {
      return result()
    } catch (error) {
      return bug(context, error)
    }
  }
  // What cannot be written as a header, or a listener that throws, must not cost the client its answer.
  const guarded = (context: RequestContext, result: () => Result) => {
    try {
      return finish(context, made(context, result))
    } catch (error) {
      return dressed(context, bug(context, error), options)
    }
  }
  const begun = (request: MockRequest, isJournaled: boolean, startedAt = performance.now()): RequestContext => ({
    request,
    isJournaled,
    startedAt,
    generation: history.generation,
    operation: undefined,
    caller: undefined,
    blockedAt: undefined,
    fault: undefined,
    longestBlockMs: undefined,
    rayId: undefined,
  })
  const fail = (context: RequestContext, error: unknown) =>
    guarded(context, () => refusal(error) ?? bug(context, error))
  return {
    begin: request => begun(request, true),
    succeed: (context, output) => guarded(context, () => json(200, output)),
    fail,
    preflight: request => guarded(begun(request, false), () => json(204, undefined)),
    refuse: (request, error, startedAt) => fail(begun(request, false, startedAt), error),
    respond: (request, page, startedAt) => guarded(begun(request, false, startedAt), () => page),
  }
}

/** What is no bug: an answer of the service's or of a fault's, or nobody to read one. */
function refusal(error: unknown): Result | undefined {
  if (error instanceof ClientGone) return { ...json(clientGone, undefined), code: error.message }
  if (error instanceof MadeUpFailure) return failure(error.status, error.body)
  if (error instanceof BrokenOff) return { ...json(0, undefined), disconnect: error.how }
  if (!(error instanceof ApiError)) return undefined
  const { status, body, extras } = error
  const result = failure(status, body)
  return { ...result, headers: { ...result.headers, ...Object.fromEntries(new Headers(extras.headers)) } }
}

function failure(status: number, body: ErrorBody): Result {
  const { code, message } = body
  return { ...json(status, body), code, message }
}

function json(status: number, output: unknown): Result {
  const cors = 'allowed origins'
  if (output === undefined) return { status, headers: {}, body: nothing, cors }
  return { status, headers: { 'content-type': 'application/json' }, body: bytesOf(output), cors, output }
}

/** An output that is shared is encoded once. */
function bytesOf(output: unknown): Uint8Array<ArrayBuffer> {
  if (typeof output !== 'object' || output === null) return encoder.encode(JSON.stringify(output))
  const known = encoded.get(output)
  if (known) return known
  const bytes = encoder.encode(JSON.stringify(output))
  if (isShared(output)) encoded.set(output, bytes)
  return bytes
}

function rayOf(context: RequestContext, { rayId }: Pick<ResponderOptions, 'rayId'>): string {
  context.rayId ??= rayId()
  return context.rayId
}

function dressed(context: RequestContext, result: Result, options: ResponderOptions): MockResponse {
  const { request } = context
  const { status, headers, body, cors, stream, disconnect } = result
  if (disconnect) return { status, headers, body, disconnect }
  const { world: tables, corsOrigins } = options
  const rayId = rayOf(context, options)
  const forPages = corsHeaders(request, { readableBy: cors, tables, corsOrigins })
  // Not by spreading, which costs more than all of the rest here.
  const answered = Object.assign(
    { 'cache-control': 'no-store', vary: 'Origin', 'rvt-ray-id': rayId },
    headers,
    forPages,
  )
  if (request.method === 'HEAD') return { status, headers: answered, body: nothing }
  return stream === undefined ? { status, headers: answered, body } : { status, headers: answered, body, stream }
}

interface Ending {
  readonly result: Result
  readonly options: ResponderOptions
  readonly endedAt: number
}

function record(context: RequestContext, { result, options, endedAt }: Ending): void {
  const { request, operation, caller, startedAt, blockedAt, fault } = context
  const { status, cors, code, message, output } = result
  const { worldId, world: tables, corsOrigins, log } = options
  const { method, path } = request
  const origin = header(request, 'origin')
  const refused =
    origin !== undefined && cors === 'allowed origins' && !isAllowedOrigin(origin, { tables, corsOrigins })
  const authorizationIgnored = tokenOf(request) === undefined && header(request, 'authorization') !== undefined
  log.emit({
    world: worldId,
    method,
    path: pathWithoutTokens(path),
    operation,
    caller,
    status,
    code,
    message: message === undefined ? undefined : textWithoutTokens(message),
    outcome: status === 200 ? outcomeOf(context, output, tables) : undefined,
    rayId: rayOf(context, options),
    ms: endedAt - startedAt,
    blocked: blockedAt !== undefined,
    authorizationIgnored,
    refusedOrigin: refused ? textWithoutTokens(origin) : undefined,
    fault: fault?.id,
    faultEffect: fault?.effect,
  })
}
