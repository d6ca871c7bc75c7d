import { type Signal, useSignal } from '@preact/signals'
import type { Output } from '../../client/call.js'
import type { StorySummary } from '../../core/control/stories/tell-story.js'
import { counted, grouped, playersText } from '../../core/lib/messages.js'
import { freeSeats } from '../../core/store/lobby-rules.js'
import { SeatBar, Select } from '../ui/controls.js'
import { duration } from '../ui/format.js'
import { layout, useLoaded } from '../ui/screen.js'
import { type Column, sorted, Table } from '../ui/table.js'
import { placeName, seatWords } from '../world/lobby-rows.js'
import { page } from '../world/page-state.js'
import { SearchField } from '../world/panes.js'
import { barParts, countStates, type PlayerState, stateOf, stateRank } from '../world/player-state.js'
import { WarningMark, warnedPlayers } from '../world/warned.js'
import { PlayerDetails, StateWord, seatTimes, storyKeyOf } from './player-details.js'
import { type Grouping, groupings, groupStories, type PlayerRow } from './player-groups.js'

/** The most stories that the page lists. A search finds the others. */
const mostStories = 200

const heights = { row: 36, group: 34, phone: 56 } as const

/** The order of the buttons, which are the legend too. */
const filters: readonly PlayerState[] = ['plays', 'way', 'never', 'left']

/** The stories of the players, and the details of one. */
export function Players() {
  const isSimulated = useSignal(false)
  const grouping = useSignal<Grouping>('lobby')
  const filter = useSignal<PlayerState | undefined>(undefined)
  const { q, sort } = page.address.value
  const simulated = isSimulated.value
  const list = useLoaded(
    () => page.api.call('GET /stories', { query: { q, simulated, limit: mostStories } }),
    [q, simulated, page.live.stories.value?.changes, page.live.connection.value],
  )
  const all = list?.stories ?? []
  const shown = all.filter(story => filter.value === undefined || stateOf(story) === filter.value)
  const columns = columnsOf(scaleOf(shown, page.now.value))
  const order = sort === undefined ? undefined : (some: readonly StorySummary[]) => sorted(some, columns, sort)
  const taken = page.regionSums.value.reduce((sum, region) => sum + region.taken, 0)
  const players = page.regionSums.value.reduce((sum, region) => sum + region.players, 0)
  return (
    <>
      <section class="pane players" aria-labelledby="players">
        <header class="bar">
          <h2 id="players">Players</h2>
          <p class="muted">
            {playersText({ players: taken, reserved: taken - players })},{' '}
            {counted(list?.total ?? 0, 'story', 'stories')}
          </p>
          <SearchField label="Search the players" />
          <PlayerTools all={all} isSimulated={isSimulated} grouping={grouping} filter={filter} />
        </header>
        <Table
          label={counted(list?.total ?? 0, 'player', 'players')}
          items={groupStories(shown, grouping.value, order)}
          columns={ofRows(columns)}
          heightOf={row => ('story' in row ? (layout.value === 'phone' ? heights.phone : heights.row) : heights.group)}
          sort={sort ?? ''}
          onSort={next => page.filter({ sort: next })}
          keyOf={row => ('story' in row ? row.story.id : `${row.lobbyId}`)}
          isSelected={row => 'story' in row && storyKeyOf(row.story) === page.playerKey.value}
          headOf={row => ('story' in row ? undefined : <GroupHead row={row} />)}
          row={row =>
            'story' in row && (
              <div class="two-lines">
                <b class="cut">{row.story.name}</b>
                <StateWord state={stateOf(row.story)} />
                <small class="cut">{placeOf(row.story)}</small>
              </div>
            )
          }
          onOpen={row => {
            if ('story' in row) page.open('player', storyKeyOf(row.story))
            else if (row.lobbyId !== undefined) page.open('lobby', row.lobbyId)
          }}
          empty={
            all.length === 0 && q === undefined ? 'No players yet. Each find tells a story here.' : 'No player matches.'
          }
        />
        {list && <Unlisted list={list} />}
      </section>
      {page.playerKey.value !== undefined && <PlayerDetails key={page.playerKey.value} />}
    </>
  )
}

