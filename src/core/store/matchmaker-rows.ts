import * as z from 'zod'
import { Json, record, Uint32, Uuid } from '../contract/formats.js'
import type * as types from '../generated/rows.js'
import { durationMs, formatDuration } from '../lib/time.js'
import { Duration, DurationInCode, Time } from '../lib/time-schemas.js'
import { Id, LobbyPorts, Location, lifetimeMs, ServerPorts, Token } from './columns.js'
import { mostPlayers, seatsTaken } from './lobby-rules.js'

// The rows of the matchmaker. See `rows.ts` for how the schemas are used.

export const regionDefaults = {
  provider_display_name: 'Own',
  datacenter_coord: { latitude: 0, longitude: 0 },
} as const

/** A region of data centres. */
export const RegionRow = z.strictObject({
  region_id: Id.meta({ description: 'Its id.', examples: ['moon'] }),
  provider_display_name: z.string().describe('The company that runs its data centre. Default: Own.'),
  region_display_name: z
    .string()
    .meta({ description: 'Its name for players. Default: the region_id.', examples: ['Moon'] }),
  datacenter_coord: Location.describe('The place of its data centre. Default: 0, 0.'),
  /** The `region_id` of the cloud side. It calls our `region_id` `region_name_id` (PROTOCOL.md D). */
  region_uuid: Uuid.meta({
    description: 'Its id on the cloud side, a UUID. Default: that of the catalogue, else from the seed.',
    examples: ['55555555-5555-4555-8555-555555555555'],
  }),
})
export type RegionRow = types.RegionRow

/** Regions of the service, with their UUIDs (PROTOCOL.md D). */
const regions = [
  ['atl', '54c60ee9-ae31-4a3f-b5ff-06aa5639310f', 'Atlanta', 33.74819, -84.39086],
  ['sfo', '19f1b737-0ff1-4676-a834-1af8c4e9890f', 'San Francisco', 37.77938, -122.41843],
  ['fra', '37aeb24a-12f6-45ea-ba7e-d2589588d7db', 'Frankfurt', 50.11044, 8.68183],
  ['syd', '6041893e-7a35-4ab7-a31d-9fd4d6f9dee2', 'Sydney', -33.87271, 151.20569],
  ['tok', '1f34955f-c0a5-472f-b1c6-1912698141eb', 'Tokyo', 35.68951, 139.6917],
  ['mba', 'a699aff0-9d2d-4cad-bef4-b929a78d430e', 'Mumbai', 18.9401, 72.83466],
  ['tor', '33eaba37-0f06-4dc0-959a-2267481e63df', 'Toronto', 43.65161, -79.38313],
  ['dca', '732757b5-51dd-464f-a673-6ae40502c832', 'Washington, DC', 38.89212, -77.00909],
  ['dfw', '06e30e05-cd47-4cc7-adeb-8cb4a1a189b7', 'Dallas', 32.77557, -96.7956],
  ['ewr', 'ed6dac28-c16d-4c03-8daa-98adfbae4758', 'New York City', 40.71298, -74.0072],
  ['lon', '161e738d-f7ed-4d43-af64-7731e39835ef', 'London', 51.50335, -0.0794],
  ['sgp', '4baddf3d-3a70-4139-aed7-21e06a74b9f4', 'Singapore', 1.2798, 103.83728],
] as const

/** Regions that the service has only without a provider in their name. */
const laterRegions = [
  ['lax', 'Los Angeles', 34.0522, -118.2437],
  ['osa', 'Osaka', 34.6937, 135.5023],
  ['gru', 'Sao Paulo', -23.5505, -46.6333],
  ['bom', 'Mumbai', 18.9401, 72.83466],
  ['sin', 'Singapore', 1.2798, 103.83728],
] as const

/** The keys are in the order of the schema, so that a snapshot recognises the region. */
function linodeRegion(
  region_id: string,
  region_uuid: string,
  [region_display_name, latitude, longitude]: readonly [string, number, number],
): RegionRow {
  const datacenter_coord = { latitude, longitude }
  return { region_id, provider_display_name: 'Linode', region_display_name, datacenter_coord, region_uuid }
}

/** The regions of a scenario that lists none. */
export const catalogue = regions.map(([name, uuid, ...place]) => linodeRegion(`lnd-${name}`, uuid, place))

/** The regions of configurations that name no provider: `atl`. Their UUIDs are not known, and end with the bytes of the name. */
const withoutProvider = [...regions.map(([name, , ...place]) => [name, ...place] as const), ...laterRegions].map(
  ([name, ...place]) => {
    const bytes = [...name].map(letter => letter.charCodeAt(0).toString(16)).join('')
    return linodeRegion(name, `00000000-0000-4000-8000-${bytes.padStart(12, '0')}`, place)
  },
)

