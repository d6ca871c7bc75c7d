import * as z from 'zod'
import { Uint32 } from '../contract/formats.js'
import type { MaxPlayers } from '../contract/lobbies.js'
import { Json, record } from '../lib/json.js'
import { Instant } from '../lib/time.js'
import { maxPlayersDefaults } from '../store/default-columns.js'
import { lobbyFields, runBy } from '../store/lobby-row.js'
import { PlayerRow } from '../store/player-row.js'
import { GameModeRow, LobbyPort, type ServerPorts } from '../store/rows.js'
import { msOf, Token } from './entry.js'
import { anyRegionId } from './regions.js'

const { label, target_port, port_range, proxy_protocol } = LobbyPort.shape
const { min, max } = port_range.unwrap().shape

const LobbyPortEntry = z
  .strictObject({
    label: label.meta({ description: 'What clients call the port.', examples: ['default'] }),
    target_port: target_port.meta({
      description: 'The one port. Leave it out where port_range is given.',
      examples: [7777],
    }),
    port_range: z
      .strictObject({
        min: min.meta({ description: 'The first port.', examples: [26_000] }),
        max: max.meta({ description: 'The last port.', examples: [26_010] }),
      })
      .optional()
      .describe('Ports from min to max. Leave it out where target_port is given.'),
    proxy_protocol: proxy_protocol.describe('How clients reach the port.'),
  })
  .describe('A port of a game server.')

/** Where game servers run, and the ports that they open. */
export const ServerPortsEntry = z.strictObject({
  hostname: z
    .string()
    .optional()
    .meta({
      description: 'Where the game servers run. Default: 127.0.0.1.',
      default: '127.0.0.1',
      examples: ['10.0.0.7'],
    }),
  lobby_ports: z
    .array(LobbyPortEntry)
    .optional()
    .meta({ description: 'The ports that they open. Default: none.', default: [] }),
})

export type ServerPortsEntry = z.output<typeof ServerPortsEntry>

/** The same with its defaults. */
export function serverPortsOf({ hostname = '127.0.0.1', lobby_ports = [] }: ServerPortsEntry): ServerPorts {
  return { hostname, lobby_ports }
}

type Columns = z.output<typeof MaxPlayers>

/** The most players of a lobby: one number for all three ways to come, or some of the three. */
const MaxPlayersKey = z
  .union([
    Uint32,
    z.strictObject({
      normal: Uint32.optional().meta({ description: 'The most players by find.', examples: [16] }),
      direct: Uint32.optional().meta({
        description: 'The most players by join with the id of the lobby.',
        examples: [20],
      }),
      party: Uint32.optional().meta({ description: 'The most players as a party.', examples: [20] }),
    }),
  ])
  .meta({
    description: 'The most players of a lobby: by find, by join with its id, as a party. One number is all three.',
    examples: [2, { normal: 16, direct: 20, party: 20 }],
  })
export type MaxPlayersEntry = z.output<typeof MaxPlayersKey>

/** The three columns; what is not given is as in `defaults`. */
function maxPlayersOf(given: MaxPlayersEntry | undefined, defaults: Columns): Columns {
  const { normal, direct, party } =
    typeof given === 'number' ? { normal: given, direct: given, party: given } : (given ?? {})
  return {
    max_players_normal: normal ?? defaults.max_players_normal,
    max_players_direct: direct ?? defaults.max_players_direct,
    max_players_party: party ?? defaults.max_players_party,
  }
}

const modeColumns = GameModeRow.shape

