import * as z from 'zod'
import type * as types from '../generated/options.js'
import { parseInput } from '../lib/issues.js'
import { lazyObject } from '../lib/schemas.js'
import { formatInstant } from '../lib/time.js'
import { upcomingJobs } from '../simulation/scheduler.js'
import type { TableName } from '../store/rows.js'
import type { LiveWorld } from '../store/world.js'

export const ScheduleOptions = lazyObject(() => ({
  /** The most jobs. Default: 20. */
  limit: z.int().min(1).max(1_000).optional(),
}))
/** Options of `schedule`. */
export type ScheduleOptions = types.ScheduleOptions

/** A job that the world runs when its clock reaches the time, unless something changes the row before. */
export interface ScheduledJob {
  readonly table: TableName
  readonly id: string
  /** In ISO 8601. */
  readonly at: string
  /** The event in a few words: `a player leaves`. */
  readonly what: string
}

const defaultLimit = 20

/** Lists the jobs that are due next, in the order in which they run. Throws `UsageError` for a wrong limit. */
export function listSchedule(
  { tables, clock }: Pick<LiveWorld, 'tables' | 'clock'>,
  options: ScheduleOptions = {},
): ScheduledJob[] {
  const { limit = defaultLimit } = parseInput(ScheduleOptions(), options, 'schedule')
  void clock.catchUp()
  return upcomingJobs(tables, limit).map(({ at, ...job }) => ({ at: formatInstant(at), ...job }))
}
