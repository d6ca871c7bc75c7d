import * as z from 'zod'
import { durationFormat, parseDuration } from '../contract/duration.js'

/** A point in time, with its zone. */
export const Instant = z.iso.datetime({
  offset: true,
  error: 'expected a date and time with a zone, as in 2026-11-20T20:00:00Z',
})

/** A length of time, such as `5s`. */
export const Duration = z.string().refine(text => parseDuration(text) !== undefined, `expected ${durationFormat}`)

/** Milliseconds of a `Duration`. */
export function durationMs(duration: z.output<typeof Duration>): number {
  return parseDuration(duration) as number // the schema takes nothing else
}