/** A game mode: only its id, or an object. */
export const GameModeEntry = z.union([
  modeColumns.game_mode_id.meta({ description: 'Only the id of the game mode.', examples: ['duel'] }),
  z.strictObject({
    game_mode_id: modeColumns.game_mode_id.meta({
      description: 'What lobbies and clients call it.',
      examples: ['duel'],
    }),
    max_players: MaxPlayersKey.optional(),
    regions: z
      .array(z.string().meta(anyRegionId))
      .optional()
      .describe('Ids of the regions that it enables. Default: all of the scenario.'),
    listable: z
      .boolean()
      .optional()
      .meta({ description: 'Whether its lobbies are listed. Default: true.', default: true }),
    disabled: modeColumns.disabled.meta({
      description: 'The calls that are refused for its lobbies. Default: none.',
      default: [],
      examples: [['create']],
    }),
    dynamic_max_players: modeColumns.dynamic_max_players.meta({
      description: 'Whether find and create may say how many players a lobby takes. Default: true.',
      default: true,
    }),
    taggable: modeColumns.taggable.meta({
      description: 'Whether find and create may name tags. Default: true.',
      default: true,
    }),
    ports: ServerPortsEntry.optional().describe("Where its game servers run. Default: as the namespace's development."),
  }),
])
export type GameModeEntry = z.output<typeof GameModeEntry>

/** A game mode with all its columns but the namespace's. */
export type Mode = Omit<GameModeRow, 'namespace_id'>

/** A game mode with its defaults. `regionIds` are those of the scenario. */
export function modeOf(entry: GameModeEntry, regionIds: readonly string[]): Mode {
  const given: Exclude<GameModeEntry, string> = typeof entry === 'string' ? { game_mode_id: entry } : entry
  const { game_mode_id, max_players, regions, listable, disabled, dynamic_max_players, taggable, ports } = given
  return {
    game_mode_id,
    ...maxPlayersOf(max_players, maxPlayersDefaults),
    regions: [...(regions ?? regionIds)],
    listable: listable ?? true,
    ...(disabled === undefined ? {} : { disabled }),
    ...(dynamic_max_players === undefined ? {} : { dynamic_max_players }),
    ...(taggable === undefined ? {} : { taggable }),
    ...(ports === undefined ? {} : { ports: serverPortsOf(ports) }),
  }
}

const { session_ms } = PlayerRow.options[0].shape

/** A player of a lobby, beyond those whom its `total_player_count` only counts. */
export const PlayerEntry = z.strictObject({
  token: Token.optional(),
  status: z
    .enum(['reserved', 'connected', 'expired', 'removed'])
    .optional()
    .meta({ description: 'Whether it has a seat, and has connected. Default: connected.', default: 'connected' }),
  address: z
    .string()
    .optional()
    .meta({ description: 'Where it comes from. Default: 127.0.0.1.', default: '127.0.0.1', examples: ['203.0.113.7'] }),
  session_ms: session_ms.meta({
    description: 'For how long a simulated player plays, in ms.',
    examples: [720_000],
  }),
  expires_at: Instant.optional().describe('When a reserved seat is freed. Default: never.'),
  connects_at: Instant.optional().describe('When the mock connects a reserved player. Default: never.'),
  leaves_at: Instant.optional().describe('When the mock has a connected player leave. Default: never.'),
  removes_at: Instant.optional().describe('When a player with a seat is removed because of its age. Default: never.'),
  forgotten_at: Instant.optional().describe('When a player who is gone is forgotten. Default: never.'),
})
export type PlayerEntry = z.output<typeof PlayerEntry>

/** How many of them have a seat in that way. */
export function countOf(players: readonly PlayerEntry[] | undefined, status: 'reserved' | 'connected'): number {
  return (players ?? []).filter(player => (player.status ?? 'connected') === status).length
}

/** A player with its defaults, all columns but its own token and its lobby's. What is absent stays undefined. */
export function playerOf(entry: PlayerEntry) {
  const { status = 'connected', address = '127.0.0.1', session_ms } = entry
  const removes_at = msOf(entry.removes_at)
  if (status === 'reserved') {
    const expires_at = msOf(entry.expires_at)
    return { status, address, session_ms, expires_at, connects_at: msOf(entry.connects_at), removes_at }
  }
  if (status === 'connected') return { status, address, session_ms, leaves_at: msOf(entry.leaves_at), removes_at }
  return { status, address, session_ms, forgotten_at: msOf(entry.forgotten_at) }
}

const { lobby_id, game_mode_id, region_id, publicity, run_by } = lobbyFields

