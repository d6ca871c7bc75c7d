import type { Caller } from '../behaviour/caller.js'
import { ApiError } from '../contract/error.js'
import type { OperationSpec } from '../contract/operation.js'
import { type OperationId, operations } from '../contract/operations.js'
import type { LiveWorld } from '../store/world.js'
import { authenticate } from './authenticate.js'
import type { Call } from './behave.js'
import { corsHeaders } from './cors.js'
import { encode } from './encode.js'
import { type Answer, type Exchange, header } from './exchange.js'
import { parseBody, parseHeaders, parseQuery } from './input.js'
import type { ExchangeLog } from './log.js'
import { findRoute, type Route } from './routes.js'
import { ClientGone } from './watch.js'

/** The whole service without a transport. A promise only where the call writes, or is blocked on its watch index; it never rejects. */
export type Answerer = (exchange: Exchange) => Answer | Promise<Answer>

/** Answers an exchange with an error that a door has found, as `Answerer` would. */
export type Refuser = (exchange: Exchange, error: unknown) => Answer

export interface AnswererOptions {
  readonly world: LiveWorld
  readonly corsOrigins: readonly string[]
  readonly log: ExchangeLog
  /** A new ray id, a UUID. */
  rayId(): string
  /** Is told of what is a bug, not an answer. */
  onBug(error: unknown, rayId: string): void
  carryOut(call: Call): Output | Promise<Output>
}

type Output = object | undefined

/** What is known of an exchange so far, for its answer's headers and for the log. */
interface Progress {
  readonly exchange: Exchange
  readonly rayId: string
  readonly startedAt: number
  operation?: OperationId
  caller?: Caller
  blocked?: boolean
}

/** Answers exchanges, in the order of checks of PROTOCOL.md B9: route, method, token, query, body, existence, state. */
export function createAnswerer(options: AnswererOptions): Answerer {
  return exchange => {
    const progress: Progress = { exchange, rayId: options.rayId(), startedAt: performance.now() }
    try {
      if (exchange.method === 'OPTIONS') return finish(progress, options, { status: 204, output: undefined })
      const output = options.carryOut(prepare(progress, options))
      if (!(output instanceof Promise)) return finish(progress, options, { status: 200, output })
      progress.blocked = operations[progress.operation as OperationId].kind === 'watch'
      return output.then(
        late => finish(progress, options, { status: 200, output: late }),
        error => fail(progress, options, error),
      )
    } catch (error) {
      return fail(progress, options, error)
    }
  }
}

/** The same answers for what is refused before it comes here. */
export function createRefuser(options: AnswererOptions): Refuser {
  return (exchange, error) => fail({ exchange, rayId: options.rayId(), startedAt: performance.now() }, options, error)
}

function prepare(progress: Progress, { world }: AnswererOptions): Call {
  const { exchange } = progress
  const { id, params }: Route = findRoute(exchange.method, exchange.path)
  progress.operation = id
  const spec: OperationSpec = operations[id]
  const caller = authenticate(spec.auth, exchange, world.view)
  progress.caller = caller
  // A development token is answered with mock data before any check but decoding (PROTOCOL.md B2).
  const canned = spec.auth === 'namespace' && caller.kind === 'development'
  const query = parseQuery(spec, exchange)
  const headers = canned ? {} : parseHeaders(spec, exchange)
  const body = parseBody(spec, exchange)
  return { id, caller, input: { ...params, ...query, ...headers, ...body }, exchange }
}

interface Result {
  readonly status: number
  readonly output: Output
  readonly code?: string
  readonly headers?: Readonly<Record<string, string>>
}

function fail(progress: Progress, options: AnswererOptions, error: unknown): Answer {
  if (error instanceof ApiError) {
    const { status, code, body, extras } = error
    return finish(progress, options, { status, code, output: body, headers: extras.headers ?? {} })
  }
  const { rayId } = progress
  if (!(error instanceof ClientGone)) options.onBug(error, rayId)
  const message = `something unforeseen happened: the mock's log tells what, at ray id ${rayId}`
  return finish(progress, options, { status: 500, code: 'ERROR', output: { code: 'ERROR', message } })
}

function finish(progress: Progress, options: AnswererOptions, { status, output, code, headers }: Result): Answer {
  const { exchange, rayId } = progress
  const cors = corsHeaders(exchange, { tables: options.world.view.tables, corsOrigins: options.corsOrigins })
  const answer = encode(output, { status, headers: { 'rvt-ray-id': rayId, ...cors, ...headers } })
  if (options.log.heard) record(progress, options, { status, code, refused: !cors['access-control-allow-origin'] })
  return exchange.method === 'HEAD' ? { ...answer, body: answer.body.subarray(0, 0) } : answer
}

function record(
  { exchange, rayId, startedAt, operation, caller, blocked = false }: Progress,
  { log }: AnswererOptions,
  { status, code, refused }: { readonly status: number; readonly code: string | undefined; readonly refused: boolean },
): void {
  const { method, path } = exchange
  const refusedOrigin = refused ? header(exchange, 'origin') : undefined
  const ms = performance.now() - startedAt
  log.emit({ method, path, operation, caller, status, code, rayId, ms, blocked, refusedOrigin })
}
