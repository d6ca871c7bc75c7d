import { ApiError, type ErrorBody } from '../contract/errors.js'
import type { LiveWorld } from '../store/world.js'
import { readToken } from './authenticate.js'
import type { History } from './history.js'
import { RecordedExchange } from './journal.js'
import { describeOutcome, type ExchangePublisher } from './log.js'
import { header, type MockRequest, type MockResponse, type MockResponseInit, type RequestContext } from './message.js'
import { type AllowedOrigins, corsHeaders, isAllowedOrigin, isFromOwnPage } from './origin.js'
import type { PendingRequests } from './pending.js'
import { ClientGone, isShared } from './reads.js'
import { redactPath, redactText } from './redact.js'

/** Thrown to respond with an injected error of any status and code. */
export class InjectedError extends Error {
  override readonly name = 'InjectedError'

  constructor(
    readonly body: ErrorBody,
    readonly status: number,
  ) {
    super(body.message)
  }
}

/** Thrown to break the connection instead of responding. */
export class InjectedDisconnect extends Error {
  override readonly name = 'InjectedDisconnect'

  constructor(readonly how: NonNullable<MockResponse['disconnect']>) {
    super(how)
  }
}

interface ResponderOptions {
  readonly worldId: string
  readonly world: LiveWorld
  /** Origins that are allowed beyond loopback and the pages of the namespaces. */
  readonly corsOrigins: readonly string[]
  readonly log: ExchangePublisher
  readonly history: History
  readonly pending: PendingRequests
  /** Creates a ray id, a UUID. */
  rayId(): string
  /** Reports an error that is a bug. */
  onBug(error: unknown, rayId: string): void
}

/** A response, and its record for the log. */
interface Result extends MockResponseInit {
  /** The error code and the message of a failure. */
  readonly code?: string
  readonly message?: string
  /** The value that the body encodes, if that is JSON. */
  readonly output?: unknown
}

/** The status that nginx uses if the client disconnects before the response. */
const clientClosedRequest = 499

const encoder = new TextEncoder()
const noBytes = new Uint8Array()

/** Creates all responses with their common headers, and adds them to the journal and the log. Never throws (PROTOCOL.md B9). */
export class Responder {
  readonly #options: ResponderOptions
  readonly #allowed: AllowedOrigins

  constructor(options: ResponderOptions) {
    this.#options = options
    this.#allowed = { tables: options.world.tables, corsOrigins: options.corsOrigins }
  }

  /** Begins a request that reaches the world. */
  begin(request: MockRequest): RequestContext {
    return this.#begin(request, true)
  }

  /** Responds with the output of an operation, as JSON. `undefined` is an empty body. */
  succeed(context: RequestContext, output: unknown): MockResponse {
    return this.#finish(context, () => jsonResult(200, output))
  }

  /** Responds with an `ApiError` or an injected error as it is. Any other error is a bug: it is reported, and answered 500 `ERROR`. */
  fail(context: RequestContext, error: unknown): MockResponse {
    return this.#finish(context, () => errorResult(error))
  }

  preflight(request: MockRequest): MockResponse {
    return this.#finish(this.#begin(request, false), () => jsonResult(204, undefined))
  }

  /** Fails a request that does not reach the world. `startedAt` is a time of `performance.now()`. Default: now. */
  refuse(request: MockRequest, error: unknown, startedAt?: number): MockResponse {
    return this.fail(this.#begin(request, false, startedAt), error)
  }

  /** Responds to a request that does not reach the world, such as one for a page. `startedAt` is as for `refuse`. */
  respond(request: MockRequest, init: MockResponseInit, startedAt?: number): MockResponse {
    return this.#finish(this.#begin(request, false, startedAt), () => init)
  }

  #begin(request: MockRequest, isJournaled: boolean, startedAt = performance.now()): RequestContext {
    return {
      request,
      isJournaled,
      startedAt,
      generation: this.#options.history.generation,
      operation: undefined,
      caller: undefined,
      blockedAt: undefined,
      pendingSince: undefined,
      waitsFor: undefined,
      hasEnded: false,
      fault: undefined,
      longestBlockMs: undefined,
      revisions: [],
      rayId: undefined,
    }
  }

