import { completeLink } from '../operations/auth.js'
import { connectPlayer, removePlayer, stopLobby } from '../operations/game-server.js'
import type { Jobs } from '../store/clock.js'
import { isSeated } from '../store/lobby-rules.js'
import { nextLobbyJobAt, nextPlayerJobAt, type PlayerRow, withoutSeat } from '../store/matchmaker-rows.js'
import type { ColumnOf } from '../store/model.js'
import type { Rows, TableName } from '../store/rows.js'
import type { Table } from '../store/table.js'
import { tableNames } from '../store/table-names.js'
import type { LiveWorld } from '../store/world.js'
import { type JobContext, runSimulationStep, serveLobby } from './simulated-players.js'

/** The jobs of a table's rows. The index `nextJobAt` of the model has their times. */
interface Lifecycle<Row, Column = string> {
  /** The columns that make a job due. */
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

/** A job of a row. `at` in ms since the epoch. */
interface Job {
  readonly table: ScheduledTable
  readonly id: string
  readonly at: number
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
 * the scheduler only looks up the first entry of an index.
 */
export class Scheduler implements Jobs {
  readonly #world: LiveWorld
  readonly #onBug: (error: unknown) => void
  /** Caches the next job at a revision, because the clock needs it often. */
  #next: { readonly revision: number; readonly job: Job | undefined } | undefined

  /** `onBug` is called with the errors of jobs. */
  constructor(world: LiveWorld, onBug: (error: unknown) => void) {
    this.#world = world
    this.#onBug = onBug
  }

  nextAt(): number {
    return this.#nextJob()?.at ?? Number.POSITIVE_INFINITY
  }

  runNext(): void {
    const job = this.#nextJob()
    if (!job) return
    const { revision } = this.#world
    try {
      this.#write(job, (lifecycle, row, context) => lifecycle.run(row, context))
    } catch (error) {
      this.#onBug(error)
    }
    // A job that failed, or changed nothing, would be due again at once.
    if (this.#world.revision === revision)
      this.#write(job, ({ jobColumns }, row, { tables }) => {
        const columns = Object.entries(row).filter(([name]) => !jobColumns.includes(name))
        rowsOf(tables, job.table).put(Object.freeze(Object.fromEntries(columns)))
      })
  }

  #write(
    { table, id, at }: Job,
    write: (lifecycle: Lifecycle<object>, row: object, context: JobContext) => void,
  ): void {
    const world = this.#world
    // A row may be written with a time in the past: its job runs now.
    const now = Math.max(at, world.clock.now())
    world.write(
      () => {
        const { tables, random, seed, hasPassed, openTransaction } = world
        const row = rowsOf(tables, table).get(id)
        const lifecycle: Lifecycle<object> = lifecycles[table]
        if (row && openTransaction)
          write(lifecycle, row, { tables, random, seed, hasPassed, now, revision: openTransaction.revision })
      },
      { cause: { kind: 'job', table, id }, at: now },
    )
  }

  #nextJob(): Job | undefined {
    const { revision, tables } = this.#world
    if (this.#next?.revision === revision) return this.#next.job
    let [table, at, seq]: [ScheduledTable | undefined, number, number] = [undefined, Number.POSITIVE_INFINITY, 0]
    for (const name of scheduledTables) {
      const first = rowsOf(tables, name).state.firstByRank('nextJobAt')
      if (first && first.rank < at) [table, at, seq] = [name, first.rank, first.seq]
    }
    const entry = table && rowsOf(tables, table).state.rows.get(seq)
    const job = table && entry && { table, id: entry.id, at }
    this.#next = { revision, job }
    return job
  }
}

function rowsOf(tables: LiveWorld['tables'], name: TableName): Table<object> {
  return tables[name]
}
