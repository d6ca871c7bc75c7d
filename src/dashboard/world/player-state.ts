import type { StorySummary } from '../../core/control/stories/tell-story.js'

// The states of a player, for all parts of the page. `0-tokens.css` has their fills.

/** The states, in the order of a group: the word, and the colours of a bar with a text on the canvas. */
export const playerStates = {
  way: { word: 'on the way', tone: '', colours: ['track', 'seat', 'ink'] },
  plays: { word: 'plays', tone: 'good', colours: ['good-tint', 'good-mark', 'good'] },
  never: { word: 'never connected', tone: 'bad', colours: ['bad-tint', 'bad-mark', 'bad'] },
  left: { word: 'left', tone: 'muted', colours: ['track', 'seat', 'muted'] },
} as const

export type PlayerState = keyof typeof playerStates

export const stateNames = Object.keys(playerStates) as PlayerState[]

/** Returns the state of a seat by its times. */
export function seatState({
  connectedAt,
  endedAt,
}: {
  readonly connectedAt?: unknown
  readonly endedAt?: unknown
}): PlayerState {
  if (endedAt === undefined) return connectedAt === undefined ? 'way' : 'plays'
  return connectedAt === undefined ? 'never' : 'left'
}

/** Returns the state of the player of a story. Who got no seat has never connected. */
export function stateOf({ reserved_at, connected_at, ended_at }: StoryTimes): PlayerState {
  const hasSeat = (reserved_at ?? connected_at) !== undefined
  return seatState({ connectedAt: connected_at, endedAt: hasSeat ? ended_at : '' })
}

/** Returns the place of a player in the order of the states. */
export function stateRank(story: StoryTimes): number {
  return stateNames.indexOf(stateOf(story))
}

export type StoryTimes = Pick<StorySummary, 'reserved_at' | 'connected_at' | 'ended_at'>

/** Counts the players of each state. */
export function countStates(stories: readonly StoryTimes[]): { readonly [state in PlayerState]: number } {
  const counts = { way: 0, plays: 0, never: 0, left: 0 }
  for (const story of stories) counts[stateOf(story)] += 1
  return counts
}

/** A part of a bar: its state, from, and to. `due`: what is to come. */
export type BarPart = readonly [kind: PlayerState | 'due', from: number, to: number]

/** Returns the parts of the bar of a seat, in ms. It has the colour of what the player is now, to the start. */
export function barParts(
  seat: {
    readonly reservedAt?: number | undefined
    readonly connectedAt?: number | undefined
    readonly endedAt?: number | undefined
    readonly nextAt?: number | undefined
  },
  now: number,
): readonly BarPart[] {
  const { connectedAt, endedAt, nextAt } = seat
  const reservedAt = seat.reservedAt ?? connectedAt
  if (reservedAt === undefined) return []
  const end = endedAt ?? now
  const state = seatState(seat)
  const parts: BarPart[] = connectedAt === undefined ? [[state, reservedAt, end]] : []
  if (connectedAt !== undefined && connectedAt > reservedAt) parts.push(['way', reservedAt, connectedAt])
  if (connectedAt !== undefined) parts.push([state, connectedAt, end])
  if (endedAt === undefined && nextAt !== undefined && nextAt > now) parts.push(['due', now, nextAt])
  return parts
}
