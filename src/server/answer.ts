import type { Auth, OperationSpec } from '../contract/operation.js'
import { operations } from '../contract/operations.js'
import type { LiveWorld } from '../store/world.js'
import { afflict } from './afflict.js'
import { authenticate } from './authenticate.js'
import type { Call, CarryOut } from './behave.js'
import { clientOf } from './client-of.js'
import { checkSite } from './cors.js'
import type { Answer, Exchange } from './exchange.js'
import type { ExchangeProgress } from './exchange-progress.js'
import type { WorldFaults } from './faults.js'
import type { Finisher } from './finish.js'
import { parseBody, parseHeaders, parseQuery } from './input.js'
import { routes } from './routes.js'

/** The whole service without a transport. A promise only where the call writes, is blocked on its watch index, or waits for what is due; it never rejects. */
export type Answerer = (exchange: Exchange) => Answer | Promise<Answer>

/** What the service is put together of. */
interface AnswererOptions {
  readonly world: LiveWorld
  readonly finisher: Finisher
  readonly faults: WorldFaults
  /** Origins that are allowed beyond loopback and the pages of the namespaces. */
  readonly corsOrigins: readonly string[]
  /** For calls that have passed all checks. */
  readonly carryOut: CarryOut
}

/**
 * Answers exchanges, in the order of checks of PROTOCOL.md B9: site, route, method, token, query, body, existence, state. Faults
 * strike before the token is looked at, and so also what would be refused, but no preflight. What is due by now happens first.
 */
export function createAnswerer(options: AnswererOptions): Answerer {
  const { world, finisher, faults, corsOrigins } = options
  return exchange => {
    if (exchange.method === 'OPTIONS') return finisher.preflight(exchange)
    const progress = finisher.begin(exchange)
    try {
      checkSite(exchange, { tables: world, corsOrigins })
    } catch (error) {
      // Before the faults, whose counters it must not change.
      return finisher.fail(progress, error)
    }
    const begin = () =>
      faults.some
        ? afflict(progress, { ...options, goOn: late => carriedOn(late, options) })
        : carriedOn(progress, options)
    const caughtUp = world.catchUp()
    return caughtUp ? caughtUp.then(begin) : begin()
  }
}

/** Answers an exchange as ever. Never throws or rejects. */
function carriedOn(
  progress: ExchangeProgress,
  { world, finisher, carryOut }: AnswererOptions,
): Answer | Promise<Answer> {
  try {
    const output = carryOut(prepare(progress, world))
    if (!(output instanceof Promise)) return finisher.succeed(progress, output)
    return output.then(
      late => finisher.succeed(progress, late),
      error => finisher.fail(progress, error),
    )
  } catch (error) {
    return finisher.fail(progress, error)
  }
}

function prepare(progress: ExchangeProgress, world: LiveWorld): Call {
  const { exchange } = progress
  const { id, params } = routes.find(exchange.method, exchange.path)
  progress.operation = id
  const spec: OperationSpec = operations[id]
  const caller = authenticate(exchange, { auth: spec.auth, params, view: world.view })
  progress.caller = caller
  // A development token is answered with mock data before any check but decoding (PROTOCOL.md B2).
  const canned = caller.kind === 'development' && forDevelopment.includes(spec.auth)
  const query = parseQuery(spec, exchange)
  const headers = canned ? {} : parseHeaders(spec, exchange)
  const body = parseBody(spec, exchange)
  const signal = () => {
    progress.blockedAt = performance.now()
    return exchange.signal?.()
  }
  const input = joined([params, query, headers, body])
  const client = () => clientOf(exchange)
  return { id, caller, client, input, signal, longestBlockMs: progress.longestBlockMs }
}

/** The operations that answer a development token with mock data are of these. */
const forDevelopment: readonly Auth[] = ['namespace', 'public', 'lobby']

/** The fields of all parts of a request; no two of an operation have a name in common. */
function joined(parts: readonly Readonly<Record<string, unknown>>[]): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {}
  for (const part of parts) for (const name in part) fields[name] = part[name]
  return fields
}
