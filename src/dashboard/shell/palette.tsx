import { useSignal } from '@preact/signals'
import { useId } from 'preact/hooks'
import type { StorySummary } from '../../core/control/stories/tell-story.js'
import type { ScenarioSummary } from '../../core/control/world-control.js'
import { grouped } from '../../core/lib/messages.js'
import { regionActions } from '../map/region-menu.js'
import { storyKeyOf } from '../players/player-details.js'
import { seatCount } from '../ui/format.js'
import { Icon } from '../ui/icons.js'
import { openDialog, useLoaded, useModal } from '../ui/screen.js'
import { placeName, regionName } from '../world/lobby-rows.js'
import { operationName, outcomeOf } from '../world/outcome.js'
import { dayMs, lastTimeOfDay, page } from '../world/page-state.js'
import { openActions } from '../world/panes.js'
import { playerStates, stateOf } from '../world/player-state.js'
import { pageActions } from './actions.js'
import { setClock } from './clock-menu.js'
import { loadScenario } from './scenario-menu.js'

const close = () => (openDialog.value = undefined)

/** The sheet that finds every action and every thing of the world. */
export function Palette({ opening }: { readonly opening: number }) {
  const id = useId()
  const { element, closeOutside } = useModal()
  const text = useSignal('')
  const chosen = useSignal(0)
  const answer = useLoaded(() => page.api.call('GET /scenarios'), [])
  const query = text.value
  const things = thingsOf({ scenarios: answer?.scenarios ?? [], stories: useStories(query.trim()) })
  const items = [...timeItems(query), ...searchItems(query, actionItems(query), things)].slice(0, mostItems)
  const index = Math.min(chosen.value, items.length - 1)
  const perform = (item: PaletteItem | undefined) => {
    if (!item) return
    element.current?.close()
    item.run()
  }
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') chosen.value = Math.min(items.length - 1, index + 1)
    else if (event.key === 'ArrowUp') chosen.value = Math.max(0, index - 1)
    else if (event.key === 'Enter') perform(items[index])
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog
    <dialog
      ref={element}
      class="palette"
      aria-label="Search or do"
      onClose={() => openDialog.peek() === 'palette' && page.paletteOpenings.peek() === opening && close()}
      onClick={closeOutside}
    >
      <div class="field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Search or do"
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-activedescendant={items.length > 0 ? `${id}-${index}` : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder="Search or do"
          value={query}
          onInput={event => {
            text.value = event.currentTarget.value
            chosen.value = 0
          }}
          onKeyDown={handleKey}
        />
        <span class="kbd" aria-hidden="true">
          Esc
        </span>
      </div>
      <Results
        id={id}
        items={items}
        query={query}
        index={index}
        onChoose={i => (chosen.value = i)}
        onPerform={perform}
      />
      {items.length === 0 && <p class="empty">Nothing has these words.</p>}
      <footer>
        <kbd>↑</kbd>
        <kbd>↓</kbd> choose <kbd>Enter</kbd> do it
        <span>Also a time: 21:00, −30 s, +1 h</span>
      </footer>
    </dialog>
  )
}

function useStories(q: string): readonly StorySummary[] {
  const found = useLoaded(async () => {
    if (q === '' || q.startsWith('>')) return undefined
    return await page.api.call('GET /stories', { query: { q, limit: mostOfType } })
  }, [q])
  return found?.stories ?? []
}

interface ResultsProps {
  readonly id: string
  readonly items: readonly PaletteItem[]
  readonly query: string
  readonly index: number
  onChoose(index: number): void
  onPerform(item: PaletteItem): void
}

