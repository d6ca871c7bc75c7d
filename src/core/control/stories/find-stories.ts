import * as z from 'zod'
import { ApiError } from '../../contract/errors.js'
import type * as types from '../../generated/options.js'
import { parseInput } from '../../lib/issues.js'
import { checkKeys, counted, nearest, UsageError } from '../../lib/messages.js'
import { lazyObject, typeTexts } from '../../lib/schemas.js'
import { formatInstant } from '../../lib/time.js'
import { redactToken } from '../../pipeline/redact.js'
import { plainName, playerName } from '../../store/player-names.js'
import type { LiveWorld } from '../../store/world.js'
import { type Story, storyLimits } from './stories.js'
import { drawStory } from './story-diagram.js'
import {
  type StoryJson,
  type StorySource,
  type StorySummary,
  storyOutcome,
  storyOutcomes,
  summarizeStory,
  tellStory,
} from './tell-story.js'

const Search = z.string().min(1).max(512)

export const StoryFilter = lazyObject(() => ({
  /** A part of the token, the name, the address, the lobby, the game mode or the region, in any case. */
  q: Search.optional(),
  /** The token, or its beginning. */
  token: Search.optional(),
  /** The name: two words, in any case. */
  name: Search.optional(),
  /** The address of the client. */
  address: Search.optional(),
  /** The id of a lobby that the player was in. */
  lobby: Search.optional(),
  /** The present state of the story, or its end. */
  outcome: z.enum(storyOutcomes).register(typeTexts, { type: 'StoryOutcome' }).optional(),
  /** `true`: only players of simulations. `false`: only others. */
  simulated: z.boolean().optional(),
  /** The most stories. Default: 50. */
  limit: z.int().min(1).max(500).optional(),
  /** The `id` of a story: only those that began before it. */
  before: z.int().min(1).optional(),
}))
/** Selects stories. All given keys must match. */
export type StoryFilter = types.StoryFilter

/** The numbers of stories of a world. */
export interface StoryCounts {
  /** Of players from requests, from code and from the scenario. */
  readonly players: number
  /** Of simulated players. */
  readonly simulated: number
  /** Stories that were dropped to make room. */
  readonly dropped: number
}

/** The stories of players, as events tell them. */
export interface StoriesState {
  readonly counts: StoryCounts
  /** Rises with each change of a story. */
  readonly changes: number
  /** The 20 stories that changed last, without simulated players. The newest change is the first. */
  readonly newest: readonly ChangedStory[]
}

/** A story that changed. */
export interface ChangedStory {
  /** As in the list of stories. */
  readonly id: number
  readonly token: string
  readonly name: string
  readonly outcome: types.StoryOutcome
  /** In ISO 8601. */
  readonly changed_at: string
  /** The number of the change. */
  readonly change: number
}

/** Stories, and what the world remembers of its players. */
export interface StoryList {
  /** The newest first. */
  readonly stories: readonly StorySummary[]
  /** The number of stories that match, without `before`. */
  readonly total: number
  /** `before` of the next page. Absent on the last one. */
  readonly next?: number
  readonly counts: StoryCounts
  /** The time of the world's clock since when it has stories, in ISO 8601: its beginning, or its newest reset, load or restore. */
  readonly begins_at: string
}

/** The stories of the players of a world. */
export interface Stories {
  /** Lists stories, the newest first. Throws `UsageError` if the filter is wrong. */
  list(filter?: StoryFilter): StoryList
  /**
   * Tells the story of a player. Its token is enough, and so is the beginning of it, its name or its `id`, if only one story
   * has that. `undefined` if there is none. Throws `UsageError` if there are several. `mermaid` adds the story as a diagram.
   */
  get(player: string | number, options?: { readonly mermaid?: boolean | undefined }): StoryJson | undefined
}

const defaultLimit = 50
const mostRecent = 20

/** Finds and tells the stories of a world. */
export class StoryBook implements Stories {
  constructor(private readonly source: StorySource) {}

  list(filter: StoryFilter = {}): StoryList {
    const { world, stories } = this.source
    world.checkUsable()
    const {
      limit = defaultLimit,
      before = Number.POSITIVE_INFINITY,
      ...asked
    } = parseInput(StoryFilter(), filter, 'filter')
    void world.clock.catchUp()
    const found = stories.list().filter(matcher(asked, world))
    const older = found.filter(({ id }) => id < before)
    const page = older.slice(0, limit)
    const last = page.at(-1)
    return {
      stories: page.map(story => summarizeStory(story, world)),
      total: found.length,
      ...(older.length > limit && last ? { next: last.id } : {}),
      counts: stories.counts,
      begins_at: formatInstant(stories.beginsAt.at),
    }
  }

  get(player: string | number, options: { readonly mermaid?: boolean | undefined } = {}): StoryJson | undefined {
    checkKeys(options, ['mermaid'])
    const { world } = this.source
    world.checkUsable()
    void world.clock.catchUp()
    const story = this.#find(String(player))
    const told = story && tellStory(story, this.source)
    return told && options.mermaid ? { ...told, mermaid: drawStory(told, story, this.source) } : told
  }