interface PlayerToolsProps {
  readonly all: readonly StorySummary[]
  readonly isSimulated: Signal<boolean>
  readonly grouping: Signal<Grouping>
  readonly filter: Signal<PlayerState | undefined>
}

/** The filters by state, which are the legend too, and the order. */
function PlayerTools({ all, isSimulated, grouping, filter }: PlayerToolsProps) {
  const { players = 0, simulated = 0 } = page.live.stories.value?.counts ?? {}
  const counts = countStates(all)
  return (
    <div class="tools">
      {[undefined, ...filters].map(state => (
        <button
          key={state}
          type="button"
          class="state"
          aria-pressed={filter.value === state}
          onClick={() => (filter.value = filter.value === state ? undefined : state)}
        >
          {state === undefined ? 'All' : <StateWord state={state} />}{' '}
          <span class="count">{grouped(state === undefined ? all.length : counts[state])}</span>
        </button>
      ))}
      {simulated > 0 && (
        <Select
          label="Which players"
          value={`${isSimulated.value}`}
          options={[
            ['false', `From requests ${grouped(players)}`],
            ['true', `Simulated ${grouped(simulated)}`],
          ]}
          onChange={value => (isSimulated.value = value === 'true')}
        />
      )}
      <Select
        label="Order of the players"
        value={grouping.value}
        options={groupings}
        onChange={value => (grouping.value = value)}
      />
    </div>
  )
}

/** The players that the list does not have. */
function Unlisted({ list: { total, stories, counts } }: { readonly list: Output<'GET /stories'> }) {
  return (
    <>
      {total > stories.length && (
        <p class="block muted">
          The newest {grouped(stories.length)} of {grouped(total)}. Search to find the others.
        </p>
      )}
      {counts.dropped > 0 && (
        <p class="block muted">
          {counted(counts.dropped, 'older story was', 'older stories were')} dropped to make room for these.
        </p>
      )}
    </>
  )
}

function placeOf({ game_mode_id, region_id }: StorySummary): string {
  if (game_mode_id === undefined || region_id === undefined) return ''
  return placeName({ game_mode_id, region_id }, page.shown.value.tables)
}

/** The head of a group: its lobby with the seats. */
function GroupHead({ row }: { readonly row: Exclude<PlayerRow, { readonly story: unknown }> }) {
  const lobby = page.live.tables.lobbies.get(row.lobbyId ?? '')
  if (!lobby || lobby.status === 'stopped')
    return (
      <>
        <b>{placeOf(row.first) || 'No seat'}</b>{' '}
        <span class="muted">{row.lobbyId && (lobby ? 'stopped' : 'gone')}</span>
      </>
    )
  const { total_player_count, reserved_player_count, max_players_normal } = lobby
  const server = page.live.servers.value.find(({ lobby_id }) => lobby_id === row.lobbyId)
  const free = Math.max(0, freeSeats(lobby))
  return (
    <>
      <b class="cut">{placeOf(row.first)}</b>
      <SeatBar taken={total_player_count} onTheWay={reserved_player_count} max={max_players_normal} state="plays" />
      <b class="words">{seatWords(lobby)}</b>
      <span class="muted cut">
        {free === 0 ? 'full' : `${grouped(free)} free`}
        {server?.ready_at !== undefined && ` · server ready since ${page.timeText(Date.parse(server.ready_at))}`}
      </span>
    </>
  )
}

/** Returns how long the player has played, in ms, or `undefined` if it was never connected. */
function playedMs({ connected_at, ended_at }: StorySummary): number | undefined {
  if (connected_at === undefined) return undefined
  return (ended_at === undefined ? page.now.value : Date.parse(ended_at)) - Date.parse(connected_at)
}

