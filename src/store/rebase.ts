import type { ClockGoing, ClockStanding } from './clock.js'
import { type Merged, merge } from './merge.js'
import type { RandomState } from './random.js'
import { type Beginning, begin, type Standing } from './standing.js'

/** A world that shall have begun otherwise. */
interface Rebasing {
  /** How it began. */
  readonly begun: Standing
  /** Where its clock started. */
  readonly start: ClockStanding
  /** As it stands. */
  readonly present: Standing & { readonly clock: ClockStanding }
}

/** How it has begun, and how it stands then. */
interface Rebased {
  readonly begun: Standing
  readonly start: ClockStanding
  /** What its clock is set to; `undefined` where that goes on. */
  readonly clock: ClockGoing | undefined
  readonly chance: RandomState
  readonly merged: Merged
}

/**
 * A world as it stands if it had begun otherwise: what that changes is changed, in its records, clock and chance, and
 * what it has become since stays. The time of its beginning stays, too, unless the beginnings differ in that. Throws `UsageError`.
 */
export function rebased(beginning: Beginning, { begun, start, present }: Rebasing): Rebased {
  const { clock: mode, rate = 1, now } = beginning
  const moved = now !== begun.clock.now
  const at = moved ? (now ?? Date.now()) : begun.at
  const next = begin(beginning, undefined, at)
  const afresh = moved ? next : begin(beginning, next, present.clock.now)
  const going = (then: ClockStanding): ClockStanding => ({
    mode: mode === begun.clock.mode ? then.mode : mode,
    rate: rate === begun.clock.rate ? then.rate : rate,
    now: moved ? at : then.now,
  })
  const stays = !moved && mode === begun.clock.mode && rate === begun.clock.rate
  return {
    begun: next,
    start: going(start),
    clock: stays ? undefined : { ...going(present.clock), now: moved ? at : undefined },
    // Once it has been drawn from, to begin it anew could give an id twice.
    chance: same(present.chance, begun.chance) ? next.chance : present.chance,
    merged: merge({
      before: begun.records,
      after: next.records,
      afresh: afresh.records,
      present: present.records,
    }),
  }
}

function same(one: RandomState, other: RandomState): boolean {
  return one.every((number, i) => number === other[i])
}
