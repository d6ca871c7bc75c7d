import type { StorySummary } from '../../core/control/stories/tell-story.js'
import type { ScenarioSummary } from '../../core/control/world-control.js'
import { grouped } from '../../core/lib/text.js'
import { outcomeWords, storyKeyOf } from '../players/player-details.js'
import { placeName, regionName } from '../world/lobby-rows.js'
import { operationName, outcomeOf } from '../world/outcome.js'
import { page } from '../world/page-state.js'
import { loadScenario } from './scenario-menu.js'

/** A line of the palette. */
export interface PaletteItem {
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

/** The most lines that the palette shows. */
export const mostItems = 10

/** The most things of one type: a region has hundreds of lobbies, and its requests shall be found too. */
export const mostOfType = 3

/** The answers of the mock that the palette searches. */
export interface Answers {
  readonly scenarios: readonly ScenarioSummary[]
  /** The stories that the text of the search finds. */
  readonly stories: readonly StorySummary[]
}

/** Lists held requests, regions, lobbies, requests, players and scenarios, each when it is asked for: a world may have thousands. */
export function* thingsOf({ scenarios, stories }: Answers): Generator<PaletteItem, void> {
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
    const { lobby_id, state, total_player_count, max_players_normal } = lobby
    const { map } = Object(state) as { readonly map?: unknown }
    const text = [placeName(lobby, tables), ...(typeof map === 'string' ? [map] : [])].join(', ')
    yield {
      ...{ group, type: 'Lobby', text, words: lobby_id },
      fact: `${grouped(total_player_count)} / ${grouped(max_players_normal)}`,
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
    const { name, outcome, token, address, lobby_id, game_mode_id, region_id } = story
    const place = region_id === undefined ? '' : `, ${game_mode_id}, ${regionName(region_id, tables)}`
    yield {
      ...{ group, type: 'Player', text: `${name} ${outcomeWords(outcome)}${place}` },
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
export function searchItems(
  text: string,
  actions: readonly PaletteItem[],
  things: Iterable<PaletteItem>,
): PaletteItem[] {
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

/** Splits a text into its words, in lower case. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().split(/\s+/).filter(Boolean)
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, min: 60_000, h: 3_600_000 }

/** A time that somebody types: a time of the day such as `21:00`, or a distance such as `−30 s` or `+1 h`, in ms. */
export type TypedTime = { readonly ofDay: string } | { readonly byMs: number }

/** Reads a time. `undefined`: the text is none. */
export function readTime(text: string): TypedTime | undefined {
  const trimmed = text.trim()
  if (/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?$/.test(trimmed)) return { ofDay: trimmed }
  const [, sign, amount, unit = ''] = /^([+\-−])\s*(\d{1,6})\s*(s|min|m|h)$/.exec(trimmed) ?? []
  if (sign === undefined) return undefined
  return { byMs: (sign === '+' ? 1 : -1) * Number(amount) * (unitMs[unit] ?? 0) }
}
