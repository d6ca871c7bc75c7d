import * as z from 'zod'
import { DisplayName, HostName, Identifier, Uint32, Uuid } from '../contract/formats.js'
import { Port } from '../contract/namespaces.js'
import { Json, record } from '../lib/json.js'
import { Duration, durationMs, formatDuration } from '../lib/time.js'
import { lifetimeMs, Time } from './time.js'

/**
 * The schemas of all rows. Each is also the schema of an entry in a scenario file: `z.decode` turns the form of a file
 * into a row, `z.encode` a row into the form of a file, and the metadata is what editors show. `inMemory` makes the
 * schema that takes a row itself.
 */

/** An id. It stands in paths and tokens, and messages join ids by `/` and by spaces. */
const Id = z
  .string()
  .regex(/^[^/\s]{1,128}$/, 'expected 1 to 128 characters without white space or /')
  .refine(id => id !== '.' && id !== '..', 'expected an id that can stand in a path: . and .. are steps in one')
  .refine(id => !/\p{Surrogate}/u.test(id), 'expected whole characters: half of a surrogate pair stands for nothing')

/** Only tokens of lobbies begin like this. */
export const lobbyTokenStart = 'lobby.mock.'

/** Any token but a lobby's. Tokens are opaque, and real ones are longer than any id (PROTOCOL.md B1). */
const Token = z
  .string()
  .regex(/^[!-~]+$/, 'expected a token: visible ASCII without white space')
  .refine(
    token => !token.startsWith(lobbyTokenStart),
    `expected a token that does not begin as those of lobbies do, with ${lobbyTokenStart}`,
  )
  .meta({ description: 'A token as it is sent. Default: from the seed.', examples: ['cloud.mock.desk'] })

/** The values of columns that a scenario, or whoever creates a row, leaves out. Absent ones depend on other rows. */
export const settingsDefaults = { cdn_domain: 'mock.localhost', hide_empty_lobbies: false, servers: 'auto' } as const
export const serverPortsDefaults = { hostname: '127.0.0.1', lobby_ports: [] as LobbyPort[] }
/** The names of the game and the namespace of a scenario that gives none. */
export const defaultNames = {
  game: { name_id: 'game', display_name: 'Game' },
  namespace: { name_id: 'prod', display_name: 'Production' },
} as const
export const namespaceDefaults = { tokenless: true, domains: [] as string[] }
/** PROTOCOL.md B6. */
export const matchmakerDefaults = { lobby_count_max: 128, max_players: 8 } as const
/** PROTOCOL.md C. */
export const maxPlayersDefaults = { max_players_normal: 32, max_players_direct: 40, max_players_party: 40 } as const
export const gameModeDefaults = { listable: true } as const
export const regionDefaults = {
  provider_display_name: 'Own',
  datacenter_coord: { latitude: 0, longitude: 0 },
} as const
export const lobbyDefaults = { publicity: 'public', is_closed: false, status: 'ready' } as const
export const playerDefaults = { status: 'connected', address: '127.0.0.1' } as const
export const simulationDefaults = { concurrent: 100, session_ms: 720_000, settled: false } as const
export const deviceLinkDefaults = { status: 'pending' } as const

const Place = z.strictObject({
  latitude: z
    .number()
    .min(-90)
    .max(90)
    .meta({ description: 'In degrees: north is above 0.', examples: [52.52] }),
  longitude: z
    .number()
    .min(-180)
    .max(180)
    .meta({ description: 'In degrees: east is above 0.', examples: [13.4] }),
})

