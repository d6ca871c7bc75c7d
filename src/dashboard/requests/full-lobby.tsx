import { useSignal } from '@preact/signals'
import type { TakenSeat } from '../../core/control/explain/explain-find.js'
import { counted } from '../../core/lib/messages.js'
import { StateWord } from '../players/player-details.js'
import { type Column, sorted, Table } from '../ui/table.js'
import { page } from '../world/page-state.js'

/** The seats that are in sight. The others scroll. */
const mostShown = 6

const states = { playing: 'plays', on_the_way: 'way' } as const

const columnsOf = (last: TakenSeat | undefined): readonly Column<TakenSeat>[] => [
  {
    ...{ key: 'player', title: 'Player', width: 112 },
    sortBy: ({ name }) => name,
    cell: ({ name }) => <span class="accent">{name}</span>,
  },
  {
    ...{ key: 'since', title: 'Seat since', width: 112 },
    sortBy: ({ since }) => since,
    cell: ({ since }) => `${page.timeText(Date.parse(since))}${since.slice(-5, -1)}`,
  },
  {
    ...{ key: 'state', title: 'State then', width: 168 },
    sortBy: ({ state }) => state,
    cell: seat => (
      <>
        <StateWord state={states[seat.state]} /> {seat === last && <span class="muted">the last seat</span>}
      </>
    ),
  },
]

/** The players who sat in a lobby that was full. Each row opens a story. */
export function WhoSatThere({ seats = [] }: { readonly seats: readonly TakenSeat[] | undefined }) {
  const sort = useSignal('since')
  if (seats.length === 0) return null
  const columns = columnsOf(seats.at(-1))
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
          keyOf={({ player }) => player}
          isSelected={() => false}
          onOpen={({ player }) => page.open('player', player)}
          empty=""
        />
      </div>
    </section>
  )
}
