import { completeLink } from '../operations/auth.js'
import { connectPlayer, removePlayer, stopLobby } from '../operations/game-server.js'
import { applyOutages } from '../operations/outages.js'
import type { Cause } from '../store/change-set.js'
import type { Jobs } from '../store/clock.js'
import { nextOutageAt } from '../store/faults.js'
import { isSeated } from '../store/lobby-rules.js'
import { nextLobbyJobAt, nextPlayerJobAt, type PlayerRow, withoutSeat } from '../store/matchmaker-rows.js'
import type { ColumnOf } from '../store/model.js'
import type { Rows, TableName } from '../store/rows.js'
import type { TreeTable } from '../store/table.js'
import { tableNames } from '../store/table-names.js'
import type { Transaction } from '../store/transaction.js'
import type { LiveWorld } from '../store/world.js'
import { type JobContext, runSimulationStep, serveLobby } from './simulated-players.js'

/** The jobs of a table's rows. The index `nextJobAt` of the model has their times. */
interface Lifecycle<Row, Column = string> {
  readonly jobColumns: readonly Column[]
  /** Describes the next job of a row in a few words. */
  describe(row: Row): string
  /** Runs the due job of a row. Afterwards the next job of the row is later, or there is none. */
  run(row: Row, context: JobContext): void
}

/** The tables with jobs. Of jobs at the same time, those of earlier tables run first: lobbies stop before their players expire. */
const lifecycles = {
  lobbies: {
    jobColumns: ['ready_by', 'stops_at', 'forgotten_at'],
    describe(lobby) {
      if (lobby.status === 'stopped') return 'the mock forgets a stopped lobby'
      const isLate = lobby.status === 'starting' && nextLobbyJobAt(lobby) === lobby.ready_by
      return isLate ? 'a lobby stops, because its game server is not ready' : 'a lobby stops'
    },
    run(lobby, { tables, now }) {
      if (lobby.status === 'stopped') tables.lobbies.delete(lobby.lobby_id)
      else stopLobby(lobby, tables, now)
    },
  },
  players: {
    jobColumns: ['expires_at', 'connects_at', 'leaves_at', 'removes_at', 'forgotten_at'],
    describe: describePlayerJob,
    run: runPlayerJob,
  },
  simulations: {
    jobColumns: ['next_step_at'],
    describe: () => 'simulated players arrive',
    run: runSimulationStep,
  },
  deviceLinks: {
    jobColumns: ['completes'],
    describe: () => 'a device link completes',
    run(link, context) {
      if (link.status === 'pending' && link.completes) completeLink(link, link.completes.game_id, context)
    },
  },
} satisfies { readonly [Name in TableName]?: Lifecycle<Rows[Name], ColumnOf<Rows[Name]>> }

function describePlayerJob(player: PlayerRow): string {
  if (!isSeated(player)) return 'the mock forgets a player without a seat'
  const at = nextPlayerJobAt(player)
  if (at === player.removes_at) return 'a player loses the connection'
  if (player.status === 'connected') return 'a player leaves'
  return at === player.connects_at ? 'a player connects' : 'a reserved seat expires'
}

/** Runs the due job of a player: connects, expires, removes or deletes it (PROTOCOL.md C). */
function runPlayerJob(player: PlayerRow, { tables, now }: JobContext): void {
  const lobby = isSeated(player) ? tables.lobbies.get(player.lobby_id) : undefined
  if (!isSeated(player) || !lobby) {
    tables.players.delete(player.player_token)
    return
  }
  if (player.status === 'reserved' && player.connects_at !== undefined && player.connects_at <= now) {
    connectPlayer(player, tables, now)
    return
  }
  const isTooLate = player.status === 'reserved' && player.expires_at !== undefined && player.expires_at <= now
  if (isTooLate) tables.players.put(withoutSeat(player, 'expired', now))
  else removePlayer(player, tables, now)
  // A simulated player may outlive its simulation. Its lobby still opens again if it was closed because it was full.
  if (player.session_ms !== undefined || tables.simulations.get(lobby.namespace_id))
    serveLobby(lobby, player, tables, now)
}

type ScheduledTable = keyof typeof lifecycles

const scheduledTables = tableNames.filter((name): name is ScheduledTable => Object.hasOwn(lifecycles, name))

interface Job {
  readonly table: ScheduledTable
  readonly id: string
  readonly at: number
}

interface NextJob extends Job {
  readonly row: object
}

/** A transaction with this many writes runs no further job: it takes about 20 ms. */
const mostWrites = 2_000

/** Returns the cause of the change set of jobs that ran together: the first one that is not of simulated players. */
function causeOf(jobs: readonly NextJob[]): Cause {
  const job = jobs.find(({ table, row }) => table !== 'simulations' && (row as PlayerRow).session_ms === undefined)
  if (!job) return { kind: 'simulation' }
  const { table, id } = job
  return { kind: 'job', table, id, ...(jobs.length > 1 ? { others: jobs.length - 1 } : {}) }
}

/** A job that will be due. `what` is its event in a few words. */
export interface UpcomingJob extends Job {
  readonly what: string
}