/** The settings of a whole world. There is one row. */
export const SettingsRow = z.strictObject({
  settings_id: z.literal('settings'),
  client: Place.optional().describe('Where the player sits. Default: unknown, and distances are 0.'),
  hide_empty_lobbies: z.boolean().meta({
    description:
      'Whether lists leave out a lobby without players, unless it is the only one of its game mode, as in the real service. Default: false.',
  }),
  servers: z.enum(['auto', 'manual']).meta({
    description:
      'auto: the mock plays the game server of a lobby until a server calls. manual: only servers do, as in the real service. Default: auto.',
  }),
  cdn_domain: HostName.meta({
    description: 'The host name below which the pages of games are. Default: mock.localhost.',
  }),
  default_namespace_id: Id.optional(),
  /** The address that links which are handed out begin with. No slash at its end. */
  public_url: z.string(),
})
export type SettingsRow = z.output<typeof SettingsRow>

const NameId = Identifier.meta({ description: 'Its name in paths, host names and other keys.', examples: ['tanks'] })
const ShownName = DisplayName.meta({ description: 'Its name for people. Default: the name_id.', examples: ['Tanks'] })
const CreatedAt = Time.meta({ description: 'When it was created. Default: when the world begins.' })

/** A game. */
export const GameRow = z.strictObject({
  game_id: Id.meta({
    description: 'Its id on the cloud side. Default: from the seed.',
    examples: ['11111111-1111-4111-8111-111111111111'],
  }),
  name_id: NameId,
  display_name: ShownName,
  created_at: CreatedAt,
  developer_group_id: Id.meta({
    description: 'The group of its developers. Default: from the seed.',
    examples: ['22222222-2222-4222-8222-222222222222'],
  }),
})
export type GameRow = z.output<typeof GameRow>

const { target_port, port_range, proxy_protocol } = Port.shape
const { min, max } = port_range.unwrap().shape

