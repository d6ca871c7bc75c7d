import * as z from 'zod'
import { Uint32 } from '../contract/formats.js'
import type * as types from '../generated/inputs.js'
import type { SettingsRow } from '../generated/rows.js'
import type * as scenario from '../generated/scenario.js'
import { isJsonObject } from '../lib/json.js'
import { scenarioFile } from '../lib/messages.js'
import { durationMs } from '../lib/time.js'
import { Span, SpanInCode, Time } from '../lib/time-schemas.js'
import { defaultPort, Token } from './columns.js'
import { type GameModeRow, MaxPlayers, playerDefaults, Servers, SessionInCode } from './matchmaker-rows.js'
import { models } from './models.js'
import { fullNameOf } from './namespaces.js'
import {
  type AnyOf,
  type DeviceLinkRow,
  matchmakerDefaults,
  NamespaceRow,
  type Rows,
  type TableName,
  type TokenRow,
} from './rows.js'
import type { ReadTables } from './table-calls.js'

// `create` and scenarios take the columns of a row, and keys that stand for columns. Snapshots write those keys.

/** The inputs of `create`: columns, and keys of a scenario. The defaults are those of the scenario format. */
export interface Inputs {
  settings: SettingsRow
  games: types.GameInput
  regions: string | types.RegionInput
  namespaces: types.NamespaceInput
  gameModes: string | types.GameModeInput
  lobbies: types.LobbyInput
  players: types.PlayerInput
  simulations: types.SimulationInput
  deviceLinks: types.DeviceLinkInput
  tokens: types.TokenInput
}

const { max_players_normal, max_players_direct, max_players_party } = MaxPlayers.shape

/** The key `max_players` stands for three columns. It is one number for all, or some of the three. */
export const MaxPlayersInput = z
  .union([
    Uint32,
    z.strictObject({
      normal: max_players_normal.optional(),
      direct: max_players_direct.optional(),
      party: max_players_party.optional(),
    }),
  ])
  .meta({
    description: 'The most players of a lobby: one number, or three.',
    examples: [2, { normal: 16, direct: 20, party: 20 }],
  })
export type MaxPlayersInput = scenario.MaxPlayersInput

/** Returns the columns that `max_players` stands for. */
export function maxPlayersColumns(given: MaxPlayersInput | undefined): Partial<MaxPlayers> {
  if (given === undefined) return {}
  if (typeof given === 'number')
    return { max_players_normal: given, max_players_direct: given, max_players_party: given }
  const { normal, direct, party } = given
  return {
    ...(normal === undefined ? {} : { max_players_normal: normal }),
    ...(direct === undefined ? {} : { max_players_direct: direct }),
    ...(party === undefined ? {} : { max_players_party: party }),
  }
}

/** The key `servers` stands for two columns. A command is for the program that reads the file. */
export const ServersInput = z
  .union([
    Servers,
    z.strictObject({
      command: z
        .string()
        .regex(/\S/, 'expected a command')
        .optional()
        .meta({
          description: 'The command that starts the game server of a lobby. Default: you start them.',
          examples: ['./server --port $PORT_default'],
        }),
      watch: z
        .array(z.string().regex(/\S/, 'expected the path of a file or a folder'))
        .optional()
        .meta({
          description: 'Files and folders whose changes restart the game servers. Default: none.',
          examples: [['src']],
        }),
      ready_within: Span.optional().meta({
        description: 'A lobby stops if its server has not called ready within this time. Default: 5m.',
        examples: ['30s'],
      }),
    }),
  ])
  .meta({ examples: ['manual', { command: './server --port $PORT_default', ready_within: '30s' }] })
export type ServersInput = z.output<typeof ServersInput>

/** Returns the key `max_players` for its columns. It is one number if they are equal. */
export function maxPlayersOf(row: MaxPlayers): MaxPlayersInput {
  const { max_players_normal: normal, max_players_direct: direct, max_players_party: party } = row
  return normal === direct && direct === party ? normal : { normal, direct, party }
}

function serversColumns(given: ServersInput): { servers: Servers; ready_within_ms?: number } {
  if (typeof given === 'string') return { servers: given }
  const { ready_within } = given
  return { servers: 'manual', ...(ready_within === undefined ? {} : { ready_within_ms: ready_within }) }
}

