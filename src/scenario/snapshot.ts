import { formatInstant } from '../lib/time.js'
import { fullNameOf } from '../store/full-name.js'
import { type LobbyRow, runBy } from '../store/lobby-row.js'
import type { PlayerRow } from '../store/player-row.js'
import type { GameModeRow, GameRow, NamespaceRow, RegionRow } from '../store/rows.js'
import { sameJson } from '../store/same-json.js'
import type { SimulationRow } from '../store/simulation-row.js'
import type { ReadTables } from '../store/table.js'
import type { LiveWorld } from '../store/world.js'
import type { GameEntry, NamespaceEntry, SimulationEntry } from './games.js'
import type { LobbyEntry, MaxPlayersEntry, Mode, PlayerEntry } from './lobbies.js'
import { catalogue, type RegionEntry } from './regions.js'
import { type ClockEntry, noNamespace, type ScenarioInput } from './schema.js'
import type { BearerTokenEntry, DeviceLinkEntry } from './tokens.js'

/** What of a world its snapshot is made of. */
type Snapshotted = Pick<LiveWorld, 'title' | 'seed' | 'revision' | 'clock' | 'random' | 'view'>

/**
 * The whole world as it is, as a scenario that names every id. A world of it has equal records, clock and chance, and a
 * revision above this one's. Records keep their order among those of the same game, or namespace. Nothing is said of who
 * is blocked, nor of where the links lead that are handed out, which belongs to the server.
 */
export function snapshotOf({ title, seed, revision, clock, random, view: { tables } }: Snapshotted): ScenarioInput {
  return {
    title,
    seed,
    revision,
    now: formatInstant(clock.standing.now),
    clock: clockEntry(clock),
    chance: { world: [...random.save()] },
    ...settingsKeys(tables),
    regions: tables.regions.all().map(regionEntry),
    games: tables.games.all().map(game => gameEntry(game, tables)),
    device_links: deviceLinkEntries(tables),
    bearer_tokens: bearerTokenEntries(tables),
  }
}

function clockEntry({ mode, rate }: Snapshotted['clock']): ClockEntry {
  return rate === 1 ? mode : { mode, rate }
}

function settingsKeys(tables: ReadTables): ScenarioInput {
  const {
    client,
    hide_empty_lobbies,
    servers,
    cdn_domain,
    default_namespace_id: id,
  } = tables.settings.get('settings') ?? {}
  return {
    ...(client === undefined ? {} : { client }),
    ...(hide_empty_lobbies ? { hide_empty_lobbies } : {}),
    ...(servers === 'manual' ? { servers } : {}),
    cdn_domain,
    default_namespace: id === undefined ? noNamespace : fullNameOf(id, tables),
  }
}

/** Only the id of a region that is as in the catalogue. */
function regionEntry(region: RegionRow): RegionEntry {
  return catalogue.some(known => sameJson(known, region)) ? region.region_id : region
}

function gameEntry(
  { name_id, display_name, game_id, created_at, developer_group_id }: GameRow,
  tables: ReadTables,
): GameEntry {
  const namespaces = tables.namespaces.findMany(q => q.where({ game_id }))
  return {
    name_id,
    display_name,
    game_id,
    created_at: formatInstant(created_at),
    developer_group_id,
    namespaces: namespaces.map(namespace => namespaceEntry(namespace, tables)),
  }
}

function namespaceEntry(namespace: NamespaceRow, tables: ReadTables): NamespaceEntry {
  const { namespace_id, name_id, display_name, created_at, version_id } = namespace
  const { tokenless, domains, lobby_count_max, max_players, development } = namespace
  const modes = tables.gameModes.findMany(q => q.where({ namespace_id }))
  const modeOf = new Map(modes.map(mode => [mode.game_mode_id, mode]))
  const lobbies = tables.lobbies.findMany(q => q.where({ namespace_id }))
  const { servers } = tables.settings.get('settings') ?? {}
  const simulation = tables.simulations.get(namespace_id)
  return {
    name_id,
    display_name,
    namespace_id,
    version_id,
    created_at: formatInstant(created_at),
    tokenless,
    domains,
    matchmaker: { lobby_count_max, ...(max_players === undefined ? {} : { max_players }) },
    ...(development === undefined ? {} : { development }),
    game_modes: modes.map(modeEntry),
    lobbies: lobbies.map(lobby => lobbyEntry(lobby, { mode: modeOf.get(lobby.game_mode_id), servers, tables })),
    ...(simulation === undefined ? {} : { players: simulationEntry(simulation) }),
  }
}

