import * as z from 'zod'
import { durationFormat, parseDuration } from '../contract/duration.js'

const dateTime = z.regexes.datetime({ offset: true })
/** As a snapshot says a time whose year is not of four digits. */
const farAway = /^[+-]\d{6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** A point in time, with its zone. */
export const Instant = z
  .string()
  .refine(
    text => (dateTime.test(text) || farAway.test(text)) && !Number.isNaN(Date.parse(text)),
    'expected a date and time with a zone, as in 2026-11-20T20:00:00Z',
  )
  .meta({ format: 'date-time' })

/** A point in time in ms since the epoch, as a scenario says it. */
export function instantOf(ms: number): string {
  return new Date(ms).toISOString()
}

/** A length of time, such as `5s`. */
export const Duration = z.string().refine(text => parseDuration(text) !== undefined, `expected ${durationFormat}`)

/** A point in time, in itself or after another one. */
interface Moment {
  readonly at: z.output<typeof Instant> | undefined
  readonly after: z.output<typeof Duration> | undefined
}

/** When that is, both in ms since the epoch; `undefined` where it is not said. */
export function momentOf({ at, after }: Moment, now: number): number | undefined {
  if (at !== undefined) return Date.parse(at)
  return after === undefined ? undefined : now + (parseDuration(after) as number) // the schema takes nothing else
}
