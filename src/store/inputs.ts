import * as z from 'zod'
import { Uint32 } from '../contract/formats.js'
import type * as types from '../generated/inputs.js'
import type { SettingsRow } from '../generated/rows.js'
import type * as scenario from '../generated/scenario.js'
import { issueTexts, listKnownKeys, type Path, pathText } from '../lib/issues.js'
import { isJsonObject, isPlainObject, setKey } from '../lib/json.js'
import { didYouMean, quoted } from '../lib/text.js'
import { durationMs } from '../lib/time.js'
import { Span, SpanInCode, Time } from '../lib/time-schemas.js'
import { UsageError } from '../lib/usage-error.js'
import { completeServerPorts, type ServerPortsInput, Token } from './columns.js'
import { catalogue, catalogueRegion, MaxPlayers, playerDefaults, Servers, SessionInCode } from './matchmaker-rows.js'
import type { Tables } from './model.js'
import { models } from './models.js'
import { defaultNames, linkTimes, matchmakerDefaults, NamespaceRow, type TableName } from './rows.js'

// `create` takes the columns of a row and the keys of a scenario entry. Such a key stands for columns, or for rows that
// belong to the new row.

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
    description: 'The most players of a lobby: by find, by join with its id, as a party. One number is all three.',
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
          description: 'The command that starts the game server of a lobby. Default: none, and you start them.',
          examples: ['./server --port $PORT_default'],
        }),
      watch: z
        .array(z.string().regex(/\S/, 'expected the path of a file or a folder'))
        .optional()
        .meta({
          description:
            'Files and folders whose changes restart the running game servers, from the folder of the mock. Default: none.',
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

/** Returns the columns that `servers` stands for. */
export function serversColumns(given: ServersInput): { servers: Servers; ready_within_ms?: number } {
  if (typeof given === 'string') return { servers: given }
  const { ready_within } = given
  return { servers: 'manual', ...(ready_within === undefined ? {} : { ready_within_ms: ready_within }) }
}

/** Returns the key of `servers` that only the user's own command line or code may set. */
export function commandKeyOf(given: ServersInput): 'command' | 'watch' | undefined {
  if (typeof given === 'string') return undefined
  if (given.command !== undefined) return 'command'
  return given.watch === undefined ? undefined : 'watch'
}

/** Says that a command is not taken from this source. */
export const commandRefused =
  'starts a program, and only your own command line or code may do that (npx mockmaker scenario.yaml, --server-command, or servers: true of the Vite plugin; createMockmaker with servers: true of listen or createApp). Leave it out'

const serversKey: ScenarioKey = {
  instead: ['ready_within_ms'],
  columns(_, { call, parse }) {
    const given = parse(ServersInput)
    const key = commandKeyOf(given)
    if (key !== undefined) throw new UsageError(`${call}: servers.${key} ${commandRefused}`)
    return serversColumns(given)
  },
}

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
  max_players,
})

/** Counts the listed players with this status. */
export function countSeated(
  players: readonly { readonly status?: string | undefined }[] = [],
  status: 'reserved' | 'connected',
): number {
  return players.filter(player => (player.status ?? playerDefaults.status) === status).length
}

type Fields = Readonly<Record<string, unknown>>

/** A row of another table that belongs to a new row. */
interface OwnedInput {
  readonly table: TableName
  /** Its path in the owner's input: `players[0]`. */
  readonly path: string
  readonly input: Fields
}

/** The call and the world that an input is for. */
interface InputContext {
  /** The start of messages: `lobbies.create`. */
  readonly call: string
  readonly tables: Tables
  /** In ms since the epoch. */
  readonly now: number
}

/** The input that contains a key. */
interface KeyContext extends InputContext {
  readonly input: Fields
  /** Parses the value of the key. */
  parse<Schema extends z.ZodType>(schema: Schema): z.output<Schema>
}

/** A key of a scenario entry that is not a column, or has another form than its column. The functions throw `UsageError`. */
interface ScenarioKey {
  /** Columns and keys with the same meaning. An input must not have two of them. */
  readonly instead?: readonly string[]
  /** Returns the columns that the key stands for. */
  columns?(value: unknown, context: KeyContext): object
  /** Returns the rows that the key stands for. They are created after their owner, in the order of the keys. */
  rows?(value: unknown, row: Fields, context: KeyContext): readonly OwnedInput[]
}

