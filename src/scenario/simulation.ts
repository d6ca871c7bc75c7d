import type * as z from 'zod'
import { Duration, durationMs, durationText } from '../contract/duration.js'
import { exact } from '../contract/exact.js'
import { Instant } from '../contract/instant.js'
import { simulationDefaults } from '../store/default-columns.js'
import { SimulationRow } from '../store/simulation-row.js'
import { msOf } from './time.js'

const { concurrent, session_ms, modes, settled } = SimulationRow.shape

/** How long a session may be. */
const Session = Duration.refine(
  session => session_ms.safeParse(durationMs(session)).success,
  'expected a duration from 10s to 7d',
)

/** Players who come and go by themselves. */
export const SimulationEntry = exact({
  concurrent: concurrent.optional().meta({
    description: 'How many play at once, over a day. Default: 100.',
    default: simulationDefaults.concurrent,
    examples: [300],
  }),
  session: Session.optional().meta({
    description: 'For how long one plays, on average. Default: 12m.',
    default: durationText(simulationDefaults.session_ms),
  }),
  modes: modes.meta({
    description: 'How often players want each game mode: weights, by its id. Default: all alike.',
    examples: [{ duel: 1, 'free-for-all': 6 }],
  }),
  began_at: Instant.optional().describe('When they began to come. Default: when the world begins.'),
  settled: settled.optional().meta({
    description: 'Whether the players that lobbies only count have become players who leave. Default: false.',
    default: false,
  }),
})
export type SimulationEntry = z.output<typeof SimulationEntry>

/** What is known of it without its namespace. */
export function simulationOf(entry: SimulationEntry, now: number): Omit<SimulationRow, 'namespace_id'> {
  const { concurrent = simulationDefaults.concurrent, session, modes, settled = false } = entry
  return {
    concurrent,
    session_ms: session === undefined ? simulationDefaults.session_ms : durationMs(session),
    ...(modes === undefined ? {} : { modes }),
    began_at: msOf(entry.began_at) ?? now,
    settled,
  }
}