  /** Any error here is a bug: an answer that is not JSON, an invalid header, a listener that throws. The client still gets a response. */
  #finish(context: RequestContext, createResult: () => Result): MockResponse {
    context.hasEnded = true
    this.#options.pending.remove(context)
    let result: Result
    try {
      result = createResult()
    } catch (error) {
      result = this.#reportBug(context, error)
    }
    try {
      const response = this.#addHeaders(context, result)
      this.#record(context, result, response)
      return response
    } catch (error) {
      return this.#addHeaders(context, this.#reportBug(context, error))
    }
  }

  #addHeaders(context: RequestContext, result: Result): MockResponse {
    const { request } = context
    const { status, headers, body, stream, disconnect } = result
    if (disconnect) return { status, headers, body, disconnect }
    const all = {
      'cache-control': 'no-store',
      vary: 'Origin',
      'rvt-ray-id': this.rayIdOf(context),
      ...headers,
      ...corsHeaders(request, result.cors, this.#allowed),
    }
    if (request.method === 'HEAD') return { status, headers: all, body: noBytes }
    return stream === undefined ? { status, headers: all, body } : { status, headers: all, body, stream }
  }

  #record(context: RequestContext, result: Result, response: MockResponse): void {
    const { worldId, world, history, log } = this.#options
    const endedAt = performance.now()
    // A request that began before a reset does not belong to the journal after it.
    const isCurrent = context.isJournaled && context.generation === history.generation
    if (isCurrent && history.shouldRecordExchanges)
      history.addExchange(new RecordedExchange(context, response, { worldId, at: world.clock.now(), endedAt }))
    if (log.hasListeners) this.#log(context, result, endedAt)
  }

  #log(context: RequestContext, result: Result, endedAt: number): void {
    const { request, operation, caller, startedAt, blockedAt, fault } = context
    const { status, cors, code, message, output } = result
    const { worldId, world, log } = this.#options
    const origin = header(request, 'origin')
    const isRefused = origin !== undefined && cors === 'allowed origins' && !isAllowedOrigin(origin, this.#allowed)
    log.emit({
      world: worldId,
      method: request.method,
      path: redactPath(request.path),
      operation,
      caller,
      status,
      code,
      message: message === undefined ? undefined : redactText(message),
      outcome: status === 200 ? describeOutcome(context, output, world.tables) : undefined,
      rayId: this.rayIdOf(context),
      ms: endedAt - startedAt,
      blocked: blockedAt !== undefined,
      authorizationIgnored: header(request, 'authorization') !== undefined && readToken(request) === undefined,
      fromOwnPage: isFromOwnPage(request),
      refusedOrigin: isRefused ? redactText(origin) : undefined,
      fault: fault?.id,
      faultEffect: fault?.effect,
    })
  }

  #reportBug(context: RequestContext, error: unknown): Result {
    const rayId = this.rayIdOf(context)
    this.#options.onBug(error, rayId)
    const message = `the mock failed unexpectedly: its console shows the error, at ray id ${rayId}`
    return failure(500, { code: 'ERROR', message })
  }

  /** The ray id of a request, which its response carries. */
  rayIdOf(context: RequestContext): string {
    context.rayId ??= this.#options.rayId()
    return context.rayId
  }
}

/** The response to an error that is not a bug. Throws a bug. */
function errorResult(error: unknown): Result {
  if (error instanceof ClientGone) return { ...jsonResult(clientClosedRequest, undefined), code: error.message }
  if (error instanceof InjectedError) return failure(error.status, error.body)
  if (error instanceof InjectedDisconnect) return { ...jsonResult(0, undefined), disconnect: error.how }
  if (!(error instanceof ApiError)) throw error
  const { status, body, extras } = error
  const result = failure(status, body)
  return { ...result, headers: { ...result.headers, ...Object.fromEntries(new Headers(extras.headers)) } }
}

function failure(status: number, body: ErrorBody): Result {
  const { code, message } = body
  return { ...jsonResult(status, body), code, message }
}

function jsonResult(status: number, output: unknown): Result {
  const cors = 'allowed origins'
  if (output === undefined) return { status, headers: {}, body: noBytes, cors }
  return { status, headers: { 'content-type': 'application/json' }, body: encodeJson(output), cors, output }
}

const encodedOutputs = new WeakMap<object, Uint8Array<ArrayBuffer>>()

/** Encodes a shared output only once. */
function encodeJson(output: unknown): Uint8Array<ArrayBuffer> {
  if (typeof output !== 'object' || output === null) return encoder.encode(JSON.stringify(output))
  const known = encodedOutputs.get(output)
  if (known) return known
  const bytes = encoder.encode(JSON.stringify(output))
  if (isShared(output)) encodedOutputs.set(output, bytes)
  return bytes
}