const maxPlayers: ScenarioKey = {
  instead: Object.keys(MaxPlayers.shape),
  columns: (_, { parse }) => maxPlayersColumns(parse(MaxPlayersInput)),
}

/** A key with a host and ports, which may be absent. The schema of the row checks the rest. */
function portsKey(column: string): ScenarioKey {
  const complete = (value: Fields) => ({ ...value, ...completeServerPorts(value as ServerPortsInput) }) // checked later
  return { columns: value => ({ [column]: isJsonObject(value) ? complete(value) : value }) }
}

/** A key that gives a column another name. */
function renamed(column: string): ScenarioKey {
  return { instead: [column], columns: value => ({ [column]: value }) }
}

/** Returns the `rows` of a key with a list. The column `owner` of those rows has the id of the new row. */
function rowsInList(table: TableName, key: string, owner: string): NonNullable<ScenarioKey['rows']> {
  return (value, row, context) =>
    readList(value, key, context).map((entry, i) =>
      ownedInput(table, entry, { path: `${key}[${i}]`, owner, row, context }),
    )
}

const playersInList = rowsInList('players', 'players', 'lobby_id')
const namespacesOfGame = rowsInList('namespaces', 'namespaces', 'game_id')

const scenarioKeys: { readonly [Name in TableName]?: Readonly<Record<string, ScenarioKey>> } = {
  games: {
    tokens: {
      rows(_, { game_id }, { parse }) {
        const { cloud } = parse(GameTokensInput)
        return [{ table: 'tokens', path: 'tokens.cloud', input: { kind: 'cloud', game_id, token: cloud } }]
      },
    },
    namespaces: {
      rows: (value, row, context) =>
        namespacesOfGame(value, row, context).map(({ input, ...place }) => ({
          ...place,
          input: withDefaultNames(input),
        })),
    },
  },
  namespaces: {
    development: portsKey('development'),
    matchmaker: {
      instead: ['lobby_count_max', 'max_players'],
      columns: (_, { parse }) => parse(MatchmakerInput),
    },
    tokens: {
      rows(_, { namespace_id }, { parse }) {
        const given = parse(NamespaceTokensInput)
        return (['public', 'development'] as const).map(kind => ({
          table: 'tokens',
          path: `tokens.${kind}`,
          input: { kind, namespace_id, token: given[kind] },
        }))
      },
    },
    game_modes: { rows: rowsInList('gameModes', 'game_modes', 'namespace_id') },
    lobbies: { rows: rowsInList('lobbies', 'lobbies', 'namespace_id') },
    players: {
      rows(value, row, context) {
        if (isPlainObject(value) && value.command !== undefined)
          throw new UsageError(`${context.call}: players.command ${commandRefused}`)
        return [ownedInput('simulations', value, { path: 'players', owner: 'namespace_id', row, context })]
      },
    },
  },
  gameModes: { max_players: maxPlayers, ports: portsKey('ports'), servers: serversKey },
  lobbies: {
    max_players: maxPlayers,
    players: {
      // The trigger of each player row adds it to the count.
      columns(value, context) {
        const { total_player_count: total } = context.input
        const connected = countSeated(readPlayers(value, context).filter(isJsonObject), 'connected')
        if (typeof total !== 'number') return {}
        if (total >= connected) return { total_player_count: total - connected }
        throw new UsageError(
          `${context.call}: total_player_count is ${total}, below ${connected}, the connected players that players lists. Raise it, or leave it out`,
        )
      },
      rows: (value, row, context) => playersInList(readPlayers(value, context), row, context),
    },
  },
  players: { token: renamed('player_token') },
  simulations: {
    session: {
      instead: ['session_ms'],
      columns: (_, { parse }) => ({ session_ms: durationMs(parse(SessionInCode)) }),
    },
  },
  deviceLinks: {
    token: renamed('device_link_token'),
    status: {
      columns(status, context) {
        const { game, game_id } = context.input
        const isMissing = status === 'complete' && game === undefined && game_id === undefined
        return isMissing ? { status, game_id: gameIdOf(undefined, context) } : { status }
      },
      // Creates the token that the device gets. A token in the input may exist already.
      rows: (status, { cloud_token, game_id }, { input }) =>
        status === 'complete' && input.cloud_token === undefined
          ? [{ table: 'tokens', path: 'cloud_token', input: { kind: 'cloud', token: cloud_token, game_id } }]
          : [],
    },
    completes_at: { instead: ['completes', 'completes_after'], columns: completionColumn },
    completes_after: { instead: ['completes', 'completes_at'], columns: completionColumn },
    expires_after: {
      instead: ['expires_at'],
      columns: (_, { parse, now }) => ({ expires_at: linkTimes({ expires_after: parse(SpanInCode) }, now).expires_at }),
    },
    game: {
      instead: ['game_id', 'completes'],
      columns(value, context) {
        const game_id = gameIdOf(value, context)
        return context.input.status === 'complete' ? { game_id } : {}
      },
    },
  },
  tokens: {
    game: { instead: ['game_id'], columns: (value, context) => ({ game_id: gameIdOf(value, context) }) },
    namespace: {
      instead: ['namespace_id'],
      columns: (value, context) => ({ namespace_id: namespaceIdOf(value, context) }),
    },
  },
}

