import { useSignal } from '@preact/signals'
import type { StorySummary } from '../../core/control/stories/tell-story.js'
import { counted, grouped } from '../../core/lib/messages.js'
import { duration } from '../ui/format.js'
import { useLoaded } from '../ui/screen.js'
import { type Column, sorted, Table } from '../ui/table.js'
import { regionName } from '../world/lobby-rows.js'
import { page } from '../world/page-state.js'
import { SearchField } from '../world/panes.js'
import { outcomeTone, outcomeWords, PlayerDetails, storyKeyOf } from './player-details.js'

/** The most stories that the page lists. A search finds the others. */
const mostStories = 200

const rowHeight = 48

const origins = [
  ['From requests', 'players', false],
  ['Simulated', 'simulated', true],
] as const

/** The stories of the players, and the details of one. */
export function Players() {
  const isSimulated = useSignal(false)
  const { q, sort = '' } = page.address.value
  const stories = page.live.stories.value
  const simulated = isSimulated.value
  const list = useLoaded(
    () => page.api.call('GET /stories', { query: { q, simulated, limit: mostStories } }),
    [q, simulated, stories?.changes, page.live.connection.value],
  )
  const shown = list?.stories ?? []
  return (
    <>
      <section class="pane players" aria-labelledby="players">
        <header class="bar">
          <h2 id="players">Players</h2>
          <SearchField label="Search the players" />
          <div class="tools">
            {origins.map(([text, key, areSimulated]) => (
              <button
                key={key}
                type="button"
                class={simulated === areSimulated ? '' : 'quiet'}
                aria-pressed={simulated === areSimulated}
                onClick={() => (isSimulated.value = areSimulated)}
              >
                {text} <span class="count">{grouped(stories?.counts[key] ?? 0)}</span>
              </button>
            ))}
          </div>
        </header>
        <Table
          label={counted(list?.total ?? 0, 'player', 'players')}
          items={sorted(shown, columns, sort)}
          columns={columns}
          heightOf={() => rowHeight}
          sort={sort}
          onSort={next => page.filter({ sort: next })}
          keyOf={({ id }) => id}
          isSelected={story => storyKeyOf(story) === page.playerKey.value}
          row={story => (
            <div class="two-lines">
              <b class="cut">{story.name}</b>
              <Outcome story={story} />
              <small class="cut">{placeOf(story)}</small>
            </div>
          )}
          onOpen={story => page.open('player', storyKeyOf(story))}
          empty={q === undefined ? 'No players yet. Each find tells a story here.' : 'No player matches.'}
        />
        {list && list.total > shown.length && (
          <p class="block muted">
            The newest {grouped(shown.length)} of {grouped(list.total)}. Search to find the others.
          </p>
        )}
        {list && list.counts.dropped > 0 && (
          <p class="block muted">
            {counted(list.counts.dropped, 'older story was', 'older stories were')} dropped to make room for these.
          </p>
        )}
      </section>
      {page.playerKey.value !== undefined && <PlayerDetails key={page.playerKey.value} />}
    </>
  )
}

function Outcome({ story: { outcome } }: { readonly story: StorySummary }) {
  return <span class={`cut ${outcomeTone(outcome)}`}>{outcomeWords(outcome)}</span>
}

function placeOf({ region_id }: StorySummary): string {
  return region_id === undefined ? '' : regionName(region_id, page.shown.value.tables)
}

/** Returns how long the player has played, in ms, or `undefined` if it was never connected. */
function playedMs({ connected_at, ended_at }: StorySummary): number | undefined {
  if (connected_at === undefined) return undefined
  return (ended_at === undefined ? page.now.value : Date.parse(ended_at)) - Date.parse(connected_at)
}

/** The bars show this much of the past and of the future, in ms. */
const pastMs = 60_000
const futureMs = 12_000

/** The seat of a player on the clock of the last minute: reserved, connected, and what is expected. */
function StoryBar({ story }: { readonly story: StorySummary }) {
  const now = page.now.value
  const { reserved_at, connected_at, ended_at, next_at } = story
  const at = (time: string | undefined) => (time === undefined ? undefined : Date.parse(time))
  const x = (time: number) => Math.min(100, Math.max(0, ((time - now + pastMs) / (pastMs + futureMs)) * 100))
  const [reserved, connected, end] = [at(reserved_at), at(connected_at), at(ended_at) ?? now]
  const next = ended_at === undefined ? at(next_at) : undefined
  const parts: readonly (readonly [kind: string, from: number | undefined, to: number | undefined])[] = [
    ['reserved', reserved, connected ?? end],
    ['connected', connected, end],
    ['expected', next && now, next],
  ]
  return (
    <span class="story-bar" aria-hidden="true">
      {parts.map(([kind, from, to]) =>
        from === undefined || to === undefined || x(to) <= x(from) ? null : (
          <i key={kind} data-kind={kind} style={{ left: `${x(from)}%`, width: `${x(to) - x(from)}%` }} />
        ),
      )}
      <i data-kind="now" style={{ left: `${x(now)}%` }} />
    </span>
  )
}

const columns: readonly Column<StorySummary>[] = [
  {
    key: 'player',
    title: 'Player',
    width: 116,
    sortBy: ({ name }) => name,
    hint: ({ token }) => token,
    cell: ({ name, token }) => (
      <>
        <b>{name}</b>
        <code class="cut muted">{token.slice(token.lastIndexOf('.') + 1)}</code>
      </>
    ),
  },
  {
    key: 'lobby',
    title: 'Lobby',
    width: 92,
    sortBy: ({ game_mode_id, region_id }) => game_mode_id && `${game_mode_id} ${region_id}`,
    cell: story => (
      <>
        <span class="cut">{story.game_mode_id ?? '–'}</span>
        <span class="cut muted">{placeOf(story)}</span>
      </>
    ),
  },
  {
    key: 'story',
    title: 'Story, last minute',
    width: 200,
    rank: 2,
    sortBy: ({ began_at }) => began_at,
    cell: story => <StoryBar story={story} />,
  },
  {
    key: 'state',
    title: 'State',
    width: 112,
    sortBy: ({ outcome }) => outcomeWords(outcome),
    cell: story => <Outcome story={story} />,
  },
  {
    key: 'played',
    title: 'Played',
    width: 88,
    rank: 1,
    sortBy: playedMs,
    cell: story => {
      const ms = playedMs(story)
      return <span class="muted">{ms === undefined ? '–' : duration(ms)}</span>
    },
  },
]