const regionsById = new Map([...catalogue, ...withoutProvider].map(region => [region.region_id, region]))

/** Returns the region that an id alone stands for. */
export function catalogueRegion(id: string): RegionRow | undefined {
  return regionsById.get(id)
}

/** Completes the columns of a region. Calls `drawUuid` if the catalogue does not have the region. */
export function completeRegion(
  columns: Partial<RegionRow> & Pick<RegionRow, 'region_id'>,
  drawUuid: () => string,
): RegionRow {
  const { region_id } = columns
  return {
    ...regionDefaults,
    region_display_name: region_id,
    region_uuid: catalogueRegion(region_id)?.region_uuid ?? drawUuid(),
    ...columns,
  }
}

/** PROTOCOL.md C. */
export const maxPlayersDefaults = { max_players_normal: 32, max_players_direct: 40, max_players_party: 40 } as const

/** The limits on the players of a lobby, for each way to join. */
export const MaxPlayers = z.object({
  max_players_normal: Uint32.meta({ description: 'The most players by find.', examples: [16] }),
  max_players_direct: Uint32.meta({
    description: 'The most players by join with the id of the lobby.',
    examples: [20],
  }),
  max_players_party: Uint32.meta({ description: 'The most players as a party.', examples: [20] }),
})
export type MaxPlayers = z.output<typeof MaxPlayers>

/** `auto`: the mock simulates the game servers. `manual`: lobbies wait for real ones. */
export const Servers = z.enum(['auto', 'manual'])
export type Servers = z.output<typeof Servers>

/** The time in which a server has to call ready. */
export const ReadyWithin = z
  .number()
  .min(0)
  .optional()
  .describe('A lobby stops if its server has not called ready within this time, in ms. Default: 5 min.')

export const gameModeDefaults = { ...maxPlayersDefaults, listable: true } as const

/** A game mode of a namespace. Its id is unique in the namespace only. */
export const GameModeRow = z.strictObject({
  namespace_id: Id,
  game_mode_id: Id.meta({ description: 'Its id.', examples: ['duel'] }),
  ...MaxPlayers.shape,
  regions: z.array(z.string()).describe('Ids of the regions that it enables. Default: all of the scenario.'),
  listable: z.boolean().describe('true: its lobbies are listed. Default: true.'),
  disabled: z
    .array(z.enum(['find', 'join', 'create']))
    .optional()
    .meta({
      description: 'The calls that the mock refuses for its lobbies. Default: none.',
      default: [],
      examples: [['create']],
    }),
  dynamic_max_players: z
    .boolean()
    .optional()
    .meta({ description: 'true: find and create may send max_players. Default: true.', default: true }),
  taggable: z
    .boolean()
    .optional()
    .meta({ description: 'true: find and create may send tags. Default: true.', default: true }),
  ports: ServerPorts.optional().describe(
    "The host and ports of its game servers. Default: the namespace's development.",
  ),
  servers: Servers.optional().describe(
    "auto: the mock simulates its game servers. manual: its lobbies wait for real ones. Default: the scenario's `servers`.",
  ),
  ready_within_ms: ReadyWithin,
})
export type GameModeRow = types.GameModeRow

export const lobbyDefaults = { publicity: 'public', is_closed: false, status: 'ready' } as const

export const LobbyStatus = z
  .enum(['starting', 'ready', 'stopped'])
  .describe('The status of its game server. Default: ready.')

export const RunBy = z
  .enum(['mock', 'server', 'command', 'none'])
  .describe(
    'mock: its game server is simulated. server: a real one. command: the mock has started it. none: the first find or join starts it. Default: mock; server if `servers` is manual, or if the lobby is starting.',
  )

