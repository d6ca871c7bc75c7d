import { ApiError } from '../contract/errors.js'
import type { Join } from '../contract/lobbies.js'
import { exactValue, writeJson } from '../lib/json.js'
import { quoted, shellWord } from '../lib/messages.js'
import { versionNameOf } from '../operations/games.js'
import { lobbyPorts } from '../operations/lobbies.js'
import { hasPassed } from '../store/clock.js'
import type { LobbyRow } from '../store/matchmaker-rows.js'
import type { ReadTables } from '../store/table-calls.js'
import { lobbyTokenOf, type TokenInfo } from '../store/tokens.js'
import type { World } from '../store/world.js'

/** Environment variables, by their names. */
export type Environment = Readonly<Record<string, string>>

/** The variables of the command that may hold a secret. */
export const secretVariables = {
  controlToken: 'MOCKMAKER_CONTROL_TOKEN',
  /** A URL of Redis may have a password, and everybody on a machine can read the flags of its processes. */
  data: 'MOCKMAKER_DATA',
  /** The text that only replicas know. */
  clusterSecret: 'MOCKMAKER_CLUSTER_SECRET',
} as const

type Variables = Readonly<Record<string, string | undefined>>

/** Returns the variables that another program may inherit from the mock. */
export function withoutSecrets(environment: Variables): Variables {
  const secrets: readonly string[] = Object.values(secretVariables)
  // Windows ignores the case of the names.
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secrets.includes(name.toUpperCase())))
}

/** Returns the variables that a program of a mock inherits: none that lead to another mock or lobby. */
export function inheritedBy(environment: Variables): Variables {
  const others = Object.entries(environment).filter(([name]) => !/^(?:(?:MOCKMAKER|RIVET)_.*|PORT)$/i.test(name))
  // Python would keep its output in memory until it ends, because nobody sees it.
  return { PYTHONUNBUFFERED: '1', ...Object.fromEntries(others) }
}

/** Returns the variables by which clients find a mock (PROTOCOL.md C, E). `url` has no slash at its end. */
export function environmentOf(url: string, token?: string, versionName?: string): Environment {
  return {
    MOCKMAKER_URL: url,
    RIVET_API_ENDPOINT: url,
    // Deprecated by the service, but the Unreal plugin reads only this one (PROTOCOL.md E).
    RIVET_MATCHMAKER_API_URL: `${url}/matchmaker`,
    ...(token === undefined ? {} : { RIVET_TOKEN: token }),
    ...(versionName === undefined ? {} : { RIVET_VERSION_NAME: versionName }),
  }
}

/** Writes variables as lines for a POSIX shell. */
export function exportLines(environment: Environment): string[] {
  return Object.entries(environment).map(([name, value]) => `export ${name}=${shellWord(value)}`)
}

export interface LobbyEnvironmentOptions {
  /** The URL by which the server reaches the world. Default: none, and no variables with the URL. */
  readonly url?: string | undefined
}

/** Returns the variables that the service gives to the server process of a lobby. Throws `ApiError`. */
export function lobbyEnvironment(
  tables: ReadTables,
  lobbyId: string,
  { url }: LobbyEnvironmentOptions = {},
): Environment {
  const lobby = runningLobby(lobbyId, tables)
  const { lobby_id, namespace_id, game_mode_id, region_id, lobby_config, tags } = lobby
  const token = lobbyTokenOf(lobby_id)
  const namespace = tables.namespaces.get(namespace_id)
  return {
    ...(url === undefined ? { RIVET_TOKEN: token } : environmentOf(url, token)),
    RIVET_LOBBY_ID: lobby_id,
    RIVET_GAME_MODE_ID: game_mode_id,
    RIVET_GAME_MODE_NAME: game_mode_id,
    RIVET_NAMESPACE_ID: namespace_id,
    RIVET_NAMESPACE_NAME: namespace?.name_id ?? '',
    RIVET_VERSION_ID: namespace?.version_id ?? '',
    RIVET_VERSION_NAME: namespace === undefined ? '' : versionNameOf(namespace, tables),
    RIVET_REGION_ID: region_id,
    // The service uses the short id here, not the display name.
    RIVET_REGION_NAME: region_id,
    RIVET_MAX_PLAYERS_NORMAL: String(lobby.max_players_normal),
    RIVET_MAX_PLAYERS_DIRECT: String(lobby.max_players_direct),
    RIVET_MAX_PLAYERS_PARTY: String(lobby.max_players_party),
    ...(lobby_config === undefined ? {} : { RIVET_LOBBY_CONFIG: writeJson(exactValue(lobby, 'lobby_config')) }),
    ...(tags === undefined ? {} : { RIVET_LOBBY_TAGS: JSON.stringify(tags) }),
    ...Object.fromEntries(
      lobbyPorts(lobby, tables).flatMap(({ label, fixed, target_port: port = fixed, port_range }) =>
        portVariables(label, { port, port_range }),
      ),
    ),
    // Deprecated by the service, but older servers read them.
    RIVET_LOBBY_TOKEN: token,
    RIVET_LOBBY_GROUP_ID: game_mode_id,
    RIVET_LOBBY_GROUP_NAME: game_mode_id,
  }
}

