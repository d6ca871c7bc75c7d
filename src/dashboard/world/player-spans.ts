import type { ChangeSetJson } from '../../core/control/history.js'
import type { StorySummary } from '../../core/control/stories/tell-story.js'
import type { PlayerRow } from '../../core/store/matchmaker-rows.js'

/** The seat of a player over time, in ms of the world's clock. */
export interface PlayerSpan {
  readonly token: string
  /** The lobby, in a few words. */
  readonly text: string
  readonly reservedAt: number
  readonly connectedAt?: number | undefined
  readonly endedAt?: number | undefined
  /** When its seat expires, or when it leaves. */
  readonly nextAt?: number | undefined
}

/** The most players that the page remembers. */
const mostSpans = 2_000

/** Change sets with these causes seat real players. All others seat simulated ones. */
const causes: readonly ChangeSetJson['cause']['kind'][] = ['request', 'control', 'code']

/** Returns the seats of players from before the page was opened, the oldest first. */
export function spansOfStories(
  stories: readonly StorySummary[],
  wordsOf: (lobbyId: string) => string,
): readonly PlayerSpan[] {
  const ms = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time))
  return stories.toReversed().flatMap(({ token, lobby_id, reserved_at, connected_at, ended_at, next_at }) => {
    if (lobby_id === undefined || reserved_at === undefined) return []
    const times = { connectedAt: ms(connected_at), endedAt: ms(ended_at), nextAt: ms(next_at) }
    return { token, text: wordsOf(lobby_id), reservedAt: Date.parse(reserved_at), ...times }
  })
}

/** Adds the players of a change set to the spans, and returns all. Simulated players have none. */
export function addPlayers(
  spans: readonly PlayerSpan[],
  { cause, at, puts, deletes }: ChangeSetJson,
  wordsOf: (lobbyId: string) => string,
): readonly PlayerSpan[] {
  const rows = puts.filter(({ table }) => table === 'players')
  const gone = deletes.filter(({ table }) => table === 'players')
  if (rows.length === 0 && gone.length === 0) return spans
  const time = Date.parse(at)
  const byToken = new Map(spans.map(span => [span.token, span]))
  for (const { row } of rows) {
    const player = row as PlayerRow // the table has these rows
    const { player_token: token, lobby_id } = player
    const known = byToken.get(token)
    if (!known && !causes.includes(cause.kind)) continue
    byToken.set(token, spanOf(player, known ?? { token, reservedAt: time, text: wordsOf(lobby_id) }, time))
  }
  for (const { id } of gone) {
    const known = byToken.get(id)
    if (known && known.endedAt === undefined) byToken.set(id, { ...known, endedAt: time })
  }
  return [...byToken.values()].slice(-mostSpans)
}

function spanOf(player: PlayerRow, known: PlayerSpan, time: number): PlayerSpan {
  const { connectedAt = time, endedAt = time } = known
  if (player.status === 'reserved') return { ...known, nextAt: player.connects_at ?? player.expires_at }
  if (player.status === 'connected') return { ...known, connectedAt, nextAt: player.leaves_at }
  return { ...known, endedAt, nextAt: undefined }
}
