import type { Jobs } from '../store/clock.js'
import { tableNames } from '../store/models.js'
import type { TableName } from '../store/rows.js'
import type { Table } from '../store/table.js'
import type { LiveWorld } from '../store/world.js'
import { type Lifecycle, lifecycles } from './lifecycles.js'
import type { JobContext } from './simulated-players.js'

/** The tables with jobs, in the order in which jobs of the same time run. */
const scheduled = tableNames.filter((name): name is keyof typeof lifecycles => Object.hasOwn(lifecycles, name))

/** The job that is due next. */
interface NextJob {
  readonly table: keyof typeof lifecycles
  readonly id: string
  readonly at: number
}

/**
 * Runs jobs at their times: a lobby stops, a player leaves, simulated players arrive. Rows contain the times of their jobs, so
 * the scheduler only looks up the first entry of an index.
 */
export class Scheduler implements Jobs {
  readonly #world: LiveWorld
  readonly #onBug: (error: unknown) => void
  /** The next job at a revision. A cache, because the clock asks often. */
  #next: { readonly revision: number; readonly job: NextJob | undefined } | undefined

  /** `onBug` is called with the errors of jobs. */
  constructor(world: LiveWorld, onBug: (error: unknown) => void) {
    this.#world = world
    this.#onBug = onBug
  }

  nextAt(): number {
    return this.#nextJob()?.at ?? Number.POSITIVE_INFINITY
  }

  runNext(): void {
    const next = this.#nextJob()
    if (!next) return
    const { revision } = this.#world
    try {
      this.#write(next, (lifecycle, row, context) => lifecycle.run(row, context))
    } catch (error) {
      this.#onBug(error)
    }
    // A job that failed, or changed nothing, would be due again at once.
    if (this.#world.revision === revision)
      this.#write(next, (lifecycle, row, { tables }) =>
        rowsOf(tables, next.table).put(Object.freeze(lifecycle.cancel(row))),
      )
  }

  #write(
    { table, id, at }: NextJob,
    run: (lifecycle: Lifecycle<object>, row: object, context: JobContext) => void,
  ): void {
    const world = this.#world
    // A row may be written with a time in the past: its job runs now.
    const now = Math.max(at, world.clock.now())
    world.write(
      () => {
        const { tables, random, seed, hasPassed } = world
        const row = rowsOf(tables, table).get(id)
        const lifecycle: Lifecycle<object> = lifecycles[table]
        if (row) run(lifecycle, row, { tables, random, seed, hasPassed, now })
      },
      { cause: { kind: 'job', table, id }, at: now },
    )
  }

  #nextJob(): NextJob | undefined {
    const { revision, tables } = this.#world
    if (this.#next?.revision === revision) return this.#next.job
    let [first, firstAt]: [TableName | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const table of scheduled) {
      const at = rowsOf(tables, table).state.lowestRank('nextJobAt')
      if (at !== undefined && at < firstAt) [first, firstAt] = [table, at]
    }
    const entry = first && rowsOf(tables, first).state.firstOfAll('nextJobAt')
    const job = first && entry && { table: first, id: entry.id, at: firstAt }
    this.#next = { revision, job }
    return job
  }
}

function rowsOf(tables: LiveWorld['tables'], name: TableName): Table<object> {
  return tables[name]
}