function runningLobby(lobbyId: string, { lobbies }: ReadTables): LobbyRow {
  const lobby = lobbies.get(lobbyId)
  if (lobby && lobby.status !== 'stopped') return lobby
  const why = lobby ? `lobby ${quoted(lobbyId)} has stopped` : `there is no lobby ${quoted(lobbyId)}`
  throw new ApiError(
    'API_NOT_FOUND',
    `${why}: GET /__mock/lobbies lists the lobbies, and POST /__mock/lobbies creates one`,
  )
}

/** Returns the label of a port as a part of the names of its variables. Shells do not allow `-` in names. */
export function variablePart(label: string): string {
  return label.replaceAll('-', '_')
}

export function portVariables(
  label: string,
  { hostname, port, port_range }: Partial<Join['ports'][string]>,
): [name: string, value: string][] {
  const name = variablePart(label)
  const variables: [string, string | number | undefined][] = [
    [`HOST_${name}`, hostname],
    [`PORT_${name}`, port],
    [`PORT_RANGE_MIN_${name}`, port_range?.min],
    [`PORT_RANGE_MAX_${name}`, port_range?.max],
  ]
  return variables.flatMap(([variable, value]) => (value === undefined ? [] : [[variable, String(value)]]))
}

const kinds: readonly TokenInfo['kind'][] = ['public', 'development', 'cloud']

/** Sorts tokens by their kind: public, development, cloud. */
export function sortTokens(tokens: readonly TokenInfo[]): TokenInfo[] {
  return kinds.flatMap(kind => tokens.filter(token => token.kind === kind))
}

/** Returns a shell command that lists the lobbies without a token. */
export function curlLine(url: string): string {
  return `curl ${shellWord(`${url}/matchmaker/lobbies/list`)}`
}

/** Returns a shell command that tries a token. */
export function curlLineFor(token: TokenInfo, { url, world }: { readonly url: string; readonly world: World }): string {
  const authorization = shellWord(`Authorization: Bearer ${token.token}`)
  if (token.kind !== 'cloud') return `curl -H ${authorization} ${shellWord(`${url}/matchmaker/lobbies/list`)}`
  const { path, body } = cloudCall(token.game, world)
  return `curl -H ${authorization} -d ${shellWord(JSON.stringify(body))} ${shellWord(url + path)}`
}

function cloudCall(gameName: string, { games, deviceLinks, clock }: World): { path: string; body: object } {
  const game_id = games.findFirst(q => q.where({ name_id: gameName }))?.game_id ?? ''
  const pending = deviceLinks
    .all()
    .find(link => link.status === 'pending' && !link.completes && !hasPassed(link.expires_at, clock))
  if (pending) {
    const { device_link_token } = pending
    return { path: '/cloud/devices/links/complete', body: { device_link_token, game_id } }
  }
  const path = `/cloud/games/${encodeURIComponent(game_id)}/namespaces/validate`
  return { path, body: { display_name: 'Beta', name_id: 'beta' } }
}
