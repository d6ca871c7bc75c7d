import { instantOf } from '../contract/instant.js'
import { type LobbyRow, runBy } from '../store/lobby-row.js'
import type { PlayerRow } from '../store/player-row.js'
import { sameJson } from '../store/same-json.js'
import type { SimulationRow } from '../store/simulation-row.js'
import type { ReadTables } from '../store/table.js'
import type { Mode } from './game-mode.js'
import type { LobbyEntry } from './lobby.js'
import type { MaxPlayersEntry } from './max-players.js'
import type { PlayerEntry } from './player.js'
import type { SimulationEntry } from './simulation.js'

/** Where a lobby is. */
interface Around {
  readonly mode: Mode | undefined
  /** Who plays the game servers of the world. */
  readonly servers: 'auto' | 'manual' | undefined
  readonly tables: ReadTables
}

/** A lobby of a world with its players. Its maxima only where they are not those of its mode. */
export function lobbyEntry(lobby: LobbyRow, { mode, servers, tables }: Around): LobbyEntry {
  const { lobby_id, game_mode_id, region_id, total_player_count, publicity, is_closed, tags, lobby_config } = lobby
  const max_players = maxPlayersEntry(lobby)
  const players = tables.players.findMany(q => q.where({ lobby_id }))
  return {
    lobby_id,
    game_mode_id,
    region_id,
    total_player_count,
    ...(mode && sameJson(maxPlayersEntry(mode), max_players) ? {} : { max_players }),
    ...('state' in lobby ? { state: lobby.state } : {}),
    ...(publicity === 'public' ? {} : { publicity }),
    ...(is_closed ? { is_closed } : {}),
    ...(tags === undefined ? {} : { tags }),
    ...('lobby_config' in lobby ? { lobby_config } : {}),
    ...(lobby.run_by === runBy(lobby.status, { servers }) ? {} : { run_by: lobby.run_by }),
    ...stateEntry(lobby),
    ...(players.length > 0 ? { players: players.map(playerEntry) } : {}),
  }
}

function stateEntry(lobby: LobbyRow): LobbyEntry {
  const { status } = lobby
  if (status === 'stopped') return { status, ...instant('forgotten_at', lobby.forgotten_at) }
  const stops = instant('stops_at', lobby.stops_at)
  if (status === 'ready') return stops
  return { status, ...instant('ready_by', lobby.ready_by), ...stops }
}

function playerEntry(player: PlayerRow): PlayerEntry {
  const { player_token: token, status, address, session_ms } = player
  const fields = { token, status, address, ...(session_ms === undefined ? {} : { session_ms }) }
  if (player.status === 'reserved') {
    const { expires_at, connects_at, removes_at } = player
    return {
      ...fields,
      ...instant('expires_at', expires_at),
      ...instant('connects_at', connects_at),
      ...instant('removes_at', removes_at),
    }
  }
  if (player.status === 'connected')
    return { ...fields, ...instant('leaves_at', player.leaves_at), ...instant('removes_at', player.removes_at) }
  return { ...fields, ...instant('forgotten_at', player.forgotten_at) }
}

function instant<Key extends string>(key: Key, at: number | undefined): { readonly [key in Key]?: string } {
  // It has that key, or none.
  return (at === undefined ? {} : { [key]: instantOf(at) }) as { readonly [key in Key]?: string }
}

/** The most players of a lobby: one number where it is the same in whichever way they come. */
export function maxPlayersEntry(row: Pick<Mode, `max_players_${'normal' | 'direct' | 'party'}`>): MaxPlayersEntry {
  const { max_players_normal: normal, max_players_direct: direct, max_players_party: party } = row
  return normal === direct && direct === party ? normal : { normal, direct, party }
}

/** Players who come and go, as a scenario says it. */
export function simulationEntry({ concurrent, session_ms, modes, began_at, settled }: SimulationRow): SimulationEntry {
  const began = instantOf(began_at)
  return { concurrent, session: `${session_ms}ms`, ...(modes === undefined ? {} : { modes }), began_at: began, settled }
}
