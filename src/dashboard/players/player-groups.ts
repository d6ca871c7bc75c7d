import type { StorySummary } from '../../core/control/stories/tell-story.js'
import { stateRank } from '../world/player-state.js'

// The order of the players: in groups, or by time.

export const groupings = [
  ['lobby', 'By lobby'],
  ['time', 'By time'],
  ['state', 'By state'],
] as const
export type Grouping = (typeof groupings)[number][0]

/** A row of the list: a player, or the head of the group of a lobby. */
export type PlayerRow =
  | { readonly story: StorySummary }
  | { readonly lobbyId: string | undefined; readonly first: StorySummary }

/**
 * Returns the rows of stories, which come with the newest first. The lobby of the newest story is first, and so is the oldest
 * player of a state. `order` sorts the players otherwise.
 */
export function groupStories(
  stories: readonly StorySummary[],
  by: Grouping,
  order: (stories: readonly StorySummary[]) => readonly StorySummary[] = by === 'time' ? all => all : byState,
): readonly PlayerRow[] {
  if (by !== 'lobby') return order(stories).map(story => ({ story }))
  const groups = new Map<string | undefined, StorySummary[]>()
  for (const story of stories) groups.set(story.lobby_id, [...(groups.get(story.lobby_id) ?? []), story])
  return [...groups].flatMap(([lobbyId, group]): readonly PlayerRow[] => {
    const [first] = group as [StorySummary] // a group begins with one
    return [{ lobbyId, first }, ...order(group).map(story => ({ story }))]
  })
}

function byState(stories: readonly StorySummary[]): readonly StorySummary[] {
  return stories.toReversed().sort((one, other) => stateRank(one) - stateRank(other))
}