/** Returns the key of `servers` that only the user's own command line or code may set. */
export function commandKeyOf(given: ServersInput | undefined): 'command' | 'watch' | undefined {
  if (given === undefined || typeof given === 'string') return undefined
  if (given.command !== undefined) return 'command'
  return given.watch === undefined ? undefined : 'watch'
}

function serversOf({
  servers,
  ready_within_ms,
}: { readonly [Key in 'servers' | 'ready_within_ms']?: GameModeRow[Key] }): ServersInput | undefined {
  return servers === 'manual' && ready_within_ms !== undefined ? { ready_within: ready_within_ms } : servers
}

/** Says that a command is not taken from this source. */
export const commandRefused = `starts a program, and only your own command line or code may do that (npx mockmaker ${scenarioFile}, --server-command, or servers: true of the Vite plugin; createMockmaker with servers: true of listen or createApp). Leave it out`

const tokenKey = (description: string, example: string) => Token.optional().meta({ description, examples: [example] })

/** The key `tokens` of a game. */
export const GameTokensInput = z.strictObject({
  cloud: tokenKey('Its cloud token. Default: from the seed.', 'cloud.mock.tanks'),
})

/** The key `tokens` of a namespace. */
export const NamespaceTokensInput = z.strictObject({
  public: tokenKey('The public token. Default: from the seed.', 'pub_prod.mock.one'),
  development: tokenKey('The development token. Default: from the seed.', 'dev_prod.mock.one'),
})

const { lobby_count_max, max_players } = NamespaceRow.shape

/** The key `matchmaker` of a namespace, which stands for two columns. */
export const MatchmakerInput = z.strictObject({
  lobby_count_max: lobby_count_max.optional().meta({ default: matchmakerDefaults.lobby_count_max }),
  max_players_per_client: max_players,
  max_players: Uint32.optional().meta({
    description: 'The old name of max_players_per_client.',
    deprecated: true,
    examples: [matchmakerDefaults.max_players],
  }),
})

/** Counts the listed players with this status. */
export function countSeated(
  players: readonly { readonly status?: string | undefined }[] = [],
  status: 'reserved' | 'connected',
): number {
  return players.filter(player => (player.status ?? playerDefaults.status) === status).length
}

/** The world that an entry is for. */
export interface EntryPlace {
  /** In ms since the epoch. */
  readonly now: number
  /** Finds the id of the game with this name. Without a name, it is the only game. */
  gameId(name: unknown): string
  /** Finds the id of the namespace with this full name, such as `tanks/prod`. */
  namespaceId(name: unknown): string
}

/** The place of entries without times after the start, and without names of others. */
const nowhere: EntryPlace = { now: 0, gameId: () => '', namespaceId: () => '' }

/** A key of an entry that is not a column, or has another form than its column. */
interface EntryKey {
  /** Checks the value in code. Default: the schema of the row checks the columns. */
  readonly schema?: z.ZodType
  /** The column whose form the value has. Default: the column with its name. */
  readonly column?: z.ZodType
  /** Columns and keys with the same meaning. An entry must not have two of them. */
  readonly instead?: readonly string[]
  /** Returns the columns that the key stands for. */
  columns(value: unknown, place: EntryPlace, entry: Readonly<Record<string, unknown>>): object
  /** Returns the value of the key for a row. Default: that of the column with its name. */
  of?(row: object, tables: ReadTables): unknown
}

const maxPlayers: EntryKey = {
  schema: MaxPlayersInput,
  instead: Object.keys(MaxPlayers.shape),
  columns: maxPlayersColumns,
  of: maxPlayersOf,
}

/** A key with a host and ports, in which `default` is the port with that label. The schema of the row checks the rest. */
function portsKey(column: string): EntryKey {
  const listed = ({ default: short, ...others }: Readonly<Record<string, unknown>>) => {
    if (short === undefined) return others
    const { target_port, ...port } = { ...defaultPort, ...Object(short) }
    const single = port.fixed === undefined ? { target_port } : {}
    return { ...others, lobby_ports: [...[others.lobby_ports ?? []].flat(), { ...port, ...single }] }
  }
  return { columns: value => ({ [column]: isJsonObject(value) ? listed(value) : value }) }
}

