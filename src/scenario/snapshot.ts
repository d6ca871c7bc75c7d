import { instantOf } from '../contract/instant.js'
import { fullNameOf } from '../store/full-name.js'
import type { GameModeRow, GameRow, NamespaceRow, RegionRow } from '../store/rows.js'
import { sameJson } from '../store/same-json.js'
import type { ReadTables } from '../store/table.js'
import type { LiveWorld } from '../store/world.js'
import { catalogue } from './catalogue.js'
import type { ClockEntry } from './clock.js'
import type { GameEntry } from './game.js'
import type { NamespaceEntry } from './namespace.js'
import type { RegionEntry } from './region.js'
import { noNamespace, type ScenarioInput } from './schema.js'
import { lobbyEntry, maxPlayersEntry, simulationEntry } from './snapshot-lobby.js'
import { bearerTokenEntries, deviceLinkEntries } from './snapshot-tokens.js'

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
    now: instantOf(clock.standing.now),
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
    created_at: instantOf(created_at),
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
    created_at: instantOf(created_at),
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
