import { exactValue } from '../../core/lib/json.js'
import { counted, grouped } from '../../core/lib/messages.js'
import { findObstacle, freeSeats, listObstacles, modeKey, seatsTaken } from '../../core/store/lobby-rules.js'
import type { LobbyRow } from '../../core/store/matchmaker-rows.js'
import { Button, Removal, SeatBar, Select } from '../ui/controls.js'
import { age, stateSummary } from '../ui/format.js'
import { Icon } from '../ui/icons.js'
import { openDialog } from '../ui/screen.js'
import { type Column, sorted, Table } from '../ui/table.js'
import type { LobbyFilter } from '../world/address.js'
import { sinceThen } from '../world/change-words.js'
import { copyParts } from '../world/copy.js'
import type { RowMaps } from '../world/followed-world.js'
import { aboutText, kilometersTo, modeOptions, regionName, seatWords, serverWords } from '../world/lobby-rows.js'
import { page } from '../world/page-state.js'
import { SearchField } from '../world/panes.js'
import { WarningMark, warnedLobbies } from '../world/warned.js'
import { NoGameMode } from './new-lobby.js'

const filterNames: readonly [LobbyFilter, text: string][] = [
  ['running', 'All lobbies'],
  ['free', 'Free seats'],
  ['hidden', 'Not listed'],
  ['stopped', 'Stopped'],
]

type Hidden = ReturnType<typeof listObstacles>

const hasFreeSeat = (lobby: LobbyRow) => findObstacle(lobby) === undefined

/** A lobby that stopped is shown while its region is down. */
const isInOutage = ({ status, region_id }: LobbyRow) => status === 'stopped' && page.outages.value.has(region_id)

const filters: { readonly [filter in LobbyFilter]: (lobby: LobbyRow, hidden: Hidden) => boolean } = {
  running: lobby => lobby.status !== 'stopped' || isInOutage(lobby),
  free: hasFreeSeat,
  hidden: (lobby, hidden) => lobby.status !== 'stopped' && hidden(lobby) !== undefined,
  stopped: ({ status }) => status === 'stopped',
}

/** The order in which a find looks: the fullest lobbies first. */
const findOrder = 'free'

/** The panel with the lobbies. */
export function Lobbies() {
  // In the past, those that differ from now come first.
  const { sort = page.past.value ? 'since' : findOrder } = page.address.value
  const { tables } = page.shown.value
  const hidden = listObstacles(tables.lobbies.values(), tables)
  const all = [...tables.lobbies.values()]
  const shown = all.filter(filterOf(tables, hidden))
  const columns = columnsOf({ tables, hidden, now: page.time.value })
  // A find takes the nearest of equal lobbies, and then the oldest.
  const ordered = sort === findOrder ? sorted(shown, columns, 'distance') : shown
  const running = all.filter(({ status }) => status !== 'stopped').length
  const free = all.filter(hasFreeSeat).length
  const lost = all.filter(isInOutage).length
  return (
    <section class="pane lobbies" aria-labelledby="lobbies">
      <header class="bar">
        <h2 id="lobbies">Lobbies</h2>
        <p class="muted">
          {grouped(free)} of {grouped(running)} {free === 1 ? 'has' : 'have'} a free seat
          {lost > 0 &&
            `, ${grouped(lost)} stopped in ${[...page.outages.value.keys()].map(id => regionName(id, tables)).join(', ')}`}
        </p>
        <LobbyTools tables={tables} />
      </header>
      <Table
        label={counted(shown.length, 'lobby', 'lobbies')}
        items={sorted(ordered, columns, sort)}
        columns={columns}
        sort={sort}
        onSort={next => page.filter({ sort: next === findOrder ? undefined : next })}
        keyOf={({ lobby_id }) => lobby_id}
        isSelected={({ lobby_id }) => lobby_id === page.lobbyId.value}
        rowClass={lobby => (hidden(lobby) !== undefined || !hasFreeSeat(lobby) ? 'quiet' : '')}
        row={lobby => <PhoneRow lobby={lobby} tables={tables} />}
        onOpen={({ lobby_id }) => page.open('lobby', lobby_id)}
        empty={page.isLoaded.value ? <NoLobby tables={tables} /> : '…'}
      />
      {page.foundSeat.value?.plays && (
        <p class="block">
          <small class="state-word">
            <i data-state="plays" /> the seat of {page.foundSeat.value.name}
          </small>
        </p>
      )}
      {copyParts && <copyParts.NoServers />}
    </section>
  )
}

function filterOf(tables: RowMaps, hidden: Hidden): (lobby: LobbyRow) => boolean {
  const { region, mode, lobbies: filter, q } = page.address.value
  const hasText = q === undefined ? undefined : textFilter(q, tables)
  return lobby =>
    filters[filter](lobby, hidden) &&
    (mode === undefined || modeKey(lobby) === mode) &&
    (region === undefined || lobby.region_id === region) &&
    (hasText === undefined || hasText(lobby))
}