const lobbyColumns = {
  lobby_id: Id.meta({
    description: 'Its id. Default: from the seed.',
    examples: ['88888888-8888-4888-8888-888888888888'],
  }),
  namespace_id: Id,
  game_mode_id: z.string().meta({ description: "Its game mode. Default: the namespace's first.", examples: ['duel'] }),
  region_id: z.string().describe('Its region. Default: the first one that its game mode enables.'),
  ...MaxPlayers.shape,
  total_player_count: Uint32.meta({
    description: 'The number of connected players. Default: those in `players`.',
    examples: [7],
  }),
  /** The number of reserved seats. Triggers keep it equal to the rows of players. */
  reserved_player_count: Uint32,
  state: Json.optional().meta({
    description: 'The state that its server reports: any JSON of at most 64 levels. Default: none.',
    examples: [{ map: 'Harbour' }],
  }),
  publicity: z
    .enum(['public', 'private'])
    .describe('public: it is listed and found. private: only players with its id join it. Default: public.'),
  is_closed: z.boolean().describe('true: no list and no find has it, and players join it by its id. Default: false.'),
  tags: record(z.string())
    .optional()
    .meta({ description: 'Its tags, for find. Default: none.', examples: [{ map: 'harbour' }] }),
  lobby_config: Json.optional().meta({
    description: 'Its configuration, from its creator. Default: none.',
    examples: [{ rounds: 3 }],
  }),
  run_by: RunBy,
  ports: LobbyPorts.optional().describe('The ports of its own game server. Default: those of its game mode.'),
}
const stops_at = Time.optional().describe('When its age limit stops it. Default: never.')

/** A lobby: starting, ready or stopped (PROTOCOL.md C). */
export const LobbyRow = z
  .discriminatedUnion(
    'status',
    [
      z.strictObject({
        ...lobbyColumns,
        status: z.literal('starting'),
        // The mock's own lobbies are ready at once.
        run_by: z.enum(['server', 'command'], { error: 'expected server: a lobby that is starting waits for its own' }),
        ready_by: Time.optional().describe('When it stops if its server has not called ready. Default: never.'),
        stops_at,
      }),
      z.strictObject({ ...lobbyColumns, status: z.literal('ready'), stops_at }),
      z.strictObject({
        ...lobbyColumns,
        status: z.literal('stopped'),
        forgotten_at: Time.optional().describe('When a stopped lobby is deleted. Default: never.'),
      }),
    ],
    { error: 'expected starting, ready or stopped' },
  )
  .refine(lobby => seatsTaken(lobby) <= mostPlayers(lobby), {
    path: ['total_player_count'],
    error: issue => tooManyPlayers(issue.input as MaxPlayers), // a refinement gets a lobby
  })
export type LobbyRow = types.LobbyRow

/** Returns the default of `run_by`. A starting lobby waits for its own server. */
export function runBy(
  status: LobbyRow['status'] | undefined,
  { servers }: { readonly servers: Servers | undefined },
): LobbyRow['run_by'] {
  return status === 'starting' || servers === 'manual' ? 'server' : 'mock'
}

export function tooManyPlayers(lobby: MaxPlayers): string {
  return `expected at most ${mostPlayers(lobby)} players, the largest limit of the lobby`
}

/** Returns when the next job of a lobby is due, in ms since the epoch (PROTOCOL.md C). */
export function nextLobbyJobAt(lobby: LobbyRow): number | undefined {
  if (lobby.status === 'stopped') return lobby.forgotten_at
  if (lobby.status === 'ready') return lobby.stops_at
  return earliest(lobby.ready_by, lobby.stops_at)
}

function earliest(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

export const playerDefaults = { status: 'connected', address: '127.0.0.1' } as const

export const PlayerStatus = z
  .enum(['reserved', 'connected', 'expired', 'removed'])
  .describe('reserved and connected players have a seat. Default: connected.')

const playerColumns = {
  player_token: Token,
  lobby_id: Id,
  namespace_id: Id,
  address: z.string().meta({ description: 'Its IP address. Default: 127.0.0.1.', examples: ['203.0.113.7'] }),
  session_ms: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'The session of a simulated player, in ms.', examples: [720_000] }),
}
const removes_at = Time.optional().describe('When its age limit removes it. Default: never.')
const forgotten_at = Time.optional().describe('When a player without a seat is deleted. Default: never.')

/** A player: reserved, connected, expired or removed (PROTOCOL.md C). */
export const PlayerRow = z.discriminatedUnion(
  'status',
  [
    z.strictObject({
      ...playerColumns,
      status: z.literal('reserved'),
      expires_at: Time.optional().describe('When a reserved seat is freed. Default: never.'),
      connects_at: Time.optional().describe('When the mock connects a reserved player. Default: never.'),
      removes_at,
    }),
    z.strictObject({
      ...playerColumns,
      status: z.literal('connected'),
      leaves_at: Time.optional().describe('When the mock makes a connected player leave. Default: never.'),
      removes_at,
    }),
    z.strictObject({ ...playerColumns, status: z.literal('expired'), forgotten_at }),
    z.strictObject({ ...playerColumns, status: z.literal('removed'), forgotten_at }),
  ],
  { error: 'expected reserved, connected, expired or removed' },
)
export type PlayerRow = types.PlayerRow

