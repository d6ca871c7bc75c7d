import type * as z from 'zod'
import { type Duration, durationMs, type Instant } from '../lib/time.js'
import { Token as AnyToken } from '../store/id.js'
import { Random } from '../store/random.js'

/** A token as the scenario names it. */
export const Token = AnyToken.meta({
  description: 'A token as it is sent. Default: from the seed.',
  examples: ['cloud.mock.desk'],
})

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

/** The ids and tokens that a scenario does not give: each from a stream of the seed with the name of what it belongs to. */
export interface Naming {
  uuid(stream: string): string
  token(stream: string, label: string): string
}

/** `taken` are the ids and tokens that the scenario gives: what is drawn is none of them. */
export function createNaming(seed: number, taken: ReadonlySet<string>): Naming {
  const draw = (stream: string, from: (random: Random) => string) => {
    const random = new Random(seed, stream)
    let drawn = from(random)
    while (taken.has(drawn)) drawn = from(random)
    return drawn
  }
  return {
    uuid: stream => draw(stream, random => random.uuid()),
    token: (stream, label) => draw(stream, random => random.token(label)),
  }
}
