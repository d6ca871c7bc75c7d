import type { StorySummary } from '../../core/control/stories/tell-story.js'
import { type PlayerState, stateNames, stateOf } from '../world/player-state.js'

// The order of the players: in groups, or by time.

export const groupings = [
  ['lobby', 'By lobby'],
  ['time', 'By time'],
  ['state', 'By state'],
] as const
export type Grouping = (typeof groupings)[number][0]

/** A row of the list: a player, or the head of a group. */
export type PlayerRow =
  | { readonly story: StorySummary }
  | { readonly lobbyId: string | undefined; readonly first: StorySummary }
  | { readonly state: PlayerState; readonly count: number }

/**
 * Returns the rows of stories, which come with the newest first. The group of the newest story is first, and so is the oldest
 * player of a state. `order` sorts the players of a group otherwise.
 */
export function groupStories(
  stories: readonly StorySummary[],
  by: Grouping,
  order: (stories: readonly StorySummary[]) => readonly StorySummary[] = byState,
): readonly PlayerRow[] {
  if (by === 'time') return stories.map(story => ({ story }))
  const groups = new Map<string | undefined, StorySummary[]>()
  if (by === 'state') for (const state of stateNames) groups.set(state, [])
  for (const story of stories) {
    const key = by === 'lobby' ? story.lobby_id : stateOf(story)
    const group = groups.get(key)
    if (group) group.push(story)
    else groups.set(key, [story])
  }
  return [...groups].flatMap(([key, group]): readonly PlayerRow[] => {
    const [first] = group
    if (!first) return []
    const head = by === 'lobby' ? { lobbyId: key, first } : { state: stateOf(first), count: group.length }
    return [head, ...order(group).map(story => ({ story }))]
  })
}

function byState(stories: readonly StorySummary[]): readonly StorySummary[] {
  return stories
    .toReversed()
    .sort((one, other) => stateNames.indexOf(stateOf(one)) - stateNames.indexOf(stateOf(other)))
}