/** Returns the row of a player that has lost its seat. A job deletes it an hour later. `now` in ms since the epoch. */
export function withoutSeat(player: PlayerRow, status: 'removed' | 'expired', now: number): PlayerRow {
  const { player_token, lobby_id, namespace_id, address } = player
  const forgotten_at = now + lifetimeMs.retention
  return Object.freeze({ player_token, lobby_id, namespace_id, address, status, forgotten_at })
}

/** Returns when the next job of a player is due, in ms since the epoch (PROTOCOL.md C). */
export function nextPlayerJobAt(player: PlayerRow): number | undefined {
  if (player.status === 'reserved') return earliest(player.connects_at, earliest(player.expires_at, player.removes_at))
  return player.status === 'connected' ? earliest(player.leaves_at, player.removes_at) : player.forgotten_at
}

export const simulationDefaults = { concurrent: 100, session_ms: 720_000, settled: false } as const

/** The most simulated players of a namespace. */
export const mostConcurrent = 100_000

/** The shortest and the longest session, in ms: two steps of the simulation, and a week. */
export const sessionLimits = { min: 10_000, max: 604_800_000 }

/** The step of the simulation, in ms. Simulated players come and go only at steps. */
export const simulationStepMs = 5000

/** Returns when the next step of a simulation is due. `undefined` if there is none. Times in ms since the epoch. */
export function nextStepAt(
  { began_at, concurrent, settled }: Pick<SimulationRow, 'began_at' | 'concurrent' | 'settled'>,
  after: number,
): number | undefined {
  if (settled && concurrent === 0) return undefined
  return began_at + simulationStepMs * Math.max(1, Math.floor((after - began_at) / simulationStepMs) + 1)
}

const mostWeight = 1_000_000
const mostArrivals = 1000

/** Checks if too many simulated players arrive in a second. */
export function arrivesTooFast({ concurrent, session_ms }: { concurrent: number; session_ms: number }): boolean {
  return (concurrent * 1000) / session_ms > mostArrivals
}

export const arrivesTooFastMessage = `expected fewer players, or longer sessions: at most ${mostArrivals} may arrive in a second`

/** The shortest stay of a bot on average, in ms. It is a process, and comes and goes at any time. */
export const shortestStayMs = 1_000

const isSession = (text: string, least = sessionLimits.min) =>
  durationMs(text) >= least && durationMs(text) <= sessionLimits.max
export const expectedSession = 'expected a duration from 10s to 7d'

/** The average length of a session in code, as text. */
export const SessionInCode = DurationInCode.refine(text => isSession(text), expectedSession)

/** The average length of a session. Text in files, ms in rows. */
const sessionFrom = (least: number, expected: string) =>
  z.codec(
    Duration.refine(text => isSession(text, least), expected),
    z.int().min(least).max(sessionLimits.max),
    { decode: durationMs, encode: formatDuration },
  )
const Session = sessionFrom(sessionLimits.min, expectedSession)
/** The average stay of a bot, or the length of a session. */
export const StayOrSession = sessionFrom(shortestStayMs, 'expected a duration from 1s to 7d')

/** The simulated players of a namespace. */
export const SimulationRow = z
  .strictObject({
    namespace_id: Id,
    concurrent: z
      .number()
      .min(0)
      .max(mostConcurrent)
      .meta({ description: 'The number of players at once, averaged over a day. Default: 100.', examples: [300] }),
    session_ms: Session.describe('The average length of a session. Default: 12m.'),
    modes: record(z.number().min(0).max(mostWeight))
      .refine(modes => Object.values(modes).some(weight => weight > 0), 'expected a weight above 0 for at least one')
      .optional()
      .meta({
        description: 'The weights of the game modes, by their ids. Default: all alike.',
        examples: [{ duel: 1, 'free-for-all': 6 }],
      }),
    began_at: Time.describe('When the simulation began. Default: when the world begins.'),
    settled: z
      .boolean()
      .describe('true: players that lobbies only count have become players who leave. Default: false.'),
    next_step_at: Time.optional().describe(
      'When the next step is due. Default: the next full five seconds after began_at.',
    ),
  })
  .refine(row => !arrivesTooFast(row), { path: ['concurrent'], error: arrivesTooFastMessage })
export type SimulationRow = types.SimulationRow

/** Completes the columns of a simulation. `now` in ms since the epoch. */
export function completeSimulation(columns: Partial<SimulationRow>, now: number): Omit<SimulationRow, 'namespace_id'> {
  const row = { ...simulationDefaults, began_at: now, ...columns }
  const next_step_at = row.next_step_at ?? nextStepAt(row, now)
  return next_step_at === undefined ? row : { ...row, next_step_at }
}
