import * as z from 'zod'
import type * as types from '../generated/options.js'
import { parseInput } from '../lib/issues.js'
import { lazyObject } from '../lib/schemas.js'
import { formatInstant } from '../lib/time.js'
import { upcomingJobs } from '../simulation/scheduler.js'
import { endOf } from '../store/faults.js'
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
  /** `faults`: an outage begins or ends. */
  readonly table: TableName | 'faults'
  readonly id: string
  /** In ISO 8601. */
  readonly at: string
  /** The event in a few words: `a player leaves`. */
  readonly what: string
}

const defaultLimit = 20

/** Lists the jobs that are due next, in the order in which they run. Throws `UsageError` for a wrong limit. */
export function listSchedule(
  world: Pick<LiveWorld, 'tables' | 'clock' | 'faults'>,
  options: ScheduleOptions = {},
): ScheduledJob[] {
  const { limit = defaultLimit } = parseInput(ScheduleOptions(), options, 'schedule')
  void world.clock.catchUp()
  return [...upcomingJobs(world.tables, limit), ...upcomingOutages(world)]
    .sort((one, other) => one.at - other.at)
    .slice(0, limit)
    .map(({ at, ...job }) => ({ at: formatInstant(at), ...job }))
}

function upcomingOutages({ tables, clock, faults }: Pick<LiveWorld, 'tables' | 'clock' | 'faults'>) {
  return faults.records.flatMap(record => {
    const { id, fault, beganAt = 0 } = record
    const name = tables.regions.get(fault.region ?? '')?.region_display_name
    if (name === undefined) return []
    const times = [
      { at: beganAt, what: `${name} goes down` },
      { at: endOf(record) ?? 0, what: `${name} is back` },
    ]
    return times.filter(({ at }) => at > clock.now()).map(time => ({ table: 'faults' as const, id, ...time }))
  })
}
