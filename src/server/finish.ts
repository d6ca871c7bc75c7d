import { ApiError, type ErrorBody } from '../contract/error.js'
import type { World } from '../store/world.js'
import { tokenOf } from './authenticate.js'
import { corsHeaders, isAllowedOrigin } from './cors.js'
import { type Answer, type Exchange, header, type Page } from './exchange.js'
import type { ExchangeProgress } from './exchange-progress.js'
import type { History } from './history.js'
import type { ExchangeLog } from './log.js'
import { BrokenOff, MadeUpFailure } from './made-up.js'
import { outcomeOf } from './outcome.js'
import { RecordedExchange } from './recorded.js'
import { isShared } from './shared-output.js'
import { pathWithoutTokens, textWithoutTokens } from './token-label.js'
import { ClientGone } from './watch.js'

/** Gives answers the headers that every answer has, and tells the log (PROTOCOL.md B9). */
export interface Finisher {
  begin(exchange: Exchange): ExchangeProgress
  /** An operation's output, as JSON; `undefined` is the empty body. */
  succeed(progress: ExchangeProgress, output: unknown): Answer
  /** An `ApiError` and what a fault makes up as itself, anything else as 500 `ERROR`. */
  fail(progress: ExchangeProgress, error: unknown): Answer
  preflight(exchange: Exchange): Answer
  /** As `fail`, where a door refuses what the world never gets to see. */
  refuse(exchange: Exchange, error: unknown, startedAt?: number): Answer
  /** A page of a door. `startedAt` as `performance.now()` has it. Default: now. */
  present(exchange: Exchange, page: Page, startedAt?: number): Answer
}

/** What answers are finished with. */
interface FinisherOptions {
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
interface Result extends Page {
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

/** A finisher that always has an answer: what fails while one is finished is a bug, and answered as such. */
export function createFinisher(options: FinisherOptions): Finisher {
  const { onBug, worldId, world, log, history } = options
  const finish = (progress: ExchangeProgress, result: Result) => {
    const answer = dressed(progress, result, options)
    const endedAt = performance.now()
    // What began before a reset is no part of what comes after.
    const isOfHistory = progress.with === 'world' && progress.generation === history.generation
    if (isOfHistory && history.wantsExchanges) {
      const { status } = result
      history.addExchange(new RecordedExchange(progress, { worldId, at: world.clock.now(), endedAt, status, answer }))
    }
    if (log.heard) record(progress, { result, options, endedAt })
    return answer
  }
  const bug = (progress: ExchangeProgress, error: unknown) => {
    const rayId = rayOf(progress, options)
    onBug(error, rayId)
    const message = `the mock failed unexpectedly: its console shows the error, at ray id ${rayId}`
    return failure(500, { code: 'ERROR', message })
  }
  // What cannot be written as JSON is a bug like any other.
  const made = (progress: ExchangeProgress, result: () => Result) => {
    try {
      return result()
    } catch (error) {
      return bug(progress, error)
    }
  }
  // What cannot be written as a header, or a listener that throws, must not cost the client its answer.
  const guarded = (progress: ExchangeProgress, result: () => Result) => {
    try {
      return finish(progress, made(progress, result))
    } catch (error) {
      return dressed(progress, bug(progress, error), options)
    }
  }
  const begun = (
    exchange: Exchange,
    party: ExchangeProgress['with'],
    startedAt = performance.now(),
  ): ExchangeProgress => ({
    exchange,
    with: party,
    startedAt,
    generation: history.generation,
    operation: undefined,
    caller: undefined,
    blockedAt: undefined,
    fault: undefined,
    longestBlockMs: undefined,
    rayId: undefined,
  })
  const fail = (progress: ExchangeProgress, error: unknown) =>
    guarded(progress, () => refusal(error) ?? bug(progress, error))
  return {
    begin: exchange => begun(exchange, 'world'),
    succeed: (progress, output) => guarded(progress, () => json(200, output)),
    fail,
    preflight: exchange => guarded(begun(exchange, 'door'), () => json(204, undefined)),
    refuse: (exchange, error, startedAt) => fail(begun(exchange, 'door', startedAt), error),
    present: (exchange, page, startedAt) => guarded(begun(exchange, 'door', startedAt), () => page),
  }
}

/** What is no bug: an answer of the service's or of a fault's, or nobody to read one. */
function refusal(error: unknown): Result | undefined {
  if (error instanceof ClientGone) return { ...json(clientGone, undefined), code: error.message }
  if (error instanceof MadeUpFailure) return failure(error.status, error.body)
  if (error instanceof BrokenOff) return { ...json(0, undefined), broken: error.how }
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
  const readableBy = 'allowed origins'
  if (output === undefined) return { status, headers: {}, body: nothing, readableBy }
  return { status, headers: { 'content-type': 'application/json' }, body: bytesOf(output), readableBy, output }
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

function rayOf(progress: ExchangeProgress, { rayId }: Pick<FinisherOptions, 'rayId'>): string {
  progress.rayId ??= rayId()
  return progress.rayId
}

function dressed(progress: ExchangeProgress, result: Result, options: FinisherOptions): Answer {
  const { exchange } = progress
  const { status, headers, body, readableBy, stream, broken } = result
  if (broken) return { status, headers, body, broken }
  const { world: tables, corsOrigins } = options
  const rayId = rayOf(progress, options)
  const cors = corsHeaders(exchange, { readableBy, tables, corsOrigins })
  // Not by spreading, which costs more than all of the rest here.
  const answered = Object.assign({ 'cache-control': 'no-store', vary: 'Origin', 'rvt-ray-id': rayId }, headers, cors)
  if (exchange.method === 'HEAD') return { status, headers: answered, body: nothing }
  return stream === undefined ? { status, headers: answered, body } : { status, headers: answered, body, stream }
}

interface Ending {
  readonly result: Result
  readonly options: FinisherOptions
  readonly endedAt: number
}

function record(progress: ExchangeProgress, { result, options, endedAt }: Ending): void {
  const { exchange, operation, caller, startedAt, blockedAt, fault } = progress
  const { status, readableBy, code, message, output } = result
  const { worldId, world: tables, corsOrigins, log } = options
  const { method, path } = exchange
  const origin = header(exchange, 'origin')
  const refused =
    origin !== undefined && readableBy === 'allowed origins' && !isAllowedOrigin(origin, { tables, corsOrigins })
  const authorizationIgnored = tokenOf(exchange) === undefined && header(exchange, 'authorization') !== undefined
  log.emit({
    world: worldId,
    method,
    path: pathWithoutTokens(path),
    operation,
    caller,
    status,
    code,
    message: message === undefined ? undefined : textWithoutTokens(message),
    outcome: status === 200 ? outcomeOf(progress, output, tables) : undefined,
    rayId: rayOf(progress, options),
    ms: endedAt - startedAt,
    blocked: blockedAt !== undefined,
    authorizationIgnored,
    refusedOrigin: refused ? textWithoutTokens(origin) : undefined,
    fault: fault?.id,
    faultEffect: fault?.effect,
  })
}
