import { ApiError } from '../contract/errors.js'
import { uint32Max } from '../contract/formats.js'
import type { Join, JoinPort, Lobby } from '../contract/lobbies.js'
import type { OperationInput, OperationOutput } from '../contract/operations.js'
import { isJsonObject } from '../lib/json.js'
import { quoted } from '../lib/messages.js'
import { connectHost, hostInUrl } from '../lib/url.js'
import { defaultPort, type LobbyPort, type ServerPorts } from '../store/columns.js'
import { listObstacles, modeKey, seatsTaken } from '../store/lobby-rules.js'
import type { GameModeRow, LobbyRow } from '../store/matchmaker-rows.js'
import type { Tables } from '../store/model.js'
import type { ReadTables } from '../store/table-calls.js'
import { devPlayerToken } from '../store/tokens.js'
import { clientLocation, enabledRegions, localRegion } from './regions.js'
import type { Caller, Resolver, WriteCall } from './resolver.js'

/** Lists the open lobbies of the caller's namespace (PROTOCOL.md B4); a development token gets a canned list (B2). */
export const listLobbies: Resolver<'lobbies.list'> = ({ caller, input, tables }) => {
  const { namespaceId: namespace_id } = caller
  const modes = tables.gameModes.inIndex('namespace_id', { namespace_id })
  const game_modes = modes.map(({ game_mode_id }) => ({ game_mode_id }))
  if (caller.kind === 'development')
    return { game_modes, lobbies: modes.map(mode => lobbyOutput(cannedLobby(mode), input)), regions: [localRegion] }
  return {
    game_modes,
    lobbies: listedLobbies(namespace_id, tables).map(lobby => lobbyOutput(lobby, input)),
    regions: enabledRegions(modes, tables, clientLocation(input, tables)),
  }
}

/** Returns the lobbies of a namespace that a public token sees, oldest first. */
export function listedLobbies(
  namespace_id: string,
  tables: Pick<ReadTables, 'gameModes' | 'lobbies' | 'settings'>,
): LobbyRow[] {
  const lobbies = tables.lobbies.findMany(q => q.where({ namespace_id }))
  const obstacleOf = listObstacles(lobbies, tables)
  return lobbies.filter(lobby => obstacleOf(lobby) === undefined)
}

function lobbyOutput(row: Lobby | LobbyRow, { include_state }: OperationInput<'lobbies.list'>): Lobby {
  const { region_id, game_mode_id, lobby_id, total_player_count, state } = row
  const { max_players_normal, max_players_direct, max_players_party } = row
  const lobby = {
    region_id,
    game_mode_id,
    lobby_id,
    max_players_normal,
    max_players_direct,
    max_players_party,
    total_player_count,
  }
  return include_state && isJsonObject(state) ? { ...lobby, state } : lobby
}

/** The id of the lobby that a development token sees (PROTOCOL.md B2). */
export const nilUuid = '00000000-0000-0000-0000-000000000000'

/** The empty lobby of a game mode that a development token sees (PROTOCOL.md B2). */
function cannedLobby(mode: GameModeRow): Lobby {
  const { region_id } = localRegion
  return { ...mode, region_id, lobby_id: nilUuid, total_player_count: 0, state: { foo: 'bar' } }
}

/** Answers find, join and create of a development token: its own server, and a new token for each player (PROTOCOL.md B2). */
export function cannedJoin(
  caller: Extract<Caller, { kind: 'development' }>,
  call: Pick<WriteCall<'lobbies.find'>, 'tables' | 'random' | 'seed' | 'now' | 'client'>,
): Join {
  const { tables, random, client } = call
  const { region_id, region_display_name: display_name } = localRegion
  const scenario = [caller.server, tables.namespaces.get(caller.namespaceId)?.development]
  const ports = joinPorts({ lobby_id: nilUuid, region_id }, scenario, client.host)
  return joinOutput(nilUuid, { region_id, display_name }, ports, devPlayerToken(random, call))
}

/** Builds the answer of find, join and create. */
export function joinOutput(
  lobby_id: string,
  region: Join['lobby']['region'],
  ports: Record<string, JoinPort>,
  token: string,
): Join {
  const player = { token }
  return { lobby: { lobby_id, region, ports, player }, ports, player }
}

/** Returns where players reach the game server of a lobby, by label. `clientHost`: the host by which the client reached the mock. */
export function seatPorts(
  lobby: Pick<LobbyRow, 'lobby_id' | 'region_id' | 'namespace_id' | 'game_mode_id' | 'ports'>,
  tables: Pick<ReadTables, 'gameModes' | 'namespaces'>,
  clientHost: string | undefined,
): Record<string, JoinPort> {
  return joinPorts(lobby, scenarioServers(lobby, tables), clientHost)
}

