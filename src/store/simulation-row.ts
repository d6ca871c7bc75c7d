import * as z from 'zod'
import { record } from '../lib/json.js'
import { Id } from './id.js'
import { Time } from './time.js'

/** The most players who come and go in a namespace. */
export const mostConcurrent = 100_000

/** The shortest and the longest session, in ms: ten seconds, because players come and go in steps of five, and a week. */
export const sessionLimits = { min: 10_000, max: 604_800_000 }

/** The greatest weight of a game mode. */
const mostWeight = 1_000_000
/** The most who may come in a second. */
const mostComing = 1000

interface Coming {
  readonly concurrent: number
  readonly session_ms: number
}

/** Whether more come than may. */
export function isRush({ concurrent, session_ms }: Coming): boolean {
  return (concurrent * 1000) / session_ms > mostComing
}

/** What is said where more come than may. */
export const rush = `expected fewer players, or longer sessions: at most ${mostComing} may come in a second`

/** Players who come to a namespace and go, by themselves. */
export const SimulationRow = z
  .strictObject({
    namespace_id: Id,
    /** How many play at once, over a day. */
    concurrent: z.number().min(0).max(mostConcurrent),
    /** For how long one plays on average, in ms. */
    session_ms: z.int().min(sessionLimits.min).max(sessionLimits.max),
    /** How often each game mode is wanted, by its id: weights. Absent: all alike. */
    modes: record(z.number().min(0).max(mostWeight))
      .refine(modes => Object.values(modes).some(weight => weight > 0), 'expected a weight above 0 for one at least')
      .optional(),
    began_at: Time,
    /** Whether those whom lobbies only counted at the beginning have become players who leave. */
    settled: z.boolean(),
  })
  .refine(row => !isRush(row), { path: ['concurrent'], error: rush })
export type SimulationRow = z.output<typeof SimulationRow>
