import { listedLobbies } from '../behaviour/lobbies-list.js'
import type { OperationId } from '../contract/operations.js'
import { isControlPath } from '../contract/paths.js'
import { shortened } from '../lib/quote.js'
import type { ExchangeRecord } from '../server/log.js'
import { pathInWorld } from '../server/world-path.js'
import { defaultWorldId } from '../server/worlds.js'
import type { World } from '../store/world.js'
import type { Console } from './console.js'

/** Where a line is printed, and of what. */
interface LineOf extends Pick<Console, 'style'> {
  /** The world of the exchange; `undefined` where that is gone. */
  readonly world: World | undefined
}

/** The longest message of an error in a line, in characters. */
const longestMessage = 200

/** The longest path or origin in a line, in characters. */
const longestName = 300

/**
 * A line for an exchange: method, path, the world if it is another one than `default`, status, time, what came of it, and
 * what is worth knowing. A control call that succeeded is dim.
 */
export function exchangeLine(record: ExchangeRecord, { world, style }: LineOf): string {
  const { method, status, outcome, ms, blocked, authorizationIgnored, fault, faultEffect } = record
  const path = shortened(record.path, longestName)
  const refusedOrigin = record.refusedOrigin && shortened(record.refusedOrigin, longestName)
  const time = blocked ? `blocked ${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(1)} ms`
  const colour = status === 0 ? 'red' : status < 400 ? 'green' : status < 500 ? 'yellow' : 'red'
  const inWorld = record.world === defaultWorldId ? '' : `  [${record.world}]`
  const isDim = status < 400 && isControlPath(pathInWorld(path))
  const line = isDim
    ? style('dim', `${method.padEnd(4)}  ${path}${inWorld}  ${status}  ${time}`)
    : `${method.padEnd(4)}  ${path}${inWorld && style('dim', inWorld)}  ${style(colour, String(status))}  ${style('dim', time)}`
  const notes = [
    outcome && `→ ${outcome}`,
    failure(record),
    fault && `fault ${fault}: ${faultEffect}`,
    canned(record, world),
    authorizationIgnored && 'Authorization is not "Bearer <token>": taken as no token',
    refusedOrigin && `pages of ${refusedOrigin} may not read this: --cors-origin ${refusedOrigin} allows them`,
  ]
  return notes.reduce<string>((text, note) => (note ? `${text}  ${note}` : text), line)
}

/** The code of a failure and the first line of its message: the control API may name several problems. */
function failure({ code, message }: ExchangeRecord): string | undefined {
  if (code === undefined || message === undefined) return code
  const [first = '', ...others] = message.split('\n')
  return `${code}: ${shortened(first, longestMessage)}${others.length > 0 ? ' …' : ''}`
}

/** An exchange as an object for a log of one JSON object a line. `world` where it is another one than `default`. */
export function exchangeObject({ caller, world, ...record }: ExchangeRecord): object {
  return {
    event: 'exchange',
    ...record,
    world: world === defaultWorldId ? undefined : world,
    caller: caller?.kind,
    ms: Math.round(record.ms * 1000) / 1000,
  }
}

/** The operations that answer with a seat in a lobby. */
const seating: readonly unknown[] = ['lobbies.find', 'lobbies.join', 'lobbies.create'] satisfies OperationId[]

/** Says of what is canned what the public token would have got, so that nobody takes a list for an empty world, or looks there for a seat. */
function canned({ operation, caller, status }: ExchangeRecord, world: World | undefined): string | undefined {
  if (caller?.kind !== 'development' || status !== 200) return undefined
  if (seating.includes(operation)) return 'canned seat; the public token gets one in a lobby of the world'
  if (operation !== 'lobbies.list') return undefined
  if (!world) return 'canned list'
  return `canned list; the public token sees ${listedLobbies(caller.namespaceId, { tables: world }).length}`
}
