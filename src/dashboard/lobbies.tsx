import { useSignal } from '@preact/signals'
import { counted, grouped } from '../lib/text.js'
import { findObstacle, type ListObstacle, listObstacles, modeKey, seatsTaken } from '../store/lobby-rules.js'
import type { LobbyRow } from '../store/matchmaker-rows.js'
import { Removal, Select } from './controls.js'
import { stateSummary } from './format.js'
import type { Tables } from './live-world.js'
import { modeOptions, regionName, seatWords, serverWords } from './lobby-rows.js'
import { NoGameMode } from './new-lobby.js'
import { page } from './page-state.js'
import { RowsGrid } from './rows-grid.js'

const rowHeight = 29

/** Which lobbies the panel shows. */
type Filter = 'running' | 'free' | 'hidden' | 'stopped'

const filterNames: readonly [Filter, text: string][] = [
  ['running', 'All running'],
  ['free', 'With a free seat'],
  ['hidden', 'Not listed'],
  ['stopped', 'Stopped'],
]

type Hidden = ReturnType<typeof listObstacles>

const hasFreeSeat = (lobby: LobbyRow) => findObstacle(lobby) === undefined

const filters: { readonly [filter in Filter]: (lobby: LobbyRow, hidden: Hidden) => boolean } = {
  running: ({ status }) => status !== 'stopped',
  free: hasFreeSeat,
  hidden: (lobby, hidden) => lobby.status !== 'stopped' && hidden(lobby) !== undefined,
  stopped: ({ status }) => status === 'stopped',
}

/** The panel with the lobbies. */
export function Lobbies() {
  const filter = useSignal<Filter>('running')
  const mode = useSignal('')
  const { tables } = page.shown.value
  const region = page.region.value
  const hidden = listObstacles(tables.lobbies.values(), tables)
  const all = [...tables.lobbies.values()]
  const shown = all.filter(
    lobby =>
      filters[filter.value](lobby, hidden) &&
      (mode.value === '' || modeKey(lobby) === mode.value) &&
      (region === undefined || lobby.region_id === region),
  )
  const running = all.filter(lobby => filters.running(lobby, hidden)).length
  const free = all.filter(hasFreeSeat).length
  return (
    <section class="panel lobbies" aria-labelledby="lobbies">
      <header>
        <h2 id="lobbies">Lobbies</h2>
        <p class="muted">
          {grouped(free)} of {grouped(running)} {free === 1 ? 'has' : 'have'} a free seat
        </p>
        <div class="tools">
          {region !== undefined && (
            <button type="button" class="main" onClick={() => (page.region.value = undefined)}>
              {regionName(region, tables)} <Removal>Show all regions</Removal>
            </button>
          )}
          <Select
            label="Game mode"
            value={mode.value}
            options={[['', 'All modes'], ...modeOptions(tables)]}
            onChange={value => (mode.value = value)}
          />
          <Select
            label="Which lobbies"
            value={filter.value}
            options={filterNames}
            onChange={value => (filter.value = value)}
          />
          <button type="button" disabled={page.isReadOnly.value} onClick={() => (page.dialog.value = 'new-lobby')}>
            + Make a lobby
          </button>
        </div>
      </header>
      <RowsGrid
        label={counted(shown.length, 'lobby', 'lobbies')}
        items={shown.reverse()} // the newest first
        rowHeight={rowHeight}
        columns={['Mode', 'Region', 'Seats', 'State', 'Server']}
        selectedKey={page.lobbyId.value}
        keyOf={({ lobby_id }) => lobby_id}
        rowClass={lobby => (hidden(lobby) !== undefined || !hasFreeSeat(lobby) ? 'dim' : '')}
        cells={lobby => cellsOf(lobby, hidden(lobby), tables)}
        onOpen={({ lobby_id }) => (page.lobbyId.value = lobby_id)}
        empty={
          all.length > 0 ? (
            'No lobby matches the filters.'
          ) : tables.gameModes.size === 0 ? (
            <NoGameMode />
          ) : (
            <>
              No lobby runs. A client that calls find or create makes one, or press <b>Make a lobby</b>.
            </>
          )
        }
      />
    </section>
  )
}

function cellsOf(lobby: LobbyRow, hidden: ListObstacle | undefined, tables: Tables) {
  return [
    <span key="mode" dir="auto">
      {lobby.game_mode_id}
    </span>,
    <span key="region" dir="auto">
      {regionName(lobby.region_id, tables)}
    </span>,
    <span key="seats" class="seats">
      <SeatBar lobby={lobby} />
      {seatWords(lobby)}
    </span>,
    <span key="state" dir="auto" class="muted">
      {hidden !== undefined && <b class="badge">{hidden}</b>} {stateSummary(lobby.state)}
    </span>,
    serverWords(lobby),
  ]
}

function SeatBar({ lobby }: { readonly lobby: LobbyRow }) {
  const share = (count: number) => `${Math.min(1, count / Math.max(1, lobby.max_players_normal)) * 100}%`
  return (
    <span class="bar" aria-hidden="true">
      <i style={{ width: share(seatsTaken(lobby)) }} />
      <b style={{ width: share(lobby.total_player_count) }} />
    </span>
  )
}
