import { completeLink } from '../operations/auth.js'
import { connectPlayer, removePlayer, stopLobby } from '../operations/game-server.js'
import { isSeated, type LobbyRow, type PlayerRow, withoutSeat } from '../store/matchmaker-rows.js'
import type { Rows, TableName } from '../store/rows.js'
import { type JobContext, runSimulationStep, serveLobby } from './simulated-players.js'

/** The jobs of a table's rows. The index `nextJobAt` of the model says when one is due. */
export interface Lifecycle<Row> {
  /** Runs the job that is due. Afterwards, the row's next job is later, or there is none. */
  run(row: Row, context: JobContext): void
  /** Returns the row without its jobs, for a job that failed. */
  cancel(row: Row): object
}

/** The tables with jobs. If jobs are due at the same time, those of earlier tables run first: lobbies stop before their players expire. */
export const lifecycles = {
  lobbies: {
    run(lobby, { tables, now }) {
      if (lobby.status === 'stopped') tables.lobbies.delete(lobby.lobby_id)
      else stopLobby(lobby, tables, now)
    },
    cancel: ({ ready_by: _, stops_at: _stops, forgotten_at: _forgotten, ...lobby }: Times & LobbyRow) => lobby,
  },
  players: {
    run: runPlayerJob,
    cancel: ({
      expires_at: _,
      connects_at: _c,
      leaves_at: _l,
      removes_at: _r,
      forgotten_at: _f,
      ...player
    }: Times & PlayerRow) => player,
  },
  simulations: {
    run: runSimulationStep,
    cancel: ({ next_step_at: _, ...simulation }) => simulation,
  },
  deviceLinks: {
    run(link, context) {
      if (link.status === 'pending' && link.completes) completeLink(link, link.completes.game_id, context)
    },
    cancel: ({ completes: _, ...link }: Times & Rows['deviceLinks']) => link,
  },
} satisfies { readonly [Name in TableName]?: Lifecycle<Rows[Name]> }

/** The columns with times. Each belongs to rows of some status. */
type Times = {
  readonly [name in
    | 'ready_by'
    | 'stops_at'
    | 'forgotten_at'
    | 'expires_at'
    | 'connects_at'
    | 'leaves_at'
    | 'removes_at'
    | 'completes']?: unknown
}

/** Connects and removes the players of lobbies that the mock runs, lets reserved seats expire, and deletes players without a seat (PROTOCOL.md C). */
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
