import { ApiError, clientClosedRequest, type ErrorBody } from '../contract/errors.js'
import type { HeldAnswer } from '../contract/faults.js'
import { isSeatOperation, namesPlayer } from '../contract/operations.js'
import { isControlPath, pathInWorld } from '../contract/paths.js'
import type { Emitter } from '../lib/emitter.js'
import { exactValue, isJsonObject, writeJson } from '../lib/json.js'
import { dateOf, Headers, real, TextEncoder } from '../lib/real-globals.js'
import { seatsTaken, shownLimit } from '../store/lobby-rules.js'
import { playerName } from '../store/player-names.js'
import type { Random } from '../store/random.js'
import { readToken } from './authenticate.js'
import type { ExchangeRecord } from './log.js'
import { header, type MockRequest, type MockResponse, type MockResponseInit, type RequestFacts } from './message.js'
import { type AllowedOrigins, corsHeaders, isFromOwnPage, mayRead } from './origin.js'
import { describeOutcome } from './outcome.js'
import { jsonOf } from './parse.js'
import { ClientGone, isShared } from './reads.js'
import type { Redactor } from './redact.js'
import { UserCodeError } from './user-code.js'

/** Thrown to respond with an injected error of any status and code. */
export class InjectedError extends Error {
  override readonly name = 'InjectedError'

  constructor(
    readonly body: ErrorBody,
    readonly status: number,
    readonly headers: MockResponse['headers'] = {},
  ) {
    super(body.message)
  }
}

/** Thrown to break the connection instead of responding. */
export class InjectedDisconnect extends Error {
  override readonly name = 'InjectedDisconnect'

  constructor(readonly how: 'reset' | 'empty') {
    super(how)
  }
}

interface ResponderOptions {
  /** `undefined` for requests that reach no world. */
  readonly worldId: string | undefined
  readonly allowed: AllowedOrigins
  readonly log: Emitter<ExchangeRecord>
  readonly redactor: Redactor
  readonly rays: Pick<Random, 'uuid'>
  onBug(error: unknown, where: string): void
}

/** A response, and its record for the log. */
export interface Result extends MockResponseInit {
  /** The error code and the message of a failure. */
  readonly code?: string
  readonly message?: string
  /** The value that the body encodes, if that is JSON. */
  readonly output?: unknown
  /** The result of a successful call in words, for the log. Default: made when it is logged. */
  readonly outcome?: string | undefined
}

const encoder = new TextEncoder()
const noBytes = new Uint8Array()

/** Creates responses with their common headers, and logs them (PROTOCOL.md B9). Never throws. */
export class Responder {
  readonly #options: ResponderOptions
  #date = { second: Number.NaN, text: '' }

  constructor(options: ResponderOptions) {
    this.#options = options
  }

  get allowed(): AllowedOrigins {
    return this.#options.allowed
  }

  get redactor(): Redactor {
    return this.#options.redactor
  }

  newRayId(): string {
    return this.#options.rays.uuid()
  }

  preflight(request: MockRequest): MockResponse {
    return this.answer(request, outputResult(undefined, 204))
  }

  /** Answers a request that runs no operation with an error. `startedAt` is a time of `performance.now()`. Default: now. */
  refuse(request: MockRequest, error: unknown, startedAt = real.now()): MockResponse {
    return this.respond({ request, startedAt, rayId: this.newRayId() }, () => errorResult(error))
  }

  /** Answers a request that runs no operation, such as one for a page. `startedAt` is as for `refuse`. */
  answer(request: MockRequest, init: MockResponseInit, startedAt = real.now()): MockResponse {
    return this.respond({ request, startedAt, rayId: this.newRayId() }, () => init)
  }

  /** Creates the response, passes it to `record`, and logs it. After a bug the client still gets a response. */
  respond(
    facts: RequestFacts,
    createResult: () => Result,
    record?: (response: MockResponse, endedAt: number) => void,
  ): MockResponse {
    const result = this.#create(facts, createResult)
    try {
      const response = this.#addHeaders(facts, result)
      const endedAt = real.now()
      record?.(response, endedAt)
      if (this.#options.log.size > 0) this.#log(facts, result, endedAt)
      return response
    } catch (error) {
      return this.#addHeaders(facts, this.#reportBug(facts, error))
    }
  }

  /** Creates a result that `respond` gets later, with all that it tells about the world. Never throws. */
  finish(facts: RequestFacts, createResult: () => Result): Result {
    const result = this.#create(facts, createResult)
    const isLogged = this.#options.log.size > 0 && result.status === 200
    return isLogged ? { ...result, outcome: this.#outcomeOf(facts, result.output) } : result
  }

  #create(facts: RequestFacts, createResult: () => Result): Result {
    try {
      return createResult()
    } catch (error) {
      return this.#reportBug(facts, error)
    }
  }

  #addHeaders({ request, rayId, date }: RequestFacts, result: Result): MockResponse {
    const { status, headers, body, stream, disconnect } = result
    if (disconnect && disconnect !== 'truncate') return { status, headers, body, disconnect }
    const all: Record<string, string> = {
      'cache-control': 'no-store',
      vary: 'Origin',
      'rvt-ray-id': rayId,
      ...headers,
      ...corsHeaders(request, result.cors, this.allowed),
    }
    if (date !== undefined) all.date = this.#dateText(date)
    if (request.method === 'HEAD') return { status, headers: all, body: noBytes }
    if (disconnect && body.length > 0) return { status, headers: all, body, disconnect }
    return { status, headers: all, body, stream }
  }

