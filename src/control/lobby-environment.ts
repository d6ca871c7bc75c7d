import { versionNameOf } from '../behaviour/game.js'
import { lobbyPorts } from '../behaviour/lobby-ports.js'
import { ApiError } from '../contract/errors.js'
import { quoted } from '../lib/quote.js'
import type { LobbyRow } from '../store/lobby-row.js'
import { lobbyTokenOf } from '../store/lobby-token.js'
import type { ServerPorts } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'
import { type Environment, environmentOf } from './environment.js'
import type { LobbyEnvironmentOptions } from './steering.js'

interface Asked extends LobbyEnvironmentOptions {
  readonly lobbyId: string
}

/**
 * The environment that the server process of a lobby sees in the real service, and `MOCKMAKER_URL`; without a URL neither
 * that nor `RIVET_API_ENDPOINT`. Throws `ApiError` where the lobby is not there, or has stopped.
 */
export function lobbyEnvironment(tables: ReadTables, { lobbyId, url }: Asked): Environment {
  const lobby = runningLobby(lobbyId, tables)
  const { lobby_id, namespace_id, game_mode_id, region_id, lobby_config, tags } = lobby
  const token = lobbyTokenOf(lobby_id)
  const namespace = tables.namespaces.get(namespace_id)
  return {
    ...(url === undefined ? { RIVET_TOKEN: token } : environmentOf({ url, token })),
    RIVET_LOBBY_ID: lobby_id,
    RIVET_GAME_MODE_ID: game_mode_id,
    RIVET_GAME_MODE_NAME: game_mode_id,
    RIVET_NAMESPACE_ID: namespace_id,
    RIVET_NAMESPACE_NAME: namespace?.name_id ?? '',
    RIVET_VERSION_ID: namespace?.version_id ?? '',
    RIVET_VERSION_NAME: namespace === undefined ? '' : versionNameOf(namespace, tables),
    RIVET_REGION_ID: region_id,
    // There, the name of a region is its short id, not what is displayed.
    RIVET_REGION_NAME: region_id,
    RIVET_MAX_PLAYERS_NORMAL: String(lobby.max_players_normal),
    RIVET_MAX_PLAYERS_DIRECT: String(lobby.max_players_direct),
    RIVET_MAX_PLAYERS_PARTY: String(lobby.max_players_party),
    ...(lobby_config === undefined ? {} : { RIVET_LOBBY_CONFIG: JSON.stringify(lobby_config) }),
    ...(tags === undefined ? {} : { RIVET_LOBBY_TAGS: JSON.stringify(tags) }),
    ...Object.fromEntries((lobbyPorts(lobby, tables)?.lobby_ports ?? []).flatMap(portVariables)),
    // Deprecated there, and read by older servers.
    RIVET_LOBBY_TOKEN: token,
    RIVET_LOBBY_GROUP_ID: game_mode_id,
    RIVET_LOBBY_GROUP_NAME: game_mode_id,
  }
}

function runningLobby(lobbyId: string, { lobbies }: ReadTables): LobbyRow {
  const lobby = lobbies.get(lobbyId)
  if (lobby && lobby.status !== 'stopped') return lobby
  const why = lobby ? `lobby ${quoted(lobbyId)} has stopped` : `there is no lobby ${quoted(lobbyId)}`
  throw new ApiError('API_NOT_FOUND', `${why}: GET /__mock/lobbies lists them, and POST /__mock/lobbies makes one`)
}

/** The variables of a port: a shell takes no `-` in their names. */
function portVariables({ label, target_port, port_range }: ServerPorts['lobby_ports'][number]): [string, string][] {
  const name = label.replaceAll('-', '_')
  const variables: [string, number | undefined][] = [
    [`PORT_${name}`, target_port],
    [`PORT_RANGE_MIN_${name}`, port_range?.min],
    [`PORT_RANGE_MAX_${name}`, port_range?.max],
  ]
  return variables.flatMap(([variable, port]) => (port === undefined ? [] : [[variable, String(port)]]))
}
