import type { Random } from '../store/random.js'
import { type SimulationRow, sessionLimits } from '../store/rows.js'
import { logNormal } from './chance.js'

/** How often players come, in ms. All that simulated players do, they do at such times. */
export const stepMs = 5000

/** For how long a simulated player plays, in ms: whole steps. */
export function sessionMs({ session_ms }: SimulationRow, random: Random): number {
  const steps = Math.round(logNormal(session_ms, random) / stepMs)
  return Math.min(Math.max(steps, 1) * stepMs, sessionLimits.max)
}
