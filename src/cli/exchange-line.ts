import type { Mock } from '../mock.js'
import type { ExchangeRecord } from '../server/log.js'
import type { Console } from './console.js'

/** A line for an exchange: method, path, status, time, and what is worth knowing. */
export function exchangeLine(
  record: ExchangeRecord,
  { world }: Pick<Mock, 'world'>,
  { style }: Pick<Console, 'style'>,
): string {
  const { method, path, status, code, ms, blocked, refusedOrigin } = record
  const notes = [
    code,
    canned(record, { world }),
    refusedOrigin && `pages of ${refusedOrigin} may not read this: --cors-origin ${refusedOrigin} allows them`,
  ]
  const time = blocked ? `blocked ${(ms / 1000).toFixed(1)} s` : `${ms.toFixed(1)} ms`
  const colour = status < 400 ? 'green' : status < 500 ? 'yellow' : 'red'
  const parts = [method.padEnd(4), cutTokens(path), style(colour, String(status)), style('dim', time)]
  return [...parts, ...notes.filter(note => note !== undefined)].join('  ')
}

/** An exchange as an object for a log of one JSON object a line. */
export function exchangeObject({ caller, ...record }: ExchangeRecord): object {
  return {
    event: 'exchange',
    ...record,
    path: cutTokens(record.path),
    caller: caller?.kind,
    ms: Math.round(record.ms * 1000) / 1000,
  }
}

/** A path with its tokens cut to their labels. */
function cutTokens(path: string): string {
  return path.replaceAll(/(\w+)\.mock\.[\w.-]+/g, '$1.mock.…')
}

/** Says of a canned list what the public token would have seen, so that nobody takes it for an empty world. */
function canned({ operation, caller }: ExchangeRecord, { world }: Pick<Mock, 'world'>): string | undefined {
  if (operation !== 'lobbies.list' || caller?.kind !== 'development') return undefined
  const { namespaceId: namespace_id } = caller
  return `canned list; the public token sees ${world.lobbies.count(q => q.where({ namespace_id }))}`
}