function renamed(column: string): EntryKey {
  return {
    instead: [column],
    columns: value => ({ [column]: value }),
    of: (row: Readonly<Record<string, unknown>>) => row[column],
  }
}

const servers: EntryKey = {
  schema: ServersInput,
  instead: ['ready_within_ms'],
  columns: serversColumns,
  of: serversOf,
}

const completedFor = (link: DeviceLinkRow) => (link.status === 'complete' ? link.game_id : link.completes?.game_id)

/** The keys of entries that stand for columns, by table. */
export const entryKeys: { readonly [Name in TableName]?: Readonly<Record<string, EntryKey>> } = {
  settings: { servers },
  namespaces: {
    development: portsKey('development'),
    matchmaker: {
      schema: MatchmakerInput,
      instead: ['lobby_count_max', 'max_players'],
      columns: ({ max_players_per_client, ...others }: scenario.MatchmakerInput) =>
        max_players_per_client === undefined ? others : { ...others, max_players: max_players_per_client },
      of: ({ lobby_count_max, max_players: max_players_per_client }: NamespaceRow) => ({
        lobby_count_max,
        ...(max_players_per_client === undefined ? {} : { max_players_per_client }),
      }),
    },
  },
  gameModes: {
    max_players: maxPlayers,
    ports: portsKey('ports'),
    servers,
  },
  lobbies: { max_players: maxPlayers },
  players: { token: renamed('player_token') },
  simulations: { session: { ...renamed('session_ms'), schema: SessionInCode.transform(durationMs) } },
  deviceLinks: {
    token: renamed('device_link_token'),
    status: {
      columns: (status, { gameId }, { game, game_id }) =>
        status === 'complete' && game_id === undefined ? { status, game_id: gameId(game) } : { status },
    },
    completes_at: {
      column: Time,
      instead: ['completes', 'completes_after'],
      columns: (at, { gameId }, { game }) => ({ completes: { at, game_id: gameId(game) } }),
      of: (link: DeviceLinkRow) => (link.status === 'pending' ? link.completes?.at : undefined),
    },
    completes_after: {
      schema: SpanInCode,
      instead: ['completes', 'completes_at'],
      columns: (after: number, { now, gameId }, { game }) => ({
        completes: { at: now + after, game_id: gameId(game) },
      }),
    },
    expires_after: {
      schema: SpanInCode,
      instead: ['expires_at'],
      columns: (after: number, { now }) => ({ expires_at: now + after }),
    },
    game: {
      instead: ['game_id', 'completes'],
      columns(name, { gameId }) {
        gameId(name) // the other keys take it, and say when the link is completed for it
        return {}
      },
      of: (link: DeviceLinkRow, { games }) => games.get(completedFor(link) ?? '')?.name_id,
    },
  },
  tokens: {
    development: portsKey('development'),
    game: {
      instead: ['game_id'],
      columns: (name, { gameId }) => ({ game_id: gameId(name) }),
      of: (token: TokenRow, { games }) => (token.kind === 'cloud' ? games.get(token.game_id)?.name_id : undefined),
    },
    namespace: {
      instead: ['namespace_id'],
      columns: (name, { namespaceId }) => ({ namespace_id: namespaceId(name) }),
      of: (token: TokenRow, tables) => (token.kind === 'cloud' ? undefined : fullNameOf(token.namespace_id, tables)),
    },
  },
}

/** Returns the columns that a decoded entry gives. Keys that stand for other rows are left out. */
export function columnsOf<Name extends TableName>(name: Name, entry: object, place = nowhere): AnyOf<Rows[Name]> {
  const given = entry as Readonly<Record<string, unknown>> // an entry is an object with keys
  const keys: Readonly<Record<string, EntryKey>> = entryKeys[name] ?? {}
  const known = models[name].columns
  const columns: Record<string, unknown> = {}
  for (const key in given) {
    const value = given[key]
    if (value === undefined) continue
    if (Object.hasOwn(keys, key)) Object.assign(columns, keys[key]?.columns(value, place, given))
    else if (Object.hasOwn(known, key)) columns[key] = value
  }
  return columns as AnyOf<Rows[Name]> // the schema of the entry has checked them, or that of the row will
}
