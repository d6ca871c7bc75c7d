import { completeLink } from '../operations/device-links.js'
import { closeLobby, connectPlayer, removePlayer, stopLobby } from '../operations/game-server.js'
import type { Tables } from '../store/model.js'
import type { Random } from '../store/random.js'
import type { Rows, TableName } from '../store/rows.js'
import { expired, isSeated, type LobbyRow, type PlayerRow, seatsTaken } from '../store/rows.js'
import type { View } from '../store/world.js'
import { runSimulationStep } from './simulated-players.js'

/** A job's transaction. `now` is its time, in ms since the epoch. */
export interface JobContext extends View {
  readonly random: Random
  readonly now: number
}

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

/**
 * Does what the server of a lobby with simulated players does: closes the lobby when it is full, opens it when a seat is
 * free again, and stops it when its last simulated player leaves, unless the scenario lists it. `before` is the lobby
 * before `player` came or left. `now` in ms since the epoch.
 */
export function serveLobby(before: LobbyRow, player: PlayerRow, tables: Tables, now: number): void {
  const lobby = tables.lobbies.get(before.lobby_id)
  if (!lobby || lobby.status === 'stopped' || lobby.run_by === 'server') return
  const isSimulated = player.session_ms !== undefined
  if (seatsTaken(lobby) === 0 && lobby.stops_at !== undefined && isSimulated) stopLobby(lobby, tables, now)
  else if (isFull(lobby) && !lobby.is_closed) closeLobby(lobby, true, tables)
  else if (!isFull(lobby) && isFull(before) && lobby.is_closed) closeLobby(lobby, false, tables)
}

function isFull(lobby: LobbyRow): boolean {
  return seatsTaken(lobby) >= lobby.max_players_normal
}