/** Turns the input of `create` into the columns of the row, and the rows that belong to it. Throws `UsageError`. */
export function expandInput(
  name: TableName,
  given: unknown,
  context: InputContext,
): { readonly columns: Fields; ownedRows(row: object): readonly OwnedInput[] } {
  const { call } = context
  const input = typeof given === 'string' ? inputOfText(name, given, call) : given
  if (!isPlainObject(input))
    throw new UsageError(`${call}: the record is ${quoted(input)}: expected an object with its fields`)
  const known = models[name].columns
  const keys = scenarioKeys[name] ?? {}
  const columns: Record<string, unknown> = {}
  const unknown: string[] = []
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined || Object.hasOwn(keys, key)) continue
    if (!Object.hasOwn(known, key)) unknown.push(key)
    else setKey(columns, key, decodeTexts(known[key], value, { call, path: [key] }))
  }
  if (unknown.length > 0) {
    const all = [...Object.keys(known), ...Object.keys(keys)]
    const problems = unknown.map(key => `${pathText([key])} is an unknown key.${didYouMean(key, all)}`)
    throw new UsageError(`${call}: ${problems.join('; ')}`)
  }
  const used = Object.entries(keys).filter(([key]) => input[key] !== undefined)
  for (const [key, { instead = [] }] of used) {
    const other = instead.find(column => input[column] !== undefined)
    if (other !== undefined) throw new UsageError(`${call}: ${key} and ${other} set the same thing. Keep one of them`)
  }
  const contextOf = (key: string): KeyContext => ({
    ...context,
    input,
    parse: schema => parseKey(schema, input[key], { call, path: [key] }),
  })
  for (const [key, scenarioKey] of used) Object.assign(columns, scenarioKey.columns?.(input[key], contextOf(key)))
  return {
    columns,
    ownedRows: row =>
      // A row is an object with fields.
      used.flatMap(([key, scenarioKey]) => scenarioKey.rows?.(input[key], row as Fields, contextOf(key)) ?? []),
  }
}

/** Returns the input that a string stands for: the id of a game mode, or of a region of the catalogue. */
function inputOfText(name: TableName, text: string, call: string): unknown {
  if (name === 'gameModes') return { game_mode_id: text }
  if (name !== 'regions') return text
  const region = catalogueRegion(text)
  if (region) return region
  const ids = catalogue.map(({ region_id }) => region_id)
  throw new UsageError(
    `${call}: the catalogue has no region ${quoted(text)}.${didYouMean(text, ids)} For a region of your own, pass { region_id: ${quoted(text)} }`,
  )
}

/** Names a namespace without a name, as the scenario format does. */
function withDefaultNames(input: Fields): Fields {
  if (input.name_id !== undefined) return input
  const { name_id, display_name } = defaultNames.namespace
  return { ...input, name_id, display_name: input.display_name ?? display_name }
}