function Results({ id, items, query, index, onChoose, onPerform }: ResultsProps) {
  return (
    <div id={`${id}-list`} role="listbox" aria-label="Results" tabIndex={-1}>
      {items.map((item, i) => [
        item.group !== items[i - 1]?.group && (
          <h3 key={item.group} role="presentation">
            {item.group}
          </h3>
        ),
        // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
        <div
          key={`${i} ${item.type} ${item.text}`}
          id={`${id}-${i}`}
          class="option"
          role="option"
          aria-selected={i === index}
          onClick={() => onPerform(item)}
          onPointerMove={() => onChoose(i)}
        >
          <span class="type">{item.type}</span>
          <span class="cut" dir="auto">
            <Marked text={item.text} words={wordsOf(query)} />
          </span>
          {item.fact !== undefined && <span class="muted">{item.fact}</span>}
          {item.key !== undefined && <kbd>{item.key}</kbd>}
        </div>,
      ])}
    </div>
  )
}

function Marked({ text, words }: { readonly text: string; readonly words: readonly string[] }) {
  const lower = text.toLowerCase()
  const word = words.find(one => lower.includes(one))
  if (word === undefined) return <>{text}</>
  const at = lower.indexOf(word)
  return (
    <>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + word.length)}</mark>
      <Marked text={text.slice(at + word.length)} words={words.filter(one => one !== word)} />
    </>
  )
}

/** Lists the actions: those of the open details, those of the page, and those that name a region of the query. */
function actionItems(query: string): PaletteItem[] {
  const ofDetails = openActions.value.flatMap(({ id, label, isOff, run }): PaletteItem[] => {
    const { key } = pageActions.find(one => one.id === id && one.type === 'Here') ?? {}
    return isOff ? [] : [{ group: 'Do', type: 'Here', text: label, ...(key && { key }), run }]
  })
  const ofPage = pageActions.flatMap(({ type, label: text, key, when, run }): PaletteItem[] =>
    !run || type === 'Go' || when?.() === false ? [] : [{ group: 'Do', type, text, ...(key && { key }), run }],
  )
  return [...ofDetails, ...ofPage, ...(query === '' || page.isReadOnly.value ? [] : regionItems())]
}

function regionItems(): PaletteItem[] {
  const { tables } = page.shown.value
  return [...tables.regions.keys()].flatMap(id =>
    regionActions(id).flatMap(({ text, run }): PaletteItem[] =>
      text === undefined ? [] : [{ group: 'Do', type: 'Map', text, words: id, run }],
    ),
  )
}

/** Lists what can be done with a time that is typed: see the world then, or set the clock. */
function timeItems(query: string): PaletteItem[] {
  const time = readTime(query)
  if (!time) return []
  const now = page.now.value
  const typed = 'byMs' in time ? now + time.byMs : lastTimeOfDay(time.ofDay, now, page.zone.value)
  const next = 'byMs' in time ? typed : typed + dayMs
  const items: PaletteItem[] = []
  if (typed <= now)
    items.push({
      ...{ group: 'Go to', type: 'Time', text: `See the world at ${page.timeText(typed)}` },
      run: () => page.travelToTime(typed),
    })
  if (next > now && !page.isReadOnly.value)
    items.push({
      ...{ group: 'Do', type: 'Clock', text: `Set the clock to ${page.timeText(next)}` },
      run: () => void setClock({ now: new Date(next).toISOString() }),
    })
  // The history does not go back that far: offer the clock first.
  return typed < page.live.oldestAt.value ? items.reverse() : items
}

interface PaletteItem {
  readonly group: 'Do' | 'Go to'
  readonly type: string
  readonly text: string
  /** At the right: a key, or a fact. */
  readonly key?: string
  readonly fact?: string
  /** More words that find it: an id, a token. */
  readonly words?: string
  run(): unknown
}

const mostItems = 10

/** The most things of one type: a region has hundreds of lobbies, and its requests shall be found too. */
const mostOfType = 3

interface Answers {
  readonly scenarios: readonly ScenarioSummary[]
  /** The stories that the text of the search finds. */
  readonly stories: readonly StorySummary[]
}

