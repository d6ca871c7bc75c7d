import * as z from 'zod'

const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const duration = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/

/** What a duration looks like, for messages. */
export const durationFormat = 'a number with ms, s, m, h or d, as in 250ms, 40s, 1m'

/** A hundred years: what is longer is a slip, and ends beyond what a date can say. */
const longestMs = 36_525 * unitMs.d

/** Milliseconds of a duration such as `250ms`, `40s`, `1m`, `1h`, `2d`; `undefined` for anything else, and beyond a hundred years. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = duration.exec(text) ?? []
  if (amount === undefined) return undefined
  // The pattern takes no unit but these.
  const ms = Math.round(Number(amount) * unitMs[unit as keyof typeof unitMs])
  return ms <= longestMs ? ms : undefined
}

const units = Object.entries(unitMs).toReversed()

/** A length of time as people write it, in the largest unit of which it is a whole number: `12m`, `90s`. */
export function durationText(ms: number): string {
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
