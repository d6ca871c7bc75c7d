import type { LobbyRow, ServerPorts } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'

/** Where the game server of a lobby listens: as its game mode says, else as its namespace does; `undefined` where nobody says. */
export function lobbyPorts(
  { namespace_id, game_mode_id }: LobbyRow,
  { gameModes, namespaces }: ReadTables,
): ServerPorts | undefined {
  return gameModes.get(`${namespace_id}/${game_mode_id}`)?.ports ?? namespaces.get(namespace_id)?.development
}
