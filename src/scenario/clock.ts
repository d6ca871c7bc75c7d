import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { type ClockMode, fastestRate } from '../store/clock.js'

const Mode = z.enum(['running', 'frozen'] satisfies ClockMode[])

/** How the clock of a world goes: only its mode, or an object. */
export const ClockEntry = z.union([
  exact({
    mode: Mode.optional().describe('Default: running.'),
    rate: z
      .number()
      .refine(rate => rate > 0 && rate <= fastestRate, `expected a number above 0, to ${fastestRate}`)
      .meta({ exclusiveMinimum: 0, maximum: fastestRate })
      .optional()
      .describe('How many of its ms pass in one real ms while it runs. Default: 1.'),
  }),
  Mode,
])
export type ClockEntry = z.output<typeof ClockEntry>

/** How fast the clock goes, and whether it does, with the defaults. */
export function clockOf(entry: ClockEntry = {}): { readonly clock: ClockMode; readonly rate: number } {
  const { mode = 'running', rate = 1 } = typeof entry === 'string' ? { mode: entry } : entry
  return { clock: mode, rate }
}