/** A lobby, of a namespace's game mode. */
export const LobbyEntry = z.strictObject({
  lobby_id: lobby_id
    .optional()
    .meta({ description: 'Its id. Default: from the seed.', examples: ['88888888-8888-4888-8888-888888888888'] }),
  game_mode_id: game_mode_id
    .optional()
    .meta({ description: "The game mode that is played. Default: the namespace's first.", examples: ['duel'] }),
  region_id: region_id
    .optional()
    .meta({ description: 'Where it runs. Default: the first region that its game mode enables.', ...anyRegionId }),
  total_player_count: Uint32.optional().meta({
    description: 'How many players are connected. Default: as many as players lists.',
    examples: [7],
  }),
  max_players: MaxPlayersKey.optional(),
  state: Json.optional().meta({
    description: 'What its server says of the game: any JSON that nests at most 64 levels. Default: none.',
    examples: [{ map: 'Harbour' }],
  }),
  publicity: publicity
    .optional()
    .meta({ description: 'Whether it is listed and found. Default: public.', default: 'public' }),
  is_closed: z.boolean().optional().meta({
    description: 'Whether it is closed: not found, not listed, and joined only by its id. Default: false.',
    default: false,
  }),
  tags: record(z.string())
    .optional()
    .meta({ description: 'What find may ask for. Default: none.', examples: [{ map: 'harbour' }] }),
  lobby_config: Json.optional().meta({
    description: 'The configuration that its creator gives its server. Default: none.',
    examples: [{ rounds: 3 }],
  }),
  run_by: run_by
    .optional()
    .describe(
      'Who plays its game server. Default: mock; server where the servers are manual, or the lobby is starting.',
    ),
  status: z
    .enum(['starting', 'ready', 'stopped'])
    .optional()
    .meta({ description: 'Whether its server is ready. Default: ready.', default: 'ready' }),
  ready_by: Instant.optional().describe('When a starting one stops. Default: never.'),
  stops_at: Instant.optional().describe('When it stops because of its age. Default: never.'),
  forgotten_at: Instant.optional().describe('When a stopped lobby is forgotten. Default: never.'),
  players: z.array(PlayerEntry).optional().describe('Players who can be told apart. Default: none.'),
})
export type LobbyEntry = z.output<typeof LobbyEntry>

/** The game mode that an entry means; `undefined` where there is none. */
export function modeOfLobby(entry: LobbyEntry, modes: ReadonlyMap<string, Mode>): Mode | undefined {
  if (entry.game_mode_id !== undefined) return modes.get(entry.game_mode_id)
  const [first] = modes.values()
  return first
}

/** The columns of a lobby that its times and its server do not decide. Without a region only where its mode enables none. */
export function lobbyOf(entry: LobbyEntry, mode: Mode) {
  return {
    game_mode_id: mode.game_mode_id,
    region_id: entry.region_id ?? mode.regions[0],
    ...maxPlayersOf(entry.max_players, mode),
    total_player_count: entry.total_player_count ?? countOf(entry.players, 'connected'),
    reserved_player_count: countOf(entry.players, 'reserved'),
    ...(entry.state === undefined ? {} : { state: entry.state }),
    publicity: entry.publicity ?? 'public',
    is_closed: entry.is_closed ?? false,
    ...(entry.tags === undefined ? {} : { tags: entry.tags }),
    ...(entry.lobby_config === undefined ? {} : { lobby_config: entry.lobby_config }),
  }
}

/** What of a lobby depends on who plays its server, and its times. What is absent stays undefined. */
export function lobbyStateOf(entry: LobbyEntry, { servers }: { readonly servers: 'auto' | 'manual' }) {
  const { status = 'ready', run_by = runBy(status, { servers }) } = entry
  const stops_at = msOf(entry.stops_at)
  if (status === 'ready') return { run_by, status, stops_at }
  if (status === 'stopped') return { run_by, status, forgotten_at: msOf(entry.forgotten_at) }
  return { run_by: 'server', status, ready_by: msOf(entry.ready_by), stops_at }
}
