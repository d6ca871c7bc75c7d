import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { type ClockMode, Mode, Rate } from '../store/clock-setting.js'

/** How the clock of a world goes: only its mode, or an object. */
export const ClockEntry = z.union([
  exact({
    mode: Mode.optional().meta({
      description: 'Whether the time goes by itself. Default: running.',
      default: 'running',
    }),
    rate: Rate.optional().meta({
      description: 'How many of its ms pass in one real ms while it runs. Default: 1.',
      default: 1,
      examples: [60],
    }),
  }),
  Mode,
])
export type ClockEntry = z.output<typeof ClockEntry>

/** How fast the clock goes, and whether it does, with the defaults. */
export function clockOf(entry: ClockEntry = {}): { readonly clock: ClockMode; readonly rate: number } {
  const { mode = 'running', rate = 1 } = typeof entry === 'string' ? { mode: entry } : entry
  return { clock: mode, rate }
}