/** A port of a game server, whose label is an identifier. */
export const LobbyPort = z
  .strictObject({
    label: Identifier.meta({ description: 'What clients call the port.', examples: ['default'] }),
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
export type LobbyPort = z.output<typeof LobbyPort>

/** The host of a game server, and the ports that it opens. */
export const ServerPorts = z.strictObject({
  hostname: z.string().meta({
    description: 'The host that game servers run on. Default: 127.0.0.1.',
    examples: ['10.0.0.7'],
  }),
  lobby_ports: z.array(LobbyPort).meta({ description: 'The ports that they open. Default: none.' }),
})
export type ServerPorts = z.output<typeof ServerPorts>

/** A namespace of a game. */
export const NamespaceRow = z.strictObject({
  namespace_id: Id.meta({
    description: 'Its id on the cloud side. Default: from the seed.',
    examples: ['33333333-3333-4333-8333-333333333333'],
  }),
  game_id: Id,
  name_id: NameId,
  display_name: ShownName,
  created_at: CreatedAt,
  version_id: Id.meta({
    description: 'The version of the game that it runs. Default: from the seed.',
    examples: ['44444444-4444-4444-8444-444444444444'],
  }),
  tokenless: z.boolean().meta({
    description:
      'Whether clients need no token to list, find, join and create lobbies, and to list regions. Default: true.',
  }),
  domains: z.array(HostName).meta({
    description: 'Host names whose pages belong to the namespace. Default: none.',
    examples: [['tanks.example']],
  }),
  lobby_count_max: Uint32.meta({
    description: 'The most lobbies at once. Default: 128.',
    examples: [1024],
  }),
  max_players: Uint32.optional().meta({
    description: 'The most players from one client address. Default: 8, and loopback addresses are not counted.',
    examples: [matchmakerDefaults.max_players],
  }),
  development: ServerPorts.optional().describe(
    'The game server of its development tokens, and of its game modes that set no ports.',
  ),
})
export type NamespaceRow = z.output<typeof NamespaceRow>

const mostPlayersBy = {
  max_players_normal: Uint32.meta({
    description: 'The most players by find.',
    examples: [16],
  }),
  max_players_direct: Uint32.meta({
    description: 'The most players by join with the id of the lobby.',
    examples: [20],
  }),
  max_players_party: Uint32.meta({
    description: 'The most players as a party.',
    examples: [20],
  }),
}
/** The most players that a lobby takes, by each way to come. */
export const MaxPlayers = z.object(mostPlayersBy)
export type MaxPlayers = z.output<typeof MaxPlayers>

/** A game mode of a namespace. Its id is unique in the namespace only. */
export const GameModeRow = z.strictObject({
  namespace_id: Id,
  game_mode_id: Id.meta({ description: 'Its id, which lobbies and clients name.', examples: ['duel'] }),
  ...mostPlayersBy,
  regions: z.array(z.string()).describe('Ids of the regions that it enables. Default: all of the scenario.'),
  listable: z.boolean().meta({ description: 'Whether its lobbies are listed. Default: true.' }),
  disabled: z
    .array(z.enum(['find', 'join', 'create']))
    .optional()
    .meta({
      description: 'The calls that are refused for its lobbies. Default: none.',
      default: [],
      examples: [['create']],
    }),
  dynamic_max_players: z.boolean().optional().meta({
    description: 'Whether find and create may say how many players a lobby takes. Default: true.',
    default: true,
  }),
  taggable: z
    .boolean()
    .optional()
    .meta({ description: 'Whether find and create may name tags. Default: true.', default: true }),
  ports: ServerPorts.optional().describe(
    "The host and ports of its game servers. Default: the namespace's development.",
  ),
})
export type GameModeRow = z.output<typeof GameModeRow>

/** A region of data centres. */
export const RegionRow = z.strictObject({
  region_id: Id.meta({ description: 'Its id, which lobbies and game modes name.', examples: ['moon'] }),
  provider_display_name: z.string().meta({
    description: 'The company that runs its data centre. Default: Own.',
  }),
  region_display_name: z
    .string()
    .meta({ description: 'Its name for players. Default: the region_id.', examples: ['Moon'] }),
  datacenter_coord: Place.meta({
    description: 'The place of its data centre. Default: 0, 0.',
  }),
  /** The cloud side calls `region_id` `region_name_id` (PROTOCOL.md D). */
  region_uuid: Uuid.meta({
    description: 'Its id on the cloud side, a UUID. Default: that of the catalogue, else from the seed.',
    examples: ['55555555-5555-4555-8555-555555555555'],
  }),
})
export type RegionRow = z.output<typeof RegionRow>

export const LobbyStatus = z
  .enum(['starting', 'ready', 'stopped'])
  .meta({ description: 'The status of its game server. Default: ready.' })

export const RunBy = z
  .enum(['mock', 'server'])
  .describe('Who plays its game server. Default: mock; server if `servers` is manual, or if the lobby is starting.')

const lobbyColumns = {
  lobby_id: Id.meta({
    description: 'Its id. Default: from the seed.',
    examples: ['88888888-8888-4888-8888-888888888888'],
  }),
  namespace_id: Id,
  game_mode_id: z
    .string()
    .meta({ description: "The game mode that is played. Default: the namespace's first.", examples: ['duel'] }),
  region_id: z
    .string()
    .meta({ description: 'The region that it runs in. Default: the first one that its game mode enables.' }),
  ...mostPlayersBy,
  total_player_count: Uint32.meta({
    description: 'The number of connected players. Default: as many as `players` lists.',
    examples: [7],
  }),
  /** The number of reserved seats. The store counts them with the rows of the players. */
  reserved_player_count: Uint32,
  state: Json.optional().meta({
    description:
      'The state of the game as its server reports it: any JSON that nests at most 64 levels. Default: none.',
    examples: [{ map: 'Harbour' }],
  }),
  publicity: z.enum(['public', 'private']).meta({ description: 'Whether it is listed and found. Default: public.' }),
  is_closed: z.boolean().meta({
    description: 'Whether it is closed: not found, not listed, and joined only by its id. Default: false.',
  }),
  tags: record(z.string())
    .optional()
    .meta({ description: 'Tags that find can ask for. Default: none.', examples: [{ map: 'harbour' }] }),
  lobby_config: Json.optional().meta({
    description: 'The configuration that its creator gives its server. Default: none.',
    examples: [{ rounds: 3 }],
  }),
  run_by: RunBy,
}
const stops_at = Time.optional().describe('When it stops because of its age. Default: never.')

/** A lobby, which takes no more players than it may: starting, ready, or stopped (PROTOCOL.md C). */
export const LobbyRow = z
  .discriminatedUnion(
    'status',
    [
      z.strictObject({
        ...lobbyColumns,
        status: z.literal('starting'),
        // One that the mock plays is ready at once.
        run_by: z.literal('server', { error: 'expected server: a lobby that is starting waits for its own' }),
        ready_by: Time.optional().describe('When it stops, unless its server has called ready. Default: never.'),
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
    // What is refined has the shape already.
    error: issue => tooManyPlayers(issue.input as MaxPlayers),
  })
export type LobbyRow = z.output<typeof LobbyRow>

/** A lobby that has not stopped. */
export type RunningLobby = Exclude<LobbyRow, { status: 'stopped' }>

/** The default of a lobby's `run_by`. A lobby that is starting waits for a server of its own. */
export function runBy(
  status: LobbyRow['status'] | undefined,
  { servers }: { readonly servers: 'auto' | 'manual' | undefined },
): LobbyRow['run_by'] {
  return status === 'starting' || servers === 'manual' ? 'server' : 'mock'
}

/** The message about a lobby with too many players. */
export function tooManyPlayers(lobby: MaxPlayers): string {
  return `expected at most ${mostPlayers(lobby)}, the most that the lobby takes`
}

/** The most players that a lobby takes, in whichever way they come. */
export function mostPlayers(lobby: MaxPlayers): number {
  return Math.max(lobby.max_players_normal, lobby.max_players_direct, lobby.max_players_party)
}

/** The number of seats of connected players and of players who may connect yet. */
export function seatsTaken(lobby: {
  readonly total_player_count: number
  readonly reserved_player_count: number
}): number {
  return lobby.total_player_count + lobby.reserved_player_count
}

export const PlayerStatus = z
  .enum(['reserved', 'connected', 'expired', 'removed'])
  .meta({ description: 'Whether it has a seat, and has connected. Default: connected.' })

const playerColumns = {
  player_token: Token,
  lobby_id: Id,
  namespace_id: Id,
  address: z.string().meta({
    description: 'The address that it connects from. Default: 127.0.0.1.',
    examples: ['203.0.113.7'],
  }),
  session_ms: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'How long a simulated player plays once it is connected, in ms.', examples: [720_000] }),
}
const removes_at = Time.optional().describe('When a player with a seat is removed because of its age. Default: never.')
const forgotten_at = Time.optional().describe('When a player without a seat is deleted. Default: never.')

/** A player: with a reserved seat, connected, or gone, because its seat has expired or it has left (PROTOCOL.md C). */
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
export type PlayerRow = z.output<typeof PlayerRow>

/** A player who has a seat. */
export type SeatedPlayer = Extract<PlayerRow, { status: 'reserved' | 'connected' }>

/** Whether a player has a seat in its lobby. */
export function isSeated(player: PlayerRow): player is SeatedPlayer {
  return player.status === 'reserved' || player.status === 'connected'
}

/** The row of a player after it has left its seat. The store keeps it for a while. */
export function removed(player: PlayerRow, now: number): PlayerRow {
  return gone(player, { status: 'removed', now })
}

/** The row of a player whose reserved seat has expired. */
export function expired(player: PlayerRow, now: number): PlayerRow {
  return gone(player, { status: 'expired', now })
}

function gone(
  { player_token, lobby_id, namespace_id, address }: PlayerRow,
  { status, now }: { readonly status: 'removed' | 'expired'; readonly now: number },
): PlayerRow {
  return Object.freeze({ player_token, lobby_id, namespace_id, address, status, forgotten_at: now + lifetimeMs.gone })
}

/** The most simulated players of a namespace. */
export const mostConcurrent = 100_000

/** The shortest and the longest session, in ms: ten seconds, because the simulation goes in steps of five, and a week. */
export const sessionLimits = { min: 10_000, max: 604_800_000 }

/** How often simulated players come, in ms. All that they do happens at such times. */
export const simulationStepMs = 5000

/** When players of a simulation come next; `undefined` where none come any more. Times in ms since the epoch. */
export function nextStepAt(
  { began_at, concurrent, settled }: Pick<SimulationRow, 'began_at' | 'concurrent' | 'settled'>,
  after: number,
): number | undefined {
  if (settled && concurrent === 0) return undefined
  return began_at + simulationStepMs * Math.max(1, Math.floor((after - began_at) / simulationStepMs) + 1)
}

/** The greatest weight of a game mode. */
const mostWeight = 1_000_000
/** The most players who may arrive in a second. */
const mostArrivals = 1000

/** Whether more simulated players arrive in a second than may. */
export function arrivesTooFast({ concurrent, session_ms }: { concurrent: number; session_ms: number }): boolean {
  return (concurrent * 1000) / session_ms > mostArrivals
}

export const arrivesTooFastMessage = `expected fewer players, or longer sessions: at most ${mostArrivals} may arrive in a second`

/** The average length of a session. Files have it as text, rows in ms. */
const Session = z.codec(
  Duration.refine(text => isSession(durationMs(text)), 'expected a duration from 10s to 7d'),
  z.int().min(sessionLimits.min).max(sessionLimits.max),
  { decode: durationMs, encode: formatDuration },
)

function isSession(ms: number): boolean {
  return ms >= sessionLimits.min && ms <= sessionLimits.max
}

/** Simulated players of a namespace, who come and go by themselves. */
export const SimulationRow = z
  .strictObject({
    namespace_id: Id,
    concurrent: z
      .number()
      .min(0)
      .max(mostConcurrent)
      .meta({
        description: 'How many play at once, over a day. Default: 100.',
        examples: [300],
      }),
    session_ms: Session.meta({
      description: 'How long one plays, on average. Default: 12m.',
    }),
    modes: record(z.number().min(0).max(mostWeight))
      .refine(modes => Object.values(modes).some(weight => weight > 0), 'expected a weight above 0 for one at least')
      .optional()
      .meta({
        description: 'How often players want each game mode: weights, by its id. Default: all alike.',
        examples: [{ duel: 1, 'free-for-all': 6 }],
      }),
    began_at: Time.meta({ description: 'When the first one came. Default: when the world begins.' }),
    settled: z.boolean().meta({
      description: 'Whether the players that lobbies only count have become players who leave. Default: false.',
    }),
    next_step_at: Time.optional().meta({
      description: 'When players come and go next. Default: at the next of the steps of five seconds after began_at.',
    }),
  })
  .refine(row => !arrivesTooFast(row), { path: ['concurrent'], error: arrivesTooFastMessage })
export type SimulationRow = z.output<typeof SimulationRow>

export const DeviceLinkStatus = z
  .enum(['pending', 'complete'])
  .meta({ description: 'Whether a person has completed it. Default: pending.' })

const linkColumns = {
  device_link_token: Token.meta({
    description: 'The token that the device watches. Default: from the seed.',
    examples: ['device.mock.sofa'],
  }),
  device_link_id: Id.meta({
    description: 'Its id. Default: from the seed.',
    examples: ['99999999-9999-4999-8999-999999999999'],
  }),
  expires_at: Time.optional().describe('When it expires. Default: never.'),
}
/** A device link: pending, or complete with the cloud token that the device gets (PROTOCOL.md B8). */
export const DeviceLinkRow = z.discriminatedUnion(
  'status',
  [
    z.strictObject({
      ...linkColumns,
      status: z.literal('pending'),
      /** When, and for which game, the world completes the link by itself. */
      completes: z.object({ at: Time, game_id: Id }).optional(),
    }),
    z.strictObject({
      ...linkColumns,
      status: z.literal('complete'),
      game_id: Id,
      cloud_token: Token.describe('The cloud token that the device of a complete link gets. Default: from the seed.'),
    }),
  ],
  { error: 'expected pending or complete' },
)
export type DeviceLinkRow = z.output<typeof DeviceLinkRow>

export const TokenKind = z
  .enum(['development', 'public', 'cloud'])
  .describe('development: mock responses. public: the clients of a namespace. cloud: the cloud side of a game.')

const tokenColumns = {
  token: Token.describe('The token as it is sent.'),
  expires_at: Time.optional().describe('When it expires. Default: never.'),
}
/** A bearer token, of a namespace or of a game. */
export const TokenRow = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      ...tokenColumns,
      kind: z.literal('development'),
      namespace_id: Id,
      development: ServerPorts.optional().describe(
        "The game server of a development token. Default: its namespace's development.",
      ),
    }),
    z.strictObject({ ...tokenColumns, kind: z.literal('public'), namespace_id: Id }),
    z.strictObject({ ...tokenColumns, kind: z.literal('cloud'), game_id: Id }),
  ],
  { error: 'expected development, public or cloud' },
)
export type TokenRow = z.output<typeof TokenRow>