function ownedInput(
  table: TableName,
  entry: unknown,
  place: { readonly path: string; readonly owner: string; readonly row: Fields; readonly context: InputContext },
): OwnedInput {
  const { path, owner, row, context } = place
  const input = typeof entry === 'string' ? inputOfText(table, entry, `${context.call}: ${path}`) : entry
  if (!isPlainObject(input)) throw new UsageError(`${context.call}: ${path} is ${quoted(input)}: expected an object`)
  if (input[owner] !== undefined)
    throw new UsageError(
      `${context.call}: ${path}.${owner} is ${quoted(input[owner])}: leave it out. The new row is the owner`,
    )
  return { table, path, input: { ...input, [owner]: row[owner] } }
}

/** Returns the column `completes` of a pending link, from a time or from a duration. */
function completionColumn(_: unknown, context: KeyContext): object {
  const { call, now, input } = context
  const completes_after = parseKey(SpanInCode.optional(), input.completes_after, { call, path: ['completes_after'] })
  const completes_at = decodeTexts(Time, input.completes_at, { call, path: ['completes_at'] }) as number | undefined // the row's schema checks it
  return {
    completes: {
      at: linkTimes({ completes_at, completes_after }, now).completes_at,
      game_id: gameIdOf(input.game, context),
    },
  }
}

/** Finds the id of the game with this name. Without a name, it is the only game. */
function gameIdOf(name: unknown, { call, tables }: InputContext): string {
  const games = tables.games.all()
  const [only] = games
  if (name === undefined && games.length === 1 && only) return only.game_id
  const game = games.find(({ name_id }) => name_id === name)
  if (game) return game.game_id
  throw unknownOwner('game', name, { call, known: games.map(({ name_id }) => name_id) })
}

/** Finds the id of the namespace with a full name, such as `tanks/prod`. */
function namespaceIdOf(name: unknown, { call, tables }: InputContext): string {
  const byName = new Map(
    tables.namespaces
      .all()
      .map(({ namespace_id, game_id, name_id }) => [`${tables.games.get(game_id)?.name_id}/${name_id}`, namespace_id]),
  )
  const id = byName.get(String(name))
  if (id !== undefined) return id
  throw unknownOwner('namespace', name, { call, known: [...byName.keys()] })
}

function unknownOwner(
  key: 'game' | 'namespace',
  name: unknown,
  { call, known }: { readonly call: string; readonly known: readonly string[] },
): UsageError {
  const problem =
    name === undefined
      ? 'is missing, and the world does not have exactly one game'
      : `is ${quoted(name)}, which no ${key} has`
  return new UsageError(`${call}: ${key} ${problem}.${didYouMean(typeof name === 'string' ? name : '', known)}`)
}

/** The most players that a number stands for. */
const mostPlayers = 100_000

/** Reads the players of a lobby. A number stands for as many connected players. */
function readPlayers(value: unknown, { call }: InputContext): readonly unknown[] {
  if (Array.isArray(value)) return value
  if (Number.isInteger(value) && Number(value) >= 0 && Number(value) <= mostPlayers)
    return Array.from({ length: Number(value) }, () => ({}))
  throw new UsageError(
    `${call}: players is ${quoted(value)}: expected a list, or a whole number from 0 to ${mostPlayers}`,
  )
}

function readList(value: unknown, key: string, { call }: InputContext): readonly unknown[] {
  if (Array.isArray(value)) return value
  throw new UsageError(`${call}: ${key} is ${quoted(value)}: expected a list`)
}

/** Decodes texts in a column that holds numbers in memory: times and durations. */
function decodeTexts(schema: unknown, value: unknown, place: { readonly call: string; readonly path: Path }): unknown {
  if (schema instanceof z.ZodOptional) return decodeTexts(schema.unwrap(), value, place)
  if (schema instanceof z.ZodCodec) return typeof value === 'string' ? parseKey(schema, value, place) : value
  if (!(schema instanceof z.ZodObject) || !isJsonObject(value)) return value
  const fields = Object.entries(value).map(([key, inner]) => [
    key,
    decodeTexts(schema.shape[key], inner, { ...place, path: [...place.path, key] }),
  ])
  return Object.fromEntries(fields)
}

function parseKey<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  { call, path }: { readonly call: string; readonly path: Path },
): z.output<Schema> {
  const { data, error } = schema.safeParse(value, { jitless: true, error: listKnownKeys })
  if (!error) return data
  throw new UsageError(`${call}: ${issueTexts(error, value, path).join('; ')}`)
}
