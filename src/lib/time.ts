import * as z from 'zod'

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const
const number = String.raw`(\d+(?:\.\d+)?)`

/** Each unit once at most, the largest first. */
const duration = new RegExp(
  `^(?=.)${Object.keys(unitMs)
    .map(unit => `(?:${number}${unit})?`)
    .join('')}$`,
)

/** What a duration looks like, for messages. */
export const durationFormat = 'a number with ms, s, m, h or d, as in 250ms, 40s, 1h30m'

/** A hundred years: what is longer is a slip, and ends beyond what a date can say. */
const longestMs = 36_525 * unitMs.d

/** Milliseconds of a duration such as `250ms`, `40s`, `1h30m`, `2d`; `undefined` for anything else, and beyond a hundred years. */
export function parseDuration(text: string): number | undefined {
  const [, ...amounts] = duration.exec(text) ?? []
  if (amounts.length === 0) return undefined
  const ms = Math.round(units.reduce((sum, [, one], i) => sum + Number(amounts[i] ?? 0) * one, 0))
  return ms <= longestMs ? ms : undefined
}

const units = Object.entries(unitMs)

/** A length of time as people write it, in the largest unit of which it is a whole number: `12m`, `90s`. */
export function formatDuration(ms: number): string {
  const [unit, one] = units.find(([, length]) => ms >= length && ms % length === 0) ?? ['ms', 1]
  return `${ms / one}${unit}`
}

/** A length of time as people write it, such as `5s`. */
export const Duration = z
  .string()
  .refine(text => parseDuration(text) !== undefined, `expected ${durationFormat}`)
  .meta({ examples: ['250ms', '40s', '12m', '1h'] })

/** Milliseconds of a `Duration`. */
export function durationMs(duration: z.output<typeof Duration>): number {
  return parseDuration(duration) as number // the schema takes nothing else
}

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
export function formatInstant(ms: number): string {
  return new Date(ms).toISOString()
}