function LobbyTools({ tables }: { readonly tables: RowMaps }) {
  const { region, mode = '', lobbies: filter } = page.address.value
  return (
    <div class="tools">
      {region !== undefined && (
        <Button onClick={() => page.filter({ region: undefined })}>
          {regionName(region, tables)} <Removal>Show all regions</Removal>
        </Button>
      )}
      <SearchField label="Search the lobbies" />
      <Select
        label="Game mode"
        value={mode}
        options={[['', 'All modes'], ...modeOptions(tables)]}
        onChange={value => page.filter({ mode: value || undefined })}
      />
      <Select
        label="Which lobbies"
        value={filter}
        options={filterNames}
        onChange={value => page.filter({ lobbies: value })}
      />
      <MakeLobby />
    </div>
  )
}

function NoLobby({ tables }: { readonly tables: RowMaps }) {
  const { region, mode, lobbies: filter, q } = page.address.value
  if (tables.gameModes.size === 0) return <NoGameMode />
  if (region === undefined && mode === undefined && filter === 'running' && q === undefined)
    return (
      <>
        No lobbies yet. A find makes one.
        <MakeLobby />
      </>
    )
  const clear = () => page.filter({ region: undefined, mode: undefined, q: undefined, lobbies: 'running' })
  return (
    <>
      No lobby matches.
      <Button onClick={clear}>Clear filters</Button>
    </>
  )
}

function MakeLobby() {
  if (page.past.value) return null
  return (
    <Button aria-label="Make a lobby" disabled={page.isReadOnly.value} onClick={() => (openDialog.value = 'new-lobby')}>
      <Icon name="plus" /> <span class="words">Make a lobby</span>
    </Button>
  )
}

/** Returns a function that tells whether a lobby has all words of a text: in its mode, map, region, id, state, or a player. */
function textFilter(text: string, tables: RowMaps): (lobby: LobbyRow) => boolean {
  const words = text.toLowerCase().split(/\s+/)
  const players = new Map<string, string>()
  for (const { lobby_id, player_token } of tables.players.values())
    players.set(lobby_id, `${players.get(lobby_id) ?? ''} ${player_token}`)
  return lobby => {
    const { lobby_id, game_mode_id, region_id, state } = lobby
    const region = `${region_id} ${regionName(region_id, tables)}`
    const all = `${lobby_id} ${game_mode_id} ${region} ${stateSummary(state)} ${players.get(lobby_id) ?? ''}`
    const lower = all.toLowerCase()
    return words.every(word => lower.includes(word))
  }
}

/** Says if players can enter a lobby. What the game says of itself is in another column. */
function stateWord(lobby: LobbyRow, hidden: string | undefined): string {
  const { status } = lobby
  if (status === 'starting') return 'starting'
  return isInOutage(lobby) ? 'stopped, region down' : (hidden ?? 'open')
}

/** Returns the map of a lobby, which many games have in their state, or the first values of the state. */
function gameState(lobby: LobbyRow): string {
  const { map } = Object(lobby.state) as { readonly map?: unknown }
  return typeof map === 'string' ? map : stateSummary(exactValue(lobby, 'state'))
}

interface ColumnsContext {
  readonly tables: RowMaps
  readonly hidden: Hidden
  readonly now: number
}

function columnsOf(context: ColumnsContext): readonly Column<LobbyRow>[] {
  const [place, state] = [columnsOfPlace(context), columnsOfState(context)]
  if (!page.past.value) return [...place, ...state]
  const [seats] = state as [Column<LobbyRow>] // they begin with the seats
  return [...place.slice(0, 3), { ...seats, title: 'Seats then' }, ...columnsSince()]
}

/** In the past: what the lobbies have now, and what happened since. */
function columnsSince(): readonly Column<LobbyRow>[] {
  const { tables, version } = page.live
  // The rows of now change in place.
  version.value
  const since = (lobby: LobbyRow) => sinceThen(lobby, tables.lobbies.get(lobby.lobby_id))
  return [
    {
      key: 'now',
      title: 'Seats now',
      width: 72,
      rank: 1,
      sortBy: lobby => since(lobby)[0],
      cell: lobby => <b>{since(lobby)[0]}</b>,
    },
    {
      key: 'since',
      title: 'Since then',
      width: 190,
      rank: 2,
      sortBy: lobby => since(lobby)[1] || undefined,
      hint: lobby => since(lobby)[1],
      cell: lobby => <span class="muted cut">{since(lobby)[1]}</span>,
    },
  ]
}