/** Says in a few words why a player is in its state. */
function whyOf(story: StorySummary): string {
  const { token, sentence, reserved_at, connected_at, next_at } = story
  const state = stateOf(story)
  if (state === 'plays')
    return connected_at === undefined || reserved_at === undefined
      ? ''
      : `connected after ${duration(Date.parse(connected_at) - Date.parse(reserved_at))}`
  if (state !== 'way') return sentence
  if (next_at === undefined) return 'waits for its game server'
  const player = page.live.tables.players.get(token)
  const connects = player?.status === 'reserved' && player.connects_at !== undefined
  return `${connects ? 'connects' : 'seat ends'} in ${duration(Math.max(0, Date.parse(next_at) - page.now.value))}`
}

/** The time that all bars show, in ms since the epoch. */
interface BarScale {
  readonly from: number
  readonly now: number
  readonly to: number
}

const [shortest, longest] = [60_000, 1_800_000]
const futureShare = 0.16

function scaleOf(stories: readonly StorySummary[], now: number): BarScale {
  const oldest = Math.min(now, ...stories.map(({ reserved_at, began_at }) => Date.parse(reserved_at ?? began_at)))
  const span = Math.min(longest, Math.max(shortest, now - oldest))
  return { from: now - span, now, to: now + (span / (1 - futureShare)) * futureShare }
}

/** The seat of a player on the clock of all. */
function StoryBar({ story, scale: { from, now, to } }: { readonly story: StorySummary; readonly scale: BarScale }) {
  const x = (time: number) => Math.min(100, Math.max(0, ((time - from) / (to - from)) * 100))
  const parts = barParts(seatTimes(story), now)
  return (
    <span class="story-bar" aria-hidden="true" title={parts.map(([, at]) => page.timeText(at)).join(', ')}>
      {parts.map(
        ([kind, begin, end]) =>
          x(end) > x(begin) && (
            <i key={kind} data-state={kind} style={{ left: `${x(begin)}%`, width: `${x(end) - x(begin)}%` }} />
          ),
      )}
      <i class="now" style={{ left: `${x(now)}%` }} />
    </span>
  )
}

/** Makes columns of stories those of all rows. The head of a group has none. */
function ofRows(columns: readonly Column<StorySummary>[]): readonly Column<PlayerRow>[] {
  return columns.map(({ sortBy, cell, hint, ...rest }) => ({
    ...rest,
    sortBy: row => ('story' in row ? sortBy(row.story) : undefined),
    cell: row => 'story' in row && cell(row.story),
    hint: row => ('story' in row ? hint?.(row.story) : undefined),
  }))
}

function columnsOf(scale: BarScale): readonly Column<StorySummary>[] {
  return [
    {
      key: 'player',
      title: 'Player',
      width: 128,
      maxWidth: 168,
      sortBy: ({ name }) => name,
      hint: ({ token }) => token,
      cell: ({ name, token }) => (
        <>
          <WarningMark of={warnedPlayers.value.get(token)} />
          <b class="cut">{name}</b>
        </>
      ),
    },
    {
      key: 'token',
      title: 'Token',
      width: 84,
      maxWidth: 104,
      rank: 4,
      sortBy: ({ token }) => token,
      hint: ({ token }) => token,
      cell: ({ token }) => <code class="muted">{token.slice(token.lastIndexOf('.') + 1).slice(0, 8)}</code>,
    },
    {
      key: 'story',
      title: page.timeText(scale.from),
      width: 200,
      rank: 2,
      sortBy: ({ began_at }) => began_at,
      cell: story => <StoryBar story={story} scale={scale} />,
    },
    {
      key: 'state',
      title: 'State',
      width: 136,
      maxWidth: 160,
      sortBy: stateRank,
      cell: story => <StateWord state={stateOf(story)} />,
    },
    {
      key: 'why',
      title: 'Why',
      width: 160,
      rank: 3,
      sortBy: whyOf,
      hint: whyOf,
      cell: story => <span class="cut muted">{whyOf(story)}</span>,
    },
    {
      key: 'played',
      title: 'Played',
      width: 88,
      maxWidth: 112,
      rank: 1,
      sortBy: playedMs,
      cell: story => {
        const ms = playedMs(story)
        return ms === undefined ? '–' : duration(ms)
      },
    },
  ]
}
