import * as z from 'zod'
import { parseDate } from './real-globals.js'
import {
  durationInCode,
  durationMs,
  expectedDuration,
  formatDuration,
  formatInstant,
  furthestMs,
  instantFormat,
  readDuration,
} from './time.js'

const isDuration = (duration: string | number) => readDuration(duration) !== undefined
const durationExamples = ['250ms', '40s', '12m', '1h']

const expectedInFile = {
  error({ input }: { readonly input?: unknown }) {
    if (input === undefined) return undefined
    // A number has the wrong form, not the wrong length.
    return `expected ${expectedDuration(typeof input === 'string' ? input : undefined)}`
  },
}

/** A duration as text, such as `5s`. Files have no other form: `60` in a file mostly means seconds. */
export const Duration = z
  .string(expectedInFile)
  // Checks of an object around it compare durations.
  .refine(isDuration, { ...expectedInFile, abort: true })
  .meta({ examples: durationExamples })

const expectedInCode = {
  error: ({ input }: { readonly input?: unknown }) => `expected ${expectedDuration(input, durationInCode)}`,
}

/** A duration in code: text, or a number of ms, which becomes text. */
export const DurationInCode = z
  .codec(
    z.union(
      [z.string().refine(isDuration, expectedInCode), z.number().refine(isDuration, expectedInCode)],
      expectedInCode,
    ),
    z.string(),
    {
      decode: duration => (typeof duration === 'number' ? formatDuration(Math.round(duration)) : duration),
      encode: text => text,
    },
  )
  .meta({ examples: durationExamples })

const dateTime = z.regexes.datetime({ offset: true })
/** `toISOString` writes years beyond 9999 with a sign and six digits. */
const extendedYear = /^[+-]\d{6}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Reads a date and time with its zone. Returns ms since the epoch, or `undefined` if the text is invalid. */
export function parseInstant(text: string): number | undefined {
  const ms = dateTime.test(text) || extendedYear.test(text) ? parseDate(text) : Number.NaN
  return Number.isNaN(ms) ? undefined : ms
}

/** A date and time with its zone, as text. */
export const Instant = z
  .string({ error: ({ input }) => (input === undefined ? undefined : `expected ${instantFormat}`) })
  .refine(text => parseInstant(text) !== undefined, `expected ${instantFormat}`)
  .meta({
    format: 'date-time',
    pattern: String.raw`^(\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$`,
    examples: ['2026-11-20T20:00:00Z'],
  })

/** A time of the world's clock. Text in files, ms since the epoch in rows. */
export const Time = z.codec(Instant, z.int().min(-furthestMs).max(furthestMs), {
  decode: text => parseDate(text),
  encode: formatInstant,
})

/** A duration. Text in files, ms in memory. */
export const Span = z.codec(Duration, z.number(), { decode: durationMs, encode: formatDuration })

/** A duration in code. Ms in memory. */
export const SpanInCode = z.codec(DurationInCode, z.number(), { decode: durationMs, encode: formatDuration })
