import * as z from 'zod'
import {
  durationFormat,
  durationMs,
  formatDuration,
  formatInstant,
  furthestMs,
  instantFormat,
  parseDuration,
} from './time.js'

/** A duration as text, such as `5s`. */
export const Duration = z
  .string()
  .refine(text => parseDuration(text) !== undefined, `expected ${durationFormat}`)
  .meta({ examples: ['250ms', '40s', '12m', '1h'] })

const dateTime = z.regexes.datetime({ offset: true })
/** `toISOString` writes years beyond 9999 with a sign and six digits. */
const extendedYear = /^[+-]\d{6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Reads a date and time with its zone. Returns ms since the epoch, or `undefined` if the text is invalid. */
export function parseInstant(text: string): number | undefined {
  const ms = dateTime.test(text) || extendedYear.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** A date and time with its zone, as text. */
export const Instant = z
  .string()
  .refine(text => parseInstant(text) !== undefined, `expected ${instantFormat}`)
  .meta({
    format: 'date-time',
    pattern: String.raw`^(\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$`,
    examples: ['2026-11-20T20:00:00Z'],
  })

/** A time of the world's clock. Text in files, ms since the epoch in rows. */
export const Time = z.codec(Instant, z.int().min(-furthestMs).max(furthestMs), {
  decode: text => Date.parse(text),
  encode: formatInstant,
})

/** A duration. Text in files, ms in memory. */
export const Span = z.codec(Duration, z.number(), { decode: durationMs, encode: formatDuration })