/** Returns the ports of a lobby's game server: its own, or those that the scenario says. */
export function lobbyPorts(
  lobby: Pick<LobbyRow, 'namespace_id' | 'game_mode_id' | 'ports'>,
  tables: Pick<ReadTables, 'gameModes' | 'namespaces'>,
): readonly LobbyPort[] {
  return lobby.ports ?? portsOf(scenarioServers(lobby, tables))
}

/** The settings of a scenario for a game server. The first ones count before the others. */
type ScenarioServers = readonly (ServerPorts | undefined)[]

function scenarioServers(
  lobby: Pick<LobbyRow, 'namespace_id' | 'game_mode_id'>,
  { gameModes, namespaces }: Pick<ReadTables, 'gameModes' | 'namespaces'>,
): ScenarioServers {
  return [gameModes.get(modeKey(lobby))?.ports, namespaces.get(lobby.namespace_id)?.development]
}

function portsOf(servers: ScenarioServers): readonly LobbyPort[] {
  // Who says only a host says nothing about ports.
  const said = servers.find(server => server && (server.lobby_ports ?? server.hostname === undefined))
  return said ? (said.lobby_ports ?? []) : [defaultPort]
}

/** Lists the ports by label. The host that the scenario sets wins (PROTOCOL.md B2, C). */
function joinPorts(
  { lobby_id, region_id, ports }: Pick<LobbyRow, 'lobby_id' | 'region_id' | 'ports'>,
  servers: ScenarioServers,
  clientHost = '127.0.0.1',
): Record<string, JoinPort> {
  const host = servers.find(server => server?.hostname !== undefined)?.hostname ?? clientHost
  const isTemplate = host.includes('{')
  return Object.fromEntries(
    (ports ?? portsOf(servers)).map(({ label, fixed, target_port: port = fixed, port_range, proxy_protocol }) => {
      const hostname = connectHost(isTemplate ? filled(host, { lobby_id, region_id, label }) : host)
      return [
        label,
        {
          hostname,
          ...(port === undefined ? {} : { host: `${hostInUrl(hostname)}:${port}`, port }),
          ...(port_range === undefined ? {} : { port_range }),
          is_tls: proxy_protocol === 'https' || proxy_protocol === 'tcp_tls',
        },
      ]
    }),
  )
}

function filled(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(/\{(lobby_id|region_id|label)\}/g, (_, name: string) => values[name] ?? '')
}

/** Finds a lobby of a namespace. Throws `ApiError` if there is none. */
export function findLobbyById(namespaceId: string, lobbyId: string, { lobbies }: Pick<Tables, 'lobbies'>): LobbyRow {
  const lobby = lobbies.get(lobbyId)
  if (lobby?.namespace_id === namespaceId) return lobby
  throw new ApiError(
    'MATCHMAKER_LOBBY_NOT_FOUND',
    `the namespace has no lobby ${quoted(lobbyId)}: GET /matchmaker/lobbies/list shows the open ones`,
  )
}

type Statistics = OperationOutput<'players.getStatistics'>

/** Counts the seats, reserved and connected, by game mode and region (PROTOCOL.md C); a development token gets zeros (B2). */
export const getStatistics: Resolver<'players.getStatistics'> = ({ caller, tables }) => {
  if (caller.kind === 'development') return { player_count: 0, game_modes: {} }
  const { namespaceId: namespace_id } = caller
  const modes = tables.gameModes.inIndex('namespace_id', { namespace_id })
  const counts = new Map(modes.map(({ game_mode_id, regions }) => [game_mode_id, new Map(regions.map(id => [id, 0]))]))
  for (const lobby of tables.lobbies.inIndex('namespace_id', { namespace_id })) {
    const byRegion = counts.get(lobby.game_mode_id)
    byRegion?.set(lobby.region_id, sumPlayers([byRegion.get(lobby.region_id) ?? 0, seatsTaken(lobby)]))
  }
  const game_modes = [...counts].map(([id, byRegion]) => [id, modeStatistics(byRegion)] as const)
  return {
    player_count: sumPlayers(game_modes.map(([, { player_count }]) => player_count)),
    game_modes: Object.fromEntries(game_modes),
  }
}

/** Adds up players. The sum is at most the largest number that clients can read. */
export function sumPlayers(counts: Iterable<number>): number {
  let sum = 0
  for (const count of counts) sum += count
  return Math.min(sum, uint32Max)
}

function modeStatistics(byRegion: ReadonlyMap<string, number>): Statistics['game_modes'][string] {
  const regions = [...byRegion].map(([id, player_count]) => [id, { player_count }] as const)
  return { player_count: sumPlayers(byRegion.values()), regions: Object.fromEntries(regions) }
}