/** Lists held requests, regions, lobbies, requests, players and scenarios, each when it is asked for: a world may have thousands. */
function* thingsOf({ scenarios, stories }: Answers): Generator<PaletteItem, void> {
  const { live } = page
  const { tables } = page.shown.value
  const group = 'Go to'
  for (const { id, operation } of live.pending.value.pending)
    if (id !== undefined)
      yield { group, type: 'Held', text: operation ?? 'request', words: id, run: () => page.open('held', id) }
  for (const { region_id } of tables.regions.values())
    yield {
      ...{ group, type: 'Region', text: regionName(region_id, tables), words: region_id },
      run: () => page.go({ view: 'world', region: region_id }),
    }
  for (const lobby of tables.lobbies.values()) {
    const { lobby_id, state, total_player_count, reserved_player_count, max_players_normal } = lobby
    const { map } = Object(state) as { readonly map?: unknown }
    const text = [placeName(lobby, tables), ...(typeof map === 'string' ? [map] : [])].join(', ')
    yield {
      ...{ group, type: 'Lobby', text, words: lobby_id },
      fact: `${seatCount(total_player_count, reserved_player_count)} / ${grouped(max_players_normal)}`,
      run: () => page.open('lobby', lobby_id),
    }
  }
  for (const entry of live.exchanges.value.toReversed())
    yield {
      ...{ group, type: 'Request', text: `${operationName(entry)} ${entry.status} ${outcomeOf(entry, live)}` },
      ...{ words: `${entry.path} ${entry.id}`, fact: page.timeText(Date.parse(entry.time)) },
      run: () => page.open('request', entry.id),
    }
  for (const story of stories) {
    const { name, token, address, lobby_id, game_mode_id, region_id } = story
    const place = region_id === undefined ? '' : `, ${game_mode_id}, ${regionName(region_id, tables)}`
    yield {
      ...{ group, type: 'Player', text: `${name} ${playerStates[stateOf(story)].word}${place}` },
      words: [token, address, lobby_id].join(' '),
      run: () => page.open('player', storyKeyOf(story)),
    }
  }
  for (const { name, title } of scenarios)
    yield { group, type: 'Scenario', text: title || name, words: name, run: () => loadScenario(name) }
}

/**
 * Finds the lines that have all words of a text: actions first, at most three things of a type, and of all at most ten. `>` before the text leaves only actions.
 * Without a text there are only actions.
 */
function searchItems(text: string, actions: readonly PaletteItem[], things: Iterable<PaletteItem>): PaletteItem[] {
  const isOnlyActions = text.startsWith('>')
  const words = wordsOf(isOnlyActions ? text.slice(1) : text)
  const matches = ({ type, text: shown, words: more = '' }: PaletteItem) => {
    const lower = `${type} ${shown} ${more}`.toLowerCase()
    return words.every(word => lower.includes(word))
  }
  const found = actions.filter(matches)
  if (words.length === 0 || isOnlyActions) return found.slice(0, mostItems)
  // Things have room beside many actions.
  const shown = found.slice(0, Math.ceil(mostItems / 2))
  const ofType = new Map<string, number>()
  for (const thing of things) {
    if (shown.length === mostItems) break
    const known = ofType.get(thing.type) ?? 0
    if (known === mostOfType || !matches(thing)) continue
    shown.push(thing)
    ofType.set(thing.type, known + 1)
  }
  for (const action of found.slice(shown.length))
    if (shown.length < mostItems && !shown.includes(action)) shown.push(action)
  return shown.toSorted((one, other) => Number(one.group === 'Go to') - Number(other.group === 'Go to'))
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean)
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 }

/** A time that somebody types: a time of the day such as `21:00`, or a distance such as `−30 s` or `+1 h`, in ms. */
type TypedTime = { readonly ofDay: string } | { readonly byMs: number }

function readTime(text: string): TypedTime | undefined {
  const trimmed = text.trim()
  if (/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/.test(trimmed)) return { ofDay: trimmed }
  const [, sign, amount, unit = ''] = /^([+\-−])\s*(\d{1,6})\s*(s|min|m|h)$/.exec(trimmed) ?? []
  if (sign === undefined) return undefined
  return { byMs: (sign === '+' ? 1 : -1) * Number(amount) * (unitMs[unit] ?? 0) }
}
