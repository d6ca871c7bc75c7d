import type { ShortenedEntry } from '../../core/contract/journal.js'
import { exactValue, sameJson } from '../../core/lib/json.js'
import { counted, grouped } from '../../core/lib/messages.js'
import type { LobbyRow } from '../../core/store/matchmaker-rows.js'
import type { Change } from './followed-world.js'

// What the page says of the past: who made a change, and what has become of a lobby since.

const causes: { readonly [kind in Change['cause']['kind']]: string } = {
  request: 'a request',
  job: 'the clock',
  simulation: 'simulated players',
  control: 'a call',
  reset: 'a reset',
  load: 'another scenario',
  reload: 'a new scenario file',
  fault: 'an outage',
  server: 'a game server',
  restart: 'a restart of the mock',
  code: 'your code',
}

/** Names the cause of a change: `lobbies.find, seat in London`. `resultOf` says in a few words how a request ended. */
export function causeWords(
  { cause, revision }: Pick<Change, 'cause' | 'revision'>,
  exchanges: readonly ShortenedEntry[],
  resultOf: (entry: ShortenedEntry) => string,
): string {
  if (cause.kind === 'control') return cause.call
  if (cause.kind !== 'request') return causes[cause.kind]
  const entry = exchanges.findLast(({ revisions }) => revisions?.includes(revision))
  return [cause.operation ?? causes.request, entry ? resultOf(entry) : ''].filter(Boolean).join(', ')
}

/** Says what a lobby of the past has now, and what happened since. Both are empty if it is as it was. */
export function sinceThen(then: LobbyRow, now: LobbyRow | undefined): readonly [seats: string, since: string] {
  if (then.status === 'stopped') return ['', '']
  if (!now || now.status === 'stopped') return ['stopped', 'stopped']
  const more = (key: 'total_player_count' | 'reserved_player_count', one: string, [up, down]: readonly string[]) => {
    const difference = now[key] - then[key]
    return difference === 0 ? '' : `${counted(Math.abs(difference), one, `${one}s`)} ${difference > 0 ? up : down}`
  }
  const since = [
    then.status === now.status ? '' : now.status,
    more('total_player_count', 'player', ['joined', 'left']),
    more('reserved_player_count', 'seat', ['reserved', 'no longer reserved']),
    then.is_closed === now.is_closed ? '' : now.is_closed ? 'closed' : 'opened',
    sameJson(exactValue(then, 'state'), exactValue(now, 'state')) ? '' : 'another state',
  ].filter(Boolean)
  if (since.length === 0) return ['', '']
  return [`${grouped(now.total_player_count)} / ${grouped(now.max_players_normal)}`, since.join(', ')]
}
