import { grouped } from './messages.js'
import { dateOf } from './real-globals.js'

const unitMs = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 } as const
const units = Object.entries(unitMs)

/** Matches each unit at most once, the longest first. */
const duration = new RegExp(`^(?=.)${units.map(([unit]) => String.raw`(?:(\d+(?:\.\d+)?)${unit})?`).join('')}$`)

/** Describes a duration in messages. */
export const durationFormat = 'a number with ms, s, m, h or d, as in 250ms, 40s, 1h30m'

/** Describes a duration in code: as text, or as a number of ms. */
export const durationInCode = 'a number of ms from 0, or a text with ms, s, m, h or d, as in 250ms, 40s, 1h30m'

/** A hundred years. A longer duration is a typing error. */
export const longestMs = 36_525 * unitMs.d

/** Reads a duration of code: text, or a number of ms. Returns whole ms, or `undefined` if it is invalid. */
export function readDuration(duration: unknown): number | undefined {
  if (typeof duration === 'string') return parseDuration(duration)
  return typeof duration === 'number' && duration >= 0 && duration <= longestMs ? Math.round(duration) : undefined
}

/** Reads a duration such as `250ms`, `40s`, `1h30m` or `2d`. Returns ms, or `undefined` if the text is invalid. */
export function parseDuration(text: string): number | undefined {
  const [, ...amounts] = duration.exec(text) ?? []
  if (amounts.length === 0) return undefined
  const ms = Math.round(units.reduce((sum, [, length], i) => sum + Number(amounts[i] ?? 0) * length, 0))
  return ms <= longestMs ? ms : undefined
}

/** Describes what a value should be that is no duration. `form` describes a duration. */
export function expectedDuration(value: unknown, form: string = durationFormat): string {
  const isTooLong = typeof value === 'string' ? duration.test(value) : Number.isFinite(value) && Number(value) > 0
  return isTooLong ? `at most ${formatDuration(longestMs)}` : form
}

/** Writes ms as seconds: `0.503 s`. */
export function secondsText(ms: number): string {
  return `${(ms / 1_000).toFixed(3)} s`
}

/** Writes a duration in the largest unit that divides it: `12m`, `90s`. */
export function formatDuration(ms: number): string {
  const [unit, length] = units.find(([, one]) => ms >= one && ms % one === 0) ?? ['ms', 1]
  return `${ms / length}${unit}`
}

/** Writes a time that has passed, for people: `1.2 ms`, `812 ms`, `18.4 s`, `3 min 12 s`, `8 h 5 min`, `2 d 3 h`. */
export function elapsedText(ms: number): string {
  if (ms < 9.95) return `${Number(Math.max(0, ms).toFixed(1))} ms`
  const rounded = Math.round(ms)
  if (rounded < unitMs.s) return `${rounded} ms`
  if (rounded < unitMs.m - 50) return `${Number((rounded / unitMs.s).toFixed(1))} s`
  if (rounded < unitMs.h - 500) return withRest(Math.round(rounded / unitMs.s), 60, ['min', 's'])
  if (rounded < unitMs.d - 30_000) return withRest(Math.round(rounded / unitMs.m), 60, ['h', 'min'])
  return withRest(Math.round(rounded / unitMs.h), 24, ['d', 'h'])
}

function withRest(count: number, size: number, [unit, smaller]: readonly [string, string]): string {
  const rest = count % size
  return `${grouped(Math.floor(count / size))} ${unit}${rest === 0 ? '' : ` ${rest} ${smaller}`}`
}

/** Reads a valid `Duration`. Returns ms. */
export function durationMs(duration: string): number {
  return parseDuration(duration) as number // the schema accepts nothing else
}

/** Reads a duration with its sign, such as `-90s`. Returns ms, or `undefined` if the text is invalid. */
export function parseShift(text: string): number | undefined {
  const [, sign, duration = ''] = /^([+-])(.*)$/.exec(text) ?? []
  const ms = parseDuration(duration)
  return ms === undefined || sign === '+' ? ms : -ms
}

/** Describes an instant in messages. */
export const instantFormat = 'a date and time with a zone, as in 2026-11-20T20:00:00Z'

/** Writes ms since the epoch as an ISO date in UTC. */
export function formatInstant(ms: number): string {
  return dateOf(ms).toISOString()
}

/** Writes a date and a time in UTC: `2026-11-20 20:15:48`. */
export function dateAndTime(ms: number): string {
  return formatInstant(ms).slice(0, -'.000Z'.length).replace('T', ' ')
}

/** Writes the time of day in UTC: `20:14:15`. */
export function timeOfDay(ms: number): string {
  return formatInstant(ms).slice(-'20:14:15.000Z'.length, -'.000Z'.length)
}

/** Writes the time of day in the time zone of this machine: `21:14:15`. */
export function localTimeOfDay(ms: number): string {
  return dateOf(ms).toTimeString().slice(0, '21:14:15'.length)
}

/** The largest distance of a date from the epoch, in ms. */
export const furthestMs = 8.64e15

/** A thousand years: longer than any lifetime, and than any duration of a fault. */
const marginMs = 31_556_952_000_000

/** The latest time of a clock. Any lifetime after it still ends at a valid date. */
export const latestMs = furthestMs - marginMs