  /** Says why there is no story of a player, and what to do. */
  missing(player: string): ApiError {
    const names = this.#names()
    const near = nearest(plainName(player), names.keys())
    const [known] = (near !== undefined && names.get(near)) || []
    const hint = known ? ` Did you mean ${playerName(known.token)}?` : ''
    const { players, simulated, dropped } = this.source.stories.counts
    const kept = `It has the stories of ${counted(players, 'player', 'players')} and ${counted(simulated, 'simulated one', 'simulated ones')}`
    const lost =
      dropped === 0
        ? `. A reset, a load and a restart without --data begin them anew`
        : `, and ${counted(dropped, 'older one was', 'older ones were')} dropped: a world keeps ${counted(storyLimits.stories, 'story', 'stories')}`
    return new ApiError(
      'API_NOT_FOUND',
      `this world has no story of such a player.${hint} ${kept}${lost}. GET /__mock/stories lists them`,
    )
  }

  /** The state that events tell. */
  state(): StoriesState {
    const { stories, world } = this.source
    const newest = stories.recent(mostRecent).map((story): ChangedStory => {
      const { id, token, name, outcome, changed_at } = summarizeStory(story, world)
      return { id, token, name, outcome, changed_at, change: story.changedAt }
    })
    return { counts: stories.counts, changes: stories.changes, newest }
  }

  #find(player: string): Story | undefined {
    const { stories } = this.source
    const known = stories.get(player)
    if (known) return known
    const all = stories.list()
    const byId = /^\d{1,15}$/.test(player) ? all.find(({ id }) => id === Number(player)) : undefined
    if (byId) return byId
    const named = this.#names().get(plainName(player)) ?? []
    const found = named.length > 0 ? named : all.filter(({ token }) => beginsWith(token, player))
    if (found.length <= 1) return found[0]
    const ids = found.slice(0, mostListed).map(story => `${story.id} (${shortToken(story)})`)
    throw new UsageError(
      `${counted(found.length, 'story fits', 'stories fit')}: name one by its id or its whole token. The newest: ${ids.join(', ')}`,
    )
  }

  #names(): ReadonlyMap<string, Story[]> {
    const names = new Map<string, Story[]>()
    for (const story of this.source.stories.list()) {
      const name = plainName(playerName(story.token))
      const known = names.get(name)
      if (known) known.push(story)
      else names.set(name, [story])
    }
    return names
  }
}

const mostListed = 5

/** The shortest beginning of a token that finds it, in characters. */
const shortestBeginning = 4

/** Tells whether a token begins with a text, also without the label that all tokens of players have. */
function beginsWith(token: string, text: string): boolean {
  return text.length >= shortestBeginning && (token.startsWith(text) || unlabelled(token).startsWith(text))
}

function unlabelled(token: string): string {
  return token.slice(token.lastIndexOf('.') + 1)
}

/** The first letters of a token, which most often tell it from others. One of another service is secret. */
function shortToken({ token, seat }: Story): string {
  return seat === 'unknown' ? redactToken(token) : `${unlabelled(token).slice(0, 8)}…`
}

function matcher(
  { q, token, name, address, lobby, outcome, simulated }: Omit<StoryFilter, 'limit' | 'before'>,
  world: LiveWorld,
): (story: Story) => boolean {
  const tests: ((story: Story) => boolean)[] = []
  if (simulated !== undefined) tests.push(story => story.isSimulated === simulated)
  if (outcome !== undefined) tests.push(story => storyOutcome(story) === outcome)
  if (address !== undefined) tests.push(story => story.address === address)
  if (lobby !== undefined) tests.push(story => story.wasIn(({ lobby_id }) => lobby_id === lobby))
  if (token !== undefined) tests.push(story => story.token === token || beginsWith(story.token, token))
  if (name !== undefined) {
    const plain = plainName(name)
    tests.push(story => plainName(playerName(story.token)) === plain)
  }
  if (q !== undefined) tests.push(containing(q, world))
  return story => tests.every(test => test(story))
}

function containing(q: string, { tables }: LiveWorld): (story: Story) => boolean {
  const [lower, plain] = [q.toLowerCase(), plainName(q)]
  const has = (text: string | undefined) => text?.toLowerCase().includes(lower) === true
  const known = new Map<string, boolean>()
  const hasRegion = (id: string) => {
    const found = known.get(id) ?? (has(id) || has(tables.regions.get(id)?.region_display_name))
    known.set(id, found)
    return found
  }
  return story =>
    has(story.token) ||
    has(story.address) ||
    (plain !== '' && plainName(playerName(story.token)).includes(plain)) ||
    story.wasIn(({ lobby_id, game_mode_id, region_id }) => has(lobby_id) || has(game_mode_id) || hasRegion(region_id))
}