/** Lists the next jobs of a world in the order in which they run, at most `limit`. */
export function upcomingJobs(tables: LiveWorld['tables'], limit: number): UpcomingJob[] {
  const jobs: UpcomingJob[] = []
  for (const table of scheduledTables) {
    const lifecycle: Lifecycle<object> = lifecycles[table]
    let remaining = limit
    for (const { rank: at, entry } of rowsOf(tables, table).state.entriesByRank('nextJobAt')) {
      if (remaining-- === 0) break
      jobs.push({ table, id: entry.id, at, what: lifecycle.describe(entry.row) })
    }
  }
  // The sort is stable: of jobs at the same time, those of earlier tables run first.
  return jobs.sort((a, b) => a.at - b.at).slice(0, limit)
}

/**
 * Runs jobs at their times: a lobby stops, a player leaves, simulated players arrive. Rows contain the times of their jobs, so
 * the scheduler only looks up the first entry of an index. Jobs of the same time share a transaction: one step of a simulation
 * is one change set.
 */
export class Scheduler implements Jobs {
  /** Caches the next job at a revision, because the clock needs it often. */
  #next: { readonly revision: number; readonly job: NextJob | undefined } | undefined

  /** `onBug` is called with the errors of jobs. */
  constructor(
    private readonly world: LiveWorld,
    private readonly onBug: (error: unknown) => void,
  ) {}

  nextAt(): number {
    return Math.min(this.#nextJob()?.at ?? Number.POSITIVE_INFINITY, nextOutageAt(this.world.faults))
  }

  runNext(): void {
    const first = this.#nextJob()
    const world = this.world
    const outageAt = nextOutageAt(world.faults)
    if (outageAt < Number.POSITIVE_INFINITY && outageAt <= (first?.at ?? outageAt)) {
      this.#beginOutage(outageAt)
      return
    }
    if (!first) return
    const { revision } = world
    // A row may be written with a time in the past: its job runs now.
    const at = Math.max(first.at, world.clock.now())
    const jobs: NextJob[] = []
    const errors: unknown[] = []
    try {
      world.write(transaction => this.#runDue(transaction, jobs, errors), { cause: () => causeOf(jobs), at })
    } catch (error) {
      errors.push(error)
    }
    // The storage takes no changes now: the jobs stay due.
    if (world.clock.isHalted) return
    for (const error of errors) this.onBug(error)
    if (world.revision !== revision) return
    try {
      // The jobs changed nothing, and would be due again at once.
      world.write(() => this.#removeJob(first), { cause: () => causeOf([first]), at })
    } catch (error) {
      if (!world.clock.isHalted) throw error
    }
  }

  #beginOutage(at: number): void {
    const { clock } = this.world
    try {
      applyOutages(this.world, Math.max(at, clock.now()))
    } catch (error) {
      if (!clock.isHalted) this.onBug(error)
    }
  }

  /** Runs the due jobs, each in a savepoint. Appends them to `jobs`, and their errors to `errors`. */
  #runDue(transaction: Transaction, jobs: NextJob[], errors: unknown[]): void {
    let job = this.#findJob()
    for (; job && job.at <= transaction.now && transaction.savepoint < mostWrites; job = this.#findJob()) {
      jobs.push(job)
      const { savepoint } = transaction
      try {
        this.#run(job, transaction)
      } catch (error) {
        errors.push(error)
      }
      // A job that failed, or wrote nothing, would be due again at once.
      if (transaction.savepoint === savepoint) this.#removeJob(job)
    }
  }

  #run({ table, row }: NextJob, transaction: Transaction): void {
    const world = this.world
    const { tables, random, seed, hasPassed, starter, outageOf } = world
    const lifecycle: Lifecycle<object> = lifecycles[table]
    const { savepoint, now } = transaction
    world.write(() => {
      lifecycle.run(row, { tables, random, seed, hasPassed, starter, outageOf, now, transaction })
      transaction.checkSince(savepoint)
    })
  }

  #removeJob({ table, id }: NextJob): void {
    const rows = rowsOf(this.world.tables, table)
    const { jobColumns }: Lifecycle<object> = lifecycles[table]
    const columns = Object.entries(rows.get(id) ?? {}).filter(([name]) => !jobColumns.includes(name))
    if (columns.length > 0) rows.put(Object.freeze(Object.fromEntries(columns)))
  }

  #nextJob(): NextJob | undefined {
    const { revision } = this.world
    if (this.#next?.revision !== revision) this.#next = { revision, job: this.#findJob() }
    return this.#next.job
  }

  #findJob(): NextJob | undefined {
    const { tables } = this.world
    let [table, at, seq]: [ScheduledTable | undefined, number, number] = [undefined, Number.POSITIVE_INFINITY, 0]
    for (const name of scheduledTables) {
      const first = rowsOf(tables, name).state.firstByRank('nextJobAt')
      if (first && first.rank < at) [table, at, seq] = [name, first.rank, first.seq]
    }
    const entry = table && rowsOf(tables, table).state.rows.get(seq)
    return table && entry && { table, id: entry.id, at, row: entry.row }
  }
}

function rowsOf(tables: LiveWorld['tables'], name: TableName): TreeTable<object> {
  return tables[name]
}