/** The schema of a row itself: codecs give way to what they decode to, such as ms for a point in time. */
export function inMemory<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema>> {
  return decodedSide(schema) as z.ZodType<z.output<Schema>> // the walk keeps everything else
}

function decodedSide(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodCodec) return schema.out
  if (schema instanceof z.ZodOptional) return withDef(schema, { innerType: decodedSide(schema.def.innerType) })
  if (schema instanceof z.ZodUnion) return withDef(schema, { options: schema.def.options.map(decodedSide) })
  if (!(schema instanceof z.ZodObject)) return schema
  const shape = Object.entries(schema.shape).map(([key, column]) => [key, decodedSide(column)])
  return withDef(schema, { shape: Object.fromEntries(shape) })
}

/** A copy of a schema with its checks and another inside. */
function withDef<Schema extends z.ZodType>(schema: Schema, inside: object): Schema {
  return schema.clone({ ...schema.def, ...inside })
}

/** What each table keeps. */
export interface Rows {
  settings: SettingsRow
  games: GameRow
  regions: RegionRow
  namespaces: NamespaceRow
  gameModes: GameModeRow
  lobbies: LobbyRow
  players: PlayerRow
  simulations: SimulationRow
  deviceLinks: DeviceLinkRow
  tokens: TokenRow
}

