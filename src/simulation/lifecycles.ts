import { completeLink } from '../operations/auth.js'
import { connectPlayer, removePlayer, stopLobby } from '../operations/game-server.js'
import { expired, isSeated, type LobbyRow, type PlayerRow } from '../store/matchmaker-rows.js'
import type { Rows, TableName } from '../store/rows.js'
import { type JobContext, runSimulationStep, serveLobby } from './simulated-players.js'

/** What happens to the rows of a table by itself. Their model says when: `nextJobAt`. */
export interface Lifecycle<Row> {
  /** Does what is due. The row's next job is later then. */
  run(row: Row, context: JobContext): void
  /** The row without the job that is due, for a job that failed. */
  cancel(row: Row): object
}

/** Tables with jobs. Of jobs of the same time, those of earlier tables run first: lobbies stop before their players expire. */
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

/** Times that rows of some status have. */
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

/** Connects players where the mock plays the server, and lets them leave; frees seats that expire, and forgets players (PROTOCOL.md C). */
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
  if (isTooLate) tables.players.put(expired(player, now))
  else removePlayer(player, tables, now)
  // A simulated player may outlive its simulation, and the lobby that closed when it was full opens again.
  if (player.session_ms !== undefined || tables.simulations.get(lobby.namespace_id))
    serveLobby(lobby, player, tables, now)
}
