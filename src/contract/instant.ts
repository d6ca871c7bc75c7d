import * as z from 'zod'

const dateTime = z.regexes.datetime({ offset: true })
/** As a time is said whose year is not of four digits. */
const farAway = /^[+-]\d{6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** What a point in time looks like, for messages. */
export const instantFormat = 'a date and time with a zone, as in 2026-11-20T20:00:00Z'

/** Milliseconds since the epoch of a point in time with its zone; `undefined` for anything else. */
export function parseInstant(text: string): number | undefined {
  const ms = dateTime.test(text) || farAway.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** A point in time, with its zone. */
export const Instant = z
  .string()
  .refine(text => parseInstant(text) !== undefined, `expected ${instantFormat}`)
  .meta({
    format: 'date-time',
    pattern: String.raw`^(\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$`,
    examples: ['2026-11-20T20:00:00Z'],
  })

/** A point in time in ms since the epoch, as people read it. */
export function instantOf(ms: number): string {
  return new Date(ms).toISOString()
}