function modeEntry(mode: GameModeRow): Exclude<NonNullable<NamespaceEntry['game_modes']>[number], string> {
  const { game_mode_id, regions, listable, disabled, dynamic_max_players, taggable, ports } = mode
  return {
    game_mode_id,
    max_players: maxPlayersEntry(mode),
    regions,
    ...(listable ? {} : { listable }),
    ...(disabled === undefined ? {} : { disabled }),
    ...(dynamic_max_players === undefined ? {} : { dynamic_max_players }),
    ...(taggable === undefined ? {} : { taggable }),
    ...(ports === undefined ? {} : { ports }),
  }
}

/** Where a lobby is. */
interface Around {
  readonly mode: Mode | undefined
  /** Who plays the game servers of the world. */
  readonly servers: 'auto' | 'manual' | undefined
  readonly tables: ReadTables
}

/** A lobby of a world with its players. Its maxima only where they are not those of its mode. */
function lobbyEntry(lobby: LobbyRow, { mode, servers, tables }: Around): LobbyEntry {
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
  return (at === undefined ? {} : { [key]: formatInstant(at) }) as { readonly [key in Key]?: string }
}

/** The most players of a lobby: one number where it is the same in whichever way they come. */
function maxPlayersEntry(row: Pick<Mode, `max_players_${'normal' | 'direct' | 'party'}`>): MaxPlayersEntry {
  const { max_players_normal: normal, max_players_direct: direct, max_players_party: party } = row
  return normal === direct && direct === party ? normal : { normal, direct, party }
}

/** Players who come and go, as a scenario says it. */
function simulationEntry({ concurrent, session_ms, modes, began_at, settled }: SimulationRow): SimulationEntry {
  const began = formatInstant(began_at)
  return { concurrent, session: `${session_ms}ms`, ...(modes === undefined ? {} : { modes }), began_at: began, settled }
}

/** All device links of a world, as its snapshot lists them. */
function deviceLinkEntries({ deviceLinks, games }: ReadTables): DeviceLinkEntry[] {
  const game = (id: string) => games.get(id)?.name_id
  return deviceLinks.all().map((link): DeviceLinkEntry => {
    const { device_link_token: token, device_link_id, status } = link
    const names = { token, device_link_id, status }
    if (link.status === 'complete')
      return { ...names, game: game(link.game_id), cloud_token: link.cloud_token, ...expiry(link) }
    const { completes } = link
    if (!completes) return { ...names, ...expiry(link) }
    return { ...names, game: game(completes.game_id), completes_at: formatInstant(completes.at), ...expiry(link) }
  })
}

/** All bearer tokens of a world, as its snapshot lists them. */
function bearerTokenEntries(tables: ReadTables): BearerTokenEntry[] {
  return tables.tokens.all().map((row): BearerTokenEntry => {
    const { token, kind } = row
    if (row.kind === 'cloud') return { token, kind, game: tables.games.get(row.game_id)?.name_id, ...expiry(row) }
    const owner = { namespace: fullNameOf(row.namespace_id, tables) }
    const { development } = row.kind === 'development' ? row : {}
    return { token, kind, ...owner, ...(development === undefined ? {} : { development }), ...expiry(row) }
  })
}

function expiry({ expires_at }: { readonly expires_at?: number | undefined }): Pick<DeviceLinkEntry, 'expires_at'> {
  return expires_at === undefined ? {} : { expires_at: formatInstant(expires_at) }
}
