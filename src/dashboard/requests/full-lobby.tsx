import { useSignal } from '@preact/signals'
import type { JournalEntry } from '../../core/contract/journal.js'
import type { StorySummary } from '../../core/control/stories/tell-story.js'
import { counted } from '../../core/lib/messages.js'
import { storyKeyOf } from '../players/player-details.js'
import { duration } from '../ui/format.js'
import { type Column, sorted, Table } from '../ui/table.js'
import { regionName } from '../world/lobby-rows.js'
import { errorOf } from '../world/outcome.js'
import { page } from '../world/page-state.js'

// Who sat in a lobby that was full.

/** A player with a seat: since when it had it, and whether it had connected. In ms since the epoch. */
interface Seat extends Pick<StorySummary, 'id' | 'token' | 'address' | 'name'> {
  readonly since: number
  readonly plays: boolean
  readonly isLast: boolean
}

/** The most stories of the lobby that are looked at. */
const mostStories = 500

/** The seats that are in sight. The others scroll. */
const mostShown = 6

/** Lists who sat in the lobby that a request wanted to join. Empty unless all of its seats are known: a player may have gone elsewhere since. */
export async function seatsOf({ operation, answer, body, time }: JournalEntry): Promise<readonly Seat[]> {
  const lobby = page.live.tables.lobbies.get(Object(body).lobby_id)
  const isFull = operation === 'lobbies.join' && errorOf(answer).code === 'MATCHMAKER_LOBBY_FULL'
  if (!isFull || !lobby) return []
  const then = Date.parse(time)
  const query = { lobby: lobby.lobby_id, limit: mostStories }
  const { stories } = await page.api.call('GET /stories', { query })
  const isPast = (at: string | undefined) => at !== undefined && Date.parse(at) <= then
  const there = stories
    .map(one => ({
      ...one,
      since: Date.parse(one.reserved_at ?? one.connected_at ?? ''),
      plays: isPast(one.connected_at),
    }))
    .filter(one => one.lobby_id === lobby.lobby_id && one.since <= then && !isPast(one.ended_at))
    .sort((one, other) => one.since - other.since)
  if (there.length !== lobby.max_players_normal) return []
  return there.map((one, i) => ({ ...one, isLast: i === there.length - 1 }))
}

/** Says who holds the seats of the full lobby. `undefined`: nobody knows. */
export function fullSentence({ body, time }: JournalEntry, seats: readonly Seat[]): string | undefined {
  const { tables } = page.live
  const lobby = tables.lobbies.get(Object(body).lobby_id)
  const [first, last] = [seats[0], seats.at(-1)]
  if (!lobby || !first || !last) return undefined
  const holder = first === last ? '' : `${first.name} holds a seat since ${momentText(first.since)}, and `
  const seat = first === last ? 'seat' : 'last one'
  const before = duration(Date.parse(time) - last.since)
  const place = `${lobby.game_mode_id} in ${regionName(lobby.region_id, tables)}`
  return `${place} is full: ${holder}${last.name} took the ${seat} ${before} before this request.`
}

/** Writes a time to the ms: `14:22:19.301`. */
function momentText(ms: number): string {
  return `${page.timeText(ms)}.${String(ms % 1_000).padStart(3, '0')}`
}

const columns: readonly Column<Seat>[] = [
  { key: 'player', title: 'Player', width: 136, sortBy: ({ name }) => name, cell: ({ name }) => name },
  {
    key: 'since',
    title: 'Seat since',
    width: 120,
    sortBy: ({ since }) => since,
    cell: ({ since }) => momentText(since),
  },
  {
    ...{ key: 'state', title: 'State then', width: 136 },
    sortBy: ({ plays }) => Number(plays),
    cell: ({ plays, isLast }) => (
      <>
        {plays ? 'plays' : 'on the way'} {isLast && <span class="muted">the last seat</span>}
      </>
    ),
  },
]

/** The players who sat there. Each row opens a story. */
export function WhoSatThere({ seats }: { readonly seats: readonly Seat[] }) {
  const sort = useSignal('since')
  if (seats.length === 0) return null
  return (
    <section class="candidates" aria-label="Who sat there">
      <h3 class="block">Who sat there</h3>
      <div class="fixed" style={{ height: `${29 + 30 * Math.min(seats.length, mostShown)}px` }}>
        <Table
          label={counted(seats.length, 'seat', 'seats')}
          items={sorted(seats, columns, sort.value)}
          columns={columns}
          sort={sort.value}
          onSort={next => (sort.value = next)}
          keyOf={({ id }) => String(id)}
          isSelected={() => false}
          onOpen={seat => page.open('player', storyKeyOf(seat))}
          empty=""
        />
      </div>
    </section>
  )
}
