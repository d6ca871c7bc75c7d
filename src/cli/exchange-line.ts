import { listedLobbies } from '../behaviour/lobbies-list.js'
import type { OperationId } from '../contract/operations.js'
import type { ExchangeRecord } from '../server/log.js'
import { defaultWorldId } from '../server/worlds.js'
import type { World } from '../store/world.js'
import type { Console } from './console.js'

/** Where a line is printed, and of what. */
interface LineOf extends Pick<Console, 'style'> {
  /** The world of the exchange; `undefined` where that is gone. */
  readonly world: World | undefined
}

/** A line for an exchange: method, path, the world if it is another one than `default`, status, time, and what is worth knowing. */
export function exchangeLine(record: ExchangeRecord, { world, style }: LineOf): string {
  const { method, path, status, code, ms, blocked, refusedOrigin, authorizationIgnored, fault, faultEffect } = record
  const time = blocked ? `blocked ${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(1)} ms`
  const colour = status === 0 ? 'red' : status < 400 ? 'green' : status < 500 ? 'yellow' : 'red'
  const place = record.world === defaultWorldId ? path : `${path}  ${style('dim', `[${record.world}]`)}`
  const line = `${method.padEnd(4)}  ${place}  ${style(colour, String(status))}  ${style('dim', time)}`
  const notes = [
    code,
    fault && `fault ${fault}: ${faultEffect}`,
    canned(record, world),
    authorizationIgnored && 'Authorization is not "Bearer <token>": taken as no token',
    refusedOrigin && `pages of ${refusedOrigin} may not read this: --cors-origin ${refusedOrigin} allows them`,
  ]
  return notes.reduce<string>((text, note) => (note ? `${text}  ${note}` : text), line)
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
