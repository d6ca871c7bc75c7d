import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { Id } from './id.js'
import { Time } from './time.js'

/** The most players who come and go in a namespace. */
const mostConcurrent = 100_000

/** The shortest and the longest session, in ms: ten seconds, because players come and go in steps of five, and a week. */
const sessionMs = { min: 10_000, max: 604_800_000 }

/** Players who come to a namespace and go, by themselves. */
export const SimulationRow = exact({
  namespace_id: Id,
  /** How many play at once, over a day. */
  concurrent: z.number().min(0).max(mostConcurrent),
  /** For how long one plays on average, in ms. */
  session_ms: z.int().min(sessionMs.min).max(sessionMs.max),
  /** How often each game mode is wanted, by its id: weights. Absent: all alike. */
  modes: z.record(z.string(), z.number().min(0)).optional(),
  began_at: Time,
})
export type SimulationRow = z.output<typeof SimulationRow>