function columnsOfPlace({ tables }: ColumnsContext): readonly Column<LobbyRow>[] {
  const region = (lobby: LobbyRow) => regionName(lobby.region_id, tables)
  const kilometers = (lobby: LobbyRow) => kilometersTo(lobby.region_id, tables)
  const next = page.nextFind.value?.lobby_id
  return [
    {
      key: 'mode',
      title: 'Mode',
      width: 140,
      maxWidth: 150,
      sortBy: lobby => lobby.game_mode_id,
      hint: lobby => lobby.game_mode_id,
      cell: lobby => (
        <span class="named">
          <WarningMark of={warnedLobbies.value.get(lobby.lobby_id)} />
          <span class="cut">{lobby.game_mode_id}</span>
          {next === lobby.lobby_id && <b class="badge">next</b>}
        </span>
      ),
    },
    {
      key: 'map',
      title: 'Map',
      width: 100,
      rank: 3,
      sortBy: gameState,
      hint: lobby => stateSummary(exactValue(lobby, 'state')),
      cell: lobby => <span class="muted">{gameState(lobby) || '–'}</span>,
    },
    { key: 'region', title: 'Region', width: 96, sortBy: region, cell: region },
    {
      key: 'distance',
      title: 'Distance',
      width: 104,
      rank: 4,
      sortBy: kilometers,
      cell: lobby => <span class="muted">{aboutText(kilometers(lobby))}</span>,
    },
  ]
}

function columnsOfState({ hidden, now }: ColumnsContext): readonly Column<LobbyRow>[] {
  const free = (lobby: LobbyRow) => (hasFreeSeat(lobby) ? freeSeats(lobby) : undefined)
  const { made, madeSince } = page.live
  const ageOf = (lobbyId: string) => now - (made.get(lobbyId)?.at ?? madeSince)
  return [
    {
      key: 'seats',
      title: 'Seats',
      width: 132,
      sortBy: seatsTaken,
      hint: seatWords,
      cell: lobby => <Seats lobby={lobby} />,
    },
    {
      key: 'free',
      title: 'Free',
      width: 64,
      rank: 2,
      sortBy: free,
      cell: lobby => (isInOutage(lobby) ? '–' : grouped(free(lobby) ?? 0)),
    },
    {
      key: 'state',
      title: 'State',
      width: 76,
      rank: 1,
      sortBy: lobby => stateWord(lobby, hidden(lobby)),
      cell: lobby => (
        <span class={isInOutage(lobby) ? 'bad' : 'muted'}>
          {lobby.status === 'starting' && <i class="dot warn" />} {isInOutage(lobby) && <i class="dot bad" />}{' '}
          {stateWord(lobby, hidden(lobby))}
        </span>
      ),
    },
    {
      key: 'server',
      title: 'Server',
      width: 60,
      rank: 5,
      sortBy: serverWords,
      cell: lobby => <span class="muted">{serverWords(lobby)}</span>,
    },
    {
      key: 'age',
      title: 'Age',
      width: 88,
      rank: 6,
      sortBy: ({ lobby_id }) => ageOf(lobby_id),
      cell: ({ lobby_id, status }) => (
        <span class="muted">
          {status === 'stopped' ? 'ended' : `${made.has(lobby_id) ? '' : '> '}${age(ageOf(lobby_id))}`}
        </span>
      ),
    },
  ]
}

interface PhoneRowProps {
  readonly lobby: LobbyRow
  readonly tables: RowMaps
}

function PhoneRow({ lobby, tables }: PhoneRowProps) {
  const kilometers = kilometersTo(lobby.region_id, tables)
  return (
    <div class="two-lines">
      <div class="cut">
        <b dir="auto">{lobby.game_mode_id}</b>
        <small class="cut" dir="auto">
          {regionName(lobby.region_id, tables)}
          {kilometers !== undefined && `, ${aboutText(kilometers)}`}
        </small>
      </div>
      <Seats lobby={lobby} />
    </div>
  )
}

/** The seats of a lobby: those who play, those on the way, and the free ones. Or those that an outage took, as far as the page saw. */
function Seats({ lobby }: { readonly lobby: LobbyRow }) {
  const { lobby_id, total_player_count, reserved_player_count, max_players_normal } = lobby
  const { lobbyId, plays } = page.foundSeat.value ?? {}
  if (isInOutage(lobby)) {
    const taken = page.live.taken.get(lobby_id)
    return (
      <span class="muted">{taken === undefined ? '–' : `had ${grouped(taken)} / ${grouped(max_players_normal)}`}</span>
    )
  }
  return (
    <SeatBar
      taken={total_player_count}
      onTheWay={reserved_player_count}
      own={plays && lobbyId === lobby_id ? 1 : 0}
      max={max_players_normal}
    />
  )
}