/** Columns of a new row: models fill in the others. */
export interface RowInputs {
  settings: SettingsRow
  games: Partial<GameRow> & Pick<GameRow, 'name_id'>
  regions: Partial<RegionRow> & Pick<RegionRow, 'region_id'>
  namespaces: Partial<NamespaceRow> & Pick<NamespaceRow, 'name_id'>
  gameModes: Partial<GameModeRow> & Pick<GameModeRow, 'game_mode_id'>
  lobbies: LobbyInput
  players: PlayerInput
  simulations: Partial<SimulationRow>
  deviceLinks: Partial<DeviceLinkRow>
  tokens: TokenInput
}

/** A lobby to be made; it is ready where nobody says otherwise. */
type LobbyInput = AnyOf<LobbyRow>

/** A player to be made says its lobby; it is connected where nobody says otherwise. */
type PlayerInput = AnyOf<PlayerRow> & Pick<PlayerRow, 'lobby_id'>

/** Columns of any kind of a union. */
type AnyOf<Row> = { readonly [Column in Row extends unknown ? keyof Row : never]?: ColumnOf<Row, Column> | undefined }
type ColumnOf<Row, Column> = Row extends unknown ? (Column extends keyof Row ? Row[Column] : never) : never

/** A token to be minted says its kind and whose it is. */
export type TokenInput = TokenRow extends infer Row
  ? Row extends TokenRow
    ? Omit<Row, 'token'> & { token?: string }
    : never
  : never

/** What the tables of a world are called. */
export type TableName = keyof Rows
