import * as z from 'zod'
import { keepDigits, sameJson } from '../lib/json.js'
import { suggestedValues } from '../lib/messages.js'
import { defaultPort, LobbyPort, ServerPorts } from '../store/columns.js'
import { columnsOf, countSeated, MaxPlayersInput, maxPlayersOf, ServersInput } from '../store/inputs.js'
import {
  catalogue,
  catalogueRegion,
  completeRegion,
  GameModeRow,
  gameModeDefaults,
  LobbyRow,
  LobbyStatus,
  lobbyDefaults,
  MaxPlayers,
  PlayerRow,
  PlayerStatus,
  playerDefaults,
  RegionRow,
  RunBy,
  regionDefaults,
  runBy,
  type Servers,
} from '../store/matchmaker-rows.js'
import type { SeededIds } from '../store/random.js'
import type { ReadTables } from '../store/table-calls.js'
import { entryKeys, entryOf } from './entry-keys.js'

/** Makes editors suggest the regions of the catalogue. */
const suggestedRegions = suggestedValues(catalogue.map(region => region.region_id))

const { region_id } = RegionRow.shape

export const RegionEntry = z
  .union([
    region_id.meta({ description: 'A region of the catalogue.', ...suggestedRegions }),
    z.strictObject({ region_id, ...entryKeys(RegionRow.shape, { omit: ['region_id'], defaults: regionDefaults }) }),
  ])
  .describe('The id of a region of the catalogue, or a whole region.')
export type RegionEntry = z.output<typeof RegionEntry>

/** Returns the row of an entry. `undefined` if the catalogue does not have its id. */
export function regionRow(entry: RegionEntry, ids: SeededIds): RegionRow | undefined {
  if (typeof entry === 'string') return catalogueRegion(entry)
  return completeRegion({ ...columnsOf('regions', entry), region_id: entry.region_id }, () =>
    ids.uuid(`region:${entry.region_id}`),
  )
}

/** Returns the entry of a region. It is only the id if the region is as in the catalogue. */
export function regionEntry(region: RegionRow): RegionEntry {
  return sameJson(catalogueRegion(region.region_id), region) ? region.region_id : region
}

const { label, proxy_protocol } = defaultPort

/** The host and ports of game servers. */
export const ServerPortsEntry = z.strictObject({
  ...entryKeys(ServerPorts.shape, {}),
  default: z
    .strictObject(entryKeys(LobbyPort.shape, { omit: ['label', 'port_range'], defaults: { proxy_protocol } }))
    .optional()
    .meta({
      description: `In place of lobby_ports with one port, whose label is ${label}.`,
      examples: [{ fixed: 7777 }],
    }),
})
export type ServerPortsEntry = z.output<typeof ServerPortsEntry>

const maxPlayersNames = Object.keys(MaxPlayers.shape) as (keyof MaxPlayers)[] // the shape has no others

const { game_mode_id } = GameModeRow.shape

/** A game mode: its id, or a whole game mode. */
export const GameModeEntry = z.union([
  game_mode_id.meta({ description: 'Only the id of the game mode.', examples: ['duel'] }),
  z.strictObject({
    game_mode_id,
    max_players: MaxPlayersInput.optional(),
    ...entryKeys(GameModeRow.shape, {
      omit: ['namespace_id', 'game_mode_id', 'servers', 'ready_within_ms', ...maxPlayersNames],
      defaults: gameModeDefaults,
    }),
    servers: ServersInput.optional().meta({
      ...ServersInput.meta(),
      description: `Its game servers. Default: \`servers\` of the scenario.`,
    }),
    regions: z
      .array(z.string().meta(suggestedRegions))
      .optional()
      .meta(GameModeRow.shape.regions.meta() ?? {}),
    ports: ServerPortsEntry.optional().meta(GameModeRow.shape.ports.meta() ?? {}),
  }),
])
type GameModeEntry = z.output<typeof GameModeEntry>

/** A game mode without its namespace. */
export type GameMode = Omit<GameModeRow, 'namespace_id'>

/** Returns the row of an entry. `regionIds` are all regions of the scenario. */
export function gameModeColumnsOf(entry: GameModeEntry, regionIds: readonly string[]): GameMode {
  const given = typeof entry === 'string' ? { game_mode_id: entry } : entry
  const { game_mode_id } = given
  return { ...gameModeDefaults, regions: [...regionIds], ...columnsOf('gameModes', given), game_mode_id }
}

const [reserved, connected, expired] = PlayerRow.options
const playerColumns = { ...reserved.shape, ...connected.shape, ...expired.shape, status: PlayerStatus }

/** A player of a lobby who has a row. */
export const PlayerEntry = z.strictObject({
  token: playerColumns.player_token.optional(),
  ...entryKeys(playerColumns, { omit: ['player_token', 'lobby_id', 'namespace_id'], defaults: playerDefaults }),
})
export type PlayerEntry = z.output<typeof PlayerEntry>

const [starting, ready, stopped] = LobbyRow.options
const lobbyColumns = {
  ...starting.shape,
  ...ready.shape,
  ...stopped.shape,
  region_id: starting.shape.region_id.meta({ ...starting.shape.region_id.meta(), ...suggestedRegions }),
  run_by: RunBy,
  status: LobbyStatus,
}

/** A lobby of a namespace. */
export const LobbyEntry = z.strictObject({
  ...entryKeys(lobbyColumns, {
    omit: ['namespace_id', 'reserved_player_count', ...maxPlayersNames],
    defaults: lobbyDefaults,
  }),
  max_players: MaxPlayersInput.optional(),
  players: z.array(PlayerEntry).optional().describe('Players with a row of their own. Default: none.'),
})
export type LobbyEntry = z.output<typeof LobbyEntry>

/** Finds the game mode of a lobby. Default: the first one. */
export function modeOfLobby(entry: LobbyEntry, modes: ReadonlyMap<string, GameMode>): GameMode | undefined {
  if (entry.game_mode_id !== undefined) return modes.get(entry.game_mode_id)
  const [first] = modes.values()
  return first
}

/** Returns the row of a lobby, without its id and its namespace. The region is missing if the mode enables none. */
export function lobbyColumnsOf(entry: LobbyEntry, mode: GameMode, servers: Servers) {
  const { players } = entry
  const columns = {
    game_mode_id: mode.game_mode_id,
    region_id: mode.regions[0],
    max_players_normal: mode.max_players_normal,
    max_players_direct: mode.max_players_direct,
    max_players_party: mode.max_players_party,
    total_player_count: countSeated(players, 'connected'),
    reserved_player_count: countSeated(players, 'reserved'),
    run_by: runBy(entry.status, { servers: mode.servers ?? servers }),
    // The defaults are not first: an object that begins short and grows is slow in engines.
    ...lobbyDefaults,
    ...columnsOf('lobbies', entry),
  }
  return keepDigits(columns, entry)
}

/** Returns the entry of a lobby, without its players. It has `max_players` only if they differ from those of its mode. */
export function lobbyEntry(
  lobby: LobbyRow,
  { mode, servers, tables }: { mode: GameModeRow | undefined; servers: Servers | undefined; tables: ReadTables },
): LobbyEntry {
  const run_by = runBy(lobby.status, { servers: mode?.servers ?? servers })
  const defaults = { ...lobbyDefaults, run_by, max_players: mode && maxPlayersOf(mode) }
  return entryOf('lobbies', lobby, { schema: LobbyEntry, tables, defaults })
}