  /** Most responses of a world are of the same second as the one before. */
  #dateText(ms: number): string {
    const second = Math.floor(ms / 1000)
    if (second !== this.#date.second) this.#date = { second, text: dateOf(ms).toUTCString() }
    return this.#date.text
  }

  #log(facts: RequestFacts, result: Result, endedAt: number): void {
    const { request, rayId, operation, caller, startedAt, blockedAt, fault } = facts
    const { status, cors, code, message, output, outcome } = result
    const { worldId, log, redactor } = this.#options
    const origin = header(request, 'origin')
    const isRefused = origin !== undefined && cors === 'allowed origins' && !mayRead(request, origin, this.allowed)
    log.emit({
      world: worldId,
      method: request.method,
      path: redactor.path(request.path),
      operation,
      caller,
      status,
      code,
      message: message === undefined ? undefined : redactor.message(message),
      outcome: status === 200 ? (outcome ?? this.#outcomeOf(facts, output)) : undefined,
      player: playerNameOf(facts, output),
      rayId,
      ms: endedAt - startedAt,
      blocked: blockedAt !== undefined,
      authorizationIgnored:
        header(request, 'authorization') !== undefined &&
        readToken(request, { anyCase: isControlPath(pathInWorld(request.path)) }) === undefined,
      fromOwnPage: isFromOwnPage(request),
      refusedOrigin: isRefused ? redactor.text(origin) : undefined,
      fault: fault?.id,
      faultEffect: fault?.effect,
    })
  }

  #outcomeOf({ operation, caller }: RequestFacts, output: unknown): string | undefined {
    // The lobby in the answer to a development token does not exist.
    if (operation === undefined || caller?.kind === 'development') return undefined
    const { lobbies, regions } = this.allowed.tables
    return describeOutcome(operation, output, id => {
      const lobby = lobbies.get(id)
      if (!lobby) return undefined
      const region = regions.get(lobby.region_id)?.region_display_name
      return `${lobby.game_mode_id} in ${region}, ${seatsTaken(lobby)}/${shownLimit(lobby)}`
    })
  }

  #reportBug({ rayId }: RequestFacts, error: unknown): Result {
    this.#options.onBug(error, `answered with 500 ERROR, ray id ${rayId}`)
    const failed = error instanceof UserCodeError ? error.message : 'the mock failed unexpectedly'
    const message = `${failed}: the console of the mock shows the error, at ray id ${rayId}`
    return failure(500, { code: 'ERROR', message })
  }
}

function playerNameOf({ operation, request }: RequestFacts, output: unknown): string | undefined {
  const seat = isSeatOperation(operation) && isJsonObject(output) ? output.player : undefined
  const { token, player_token = token } = Object(namesPlayer(operation) ? jsonOf(request.body) : seat) as {
    token?: unknown
    player_token?: unknown
  }
  return typeof player_token === 'string' && player_token !== '' ? playerName(player_token) : undefined
}

/** The response to an error: an `ApiError` or an injected one as it is. Throws any other error, which is a bug. */
export function errorResult(error: unknown): Result {
  if (error instanceof ClientGone) return { ...outputResult(undefined, clientClosedRequest), message: error.message }
  if (error instanceof InjectedError) {
    const { status, body, headers } = error
    const result = failure(status, body)
    return { ...result, headers: { ...result.headers, ...headers } }
  }
  if (error instanceof InjectedDisconnect) return { ...outputResult(undefined, 0), disconnect: error.how }
  if (!(error instanceof ApiError)) throw error
  const { status, body, extras } = error
  const result = failure(status, body)
  return { ...result, headers: { ...result.headers, ...Object.fromEntries(new Headers(extras.headers)) } }
}

function failure(status: number, body: ErrorBody): Result {
  return { ...outputResult(body, status), code: body.code, message: body.message }
}

/** Returns a response with another status, another body, or both. A status that has no body gets none. */
export function editedResult(result: Result, answer: HeldAnswer): Result {
  const { status = result.status } = answer
  const body = answer.body === undefined ? result.output : exactValue(answer, 'body')
  const { body: bytes, headers, output } = outputResult(withoutBody.includes(status) ? undefined : body, status)
  const { 'content-type': _, ...others } = result.headers
  const { code, message } = isJsonObject(output) ? output : {}
  return {
    ...{ status, headers: { ...others, ...headers }, body: bytes, cors: result.cors, output },
    ...(status >= 400 && typeof code === 'string' ? { code } : {}),
    ...(status >= 400 && typeof message === 'string' ? { message } : {}),
  }
}

const withoutBody = [204, 205, 304]

/** The response with the output of an operation, as JSON. `undefined` is an empty body. */
export function outputResult(output: unknown, status = 200): Result {
  const cors = 'allowed origins'
  if (output === undefined) return { status, headers: {}, body: noBytes, cors }
  return { status, headers: { 'content-type': 'application/json' }, body: encodeJson(output), cors, output }
}

const encodedOutputs = new WeakMap<object, Uint8Array<ArrayBuffer>>()

function encodeJson(output: unknown): Uint8Array<ArrayBuffer> {
  const known = encodedOutputs.get(output as object) // a primitive value has none
  if (known) return known
  const bytes = encoder.encode(writeJson(output))
  if (isShared(output)) encodedOutputs.set(output, bytes)
  return bytes
}
