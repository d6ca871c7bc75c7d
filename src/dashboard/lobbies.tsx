import { useSignal } from '@preact/signals'
import type { LobbyRow } from '../store/matchmaker-rows.js'
import { Removal, textIn } from './controls.js'
import { counted, grouped, stateSummary } from './format.js'
import type { Tables } from './live-world.js'
import {
  hasFreeSeat,
  hiddenReasons,
  modeKey,
  namespaceName,
  regionName,
  seatsTaken,
  seatWords,
  serverWords,
} from './lobby-rows.js'
import { NewLobbyDialog } from './new-lobby.js'
import { usePage } from './page-state.js'
import { RowsGrid } from './rows-grid.js'

const rowHeight = 29

/** Which lobbies the panel shows. */
type Filter = 'running' | 'free' | 'hidden' | 'stopped'

const filterNames: { readonly [filter in Filter]: string } = {
  running: 'All running',
  free: 'With a free seat',
  hidden: 'Not listed',
  stopped: 'Stopped',
}

type Hidden = ReturnType<typeof hiddenReasons>

const filters: { readonly [filter in Filter]: (lobby: LobbyRow, hidden: Hidden) => boolean } = {
  running: ({ status }) => status !== 'stopped',
  free: hasFreeSeat,
  hidden: (lobby, hidden) => lobby.status !== 'stopped' && hidden(lobby) !== undefined,
  stopped: ({ status }) => status === 'stopped',
}

/** The panel with the lobbies. */
export function Lobbies() {
  const page = usePage()
  const filter = useSignal<Filter>('running')
  const mode = useSignal('')
  const { tables } = page.shown.value
  const region = page.region.value
  const hidden = hiddenReasons(tables)
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
        <p>
          {grouped(free)} of {grouped(running)} {free === 1 ? 'has' : 'have'} a free seat
        </p>
        <div class="tools">
          {region !== undefined && (
            <button type="button" class="main" onClick={() => (page.region.value = undefined)}>
              {regionName(region, tables)} <Removal>Show all regions</Removal>
            </button>
          )}
          <ModeSelect value={mode.value} onChange={value => (mode.value = value)} />
          <select
            aria-label="Which lobbies"
            value={filter.value}
            onChange={event => (filter.value = textIn(event) as Filter)} // an option below
          >
            {Object.entries(filterNames).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
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
        cells={lobby => cellsOf(lobby, { hidden: hidden(lobby), tables })}
        onOpen={({ lobby_id }) => (page.lobbyId.value = lobby_id)}
        empty={<EmptyText isFiltered={all.length > 0} />}
      />
      <NewLobbyDialog />
    </section>
  )
}

function cellsOf(
  lobby: LobbyRow,
  { hidden, tables }: { readonly hidden: string | undefined; readonly tables: Tables },
) {
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

interface ModeSelectProps {
  readonly value: string
  onChange(value: string): void
}

/** Chooses a game mode, as `<namespace_id>/<game_mode_id>`, or all of them. */
function ModeSelect({ value, onChange }: ModeSelectProps) {
  const { tables } = usePage().shown.value
  const hasNamespaces = tables.namespaces.size > 1
  return (
    <select aria-label="Game mode" value={value} onChange={event => onChange(textIn(event))}>
      <option value="">All modes</option>
      {[...tables.gameModes].map(([key, { namespace_id, game_mode_id }]) => (
        <option key={key} value={key}>
          {hasNamespaces ? `${namespaceName(namespace_id, tables)}: ${game_mode_id}` : game_mode_id}
        </option>
      ))}
    </select>
  )
}

function EmptyText({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered) return <>No lobby matches the filters.</>
  return (
    <>
      No lobby runs. A client that calls find or create makes one, or press <b>Make a lobby</b>.
    </>
  )
}
