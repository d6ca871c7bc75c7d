import type * as z from 'zod'
import { type Duration, durationMs } from '../contract/duration.js'
import type { Instant } from '../contract/instant.js'

/** A point in time, in itself or after another one. */
interface Moment {
  readonly at: z.output<typeof Instant> | undefined
  readonly after: z.output<typeof Duration> | undefined
}

/** When that is, both in ms since the epoch; `undefined` where it is not said. */
export function momentOf({ at, after }: Moment, now: number): number | undefined {
  if (at !== undefined) return msOf(at)
  return after === undefined ? undefined : now + durationMs(after)
}

/** When that is, in ms since the epoch. */
export function msOf(at: z.output<typeof Instant> | undefined): number | undefined {
  return at === undefined ? undefined : Date.parse(at)
}
