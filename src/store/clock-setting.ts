import * as z from 'zod'
import { quoted } from '../lib/text.js'
import { instantFormat, parseInstant } from '../lib/time.js'
import { UsageError } from '../lib/usage-error.js'

/** Whether the time goes by itself, or only where it is advanced. */
export type ClockMode = 'running' | 'frozen'

/** What of a clock can be set. */
export interface ClockSetting {
  readonly mode?: ClockMode | undefined
  /** In ms since the epoch, or a date and time with a zone, as in `2026-11-20T20:00:00Z`. */
  readonly now?: number | string | undefined
  /** Above 0, to 1 000 000. */
  readonly rate?: number | undefined
}

/** The fastest that a clock goes: eleven days in a second. */
const fastest = 1_000_000

export const Mode = z.enum(['running', 'frozen'] satisfies ClockMode[])

export const Rate = z
  .number()
  .refine(rate => rate > 0 && rate <= fastest, `expected a number above 0, to ${fastest}`)
  .meta({ exclusiveMinimum: 0, maximum: fastest })

const time = `expected ms since the epoch, or ${instantFormat}`

export const ClockSettingSchema = z.strictObject({
  mode: Mode.optional(),
  now: z.union([z.number(time), z.string()], { error: time }).optional(),
  rate: Rate.optional(),
}) satisfies z.ZodType<ClockSetting>

/** What stops a move of the time. */
export interface ClockMoveOptions {
  /** Default: none. */
  readonly signal?: AbortSignal | undefined
}

// By what is called: jsdom has a class of its own.
const isSignal = (value: unknown) => typeof (value as AbortSignal | null)?.throwIfAborted === 'function'

export const ClockMoveSchema = z.strictObject({
  signal: z.custom<AbortSignal>(isSignal, 'expected an AbortSignal').optional(),
}) satisfies z.ZodType<ClockMoveOptions>

/** Throws `UsageError` where it is no time. */
export function timeOf(now: number | string): number {
  const ms = typeof now === 'string' ? parseInstant(now) : new Date(now).getTime()
  if (ms !== undefined && !Number.isNaN(ms)) return ms
  throw new UsageError(`clock.now is ${quoted(now)}: ${time}`)
}
