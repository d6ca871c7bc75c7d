import * as z from 'zod'
import { issueTexts, listKnownKeys, type Path, pathText } from '../lib/issues.js'
import { isJsonObject, isPlainObject, keepDigits } from '../lib/json.js'
import { didYouMean, listedProblems, quoted, UsageError } from '../lib/messages.js'
import {
  columnsOf,
  commandKeyOf,
  commandRefused,
  countSeated,
  entryKeys,
  GameTokensInput,
  NamespaceTokensInput,
  type ServersInput,
} from './inputs.js'
import { catalogue, catalogueRegion } from './matchmaker-rows.js'
import type { Tables } from './model.js'
import { models } from './models.js'
import { defaultNames, type TableName } from './rows.js'

type Fields = Readonly<Record<string, unknown>>

interface OwnedInput {
  readonly table: TableName
  /** Its path in the owner's input: `players[0]`. */
  readonly path: string
  readonly input: Fields
}

interface InputContext {
  /** The start of messages: `lobbies.create`. */
  readonly call: string
  readonly tables: Tables
  /** In ms since the epoch. */
  readonly now: number
}

interface OwnedKey {
  /** Checks the value. Default: `rows` does. */
  readonly schema?: z.ZodType
  /** Returns the rows. They are created after their owner, in the order of the keys. */
  rows(value: unknown, row: Fields, context: InputContext, input: Fields): readonly OwnedInput[]
}

function rowsInList(table: TableName, key: string, owner: string): OwnedKey['rows'] {
  return (value, row, context) =>
    readList(value, key, context).map((entry, i) =>
      ownedInput(table, entry, { path: `${key}[${i}]`, owner, row, context }),
    )
}

const playersInList = rowsInList('players', 'players', 'lobby_id')
const namespacesOfGame = rowsInList('namespaces', 'namespaces', 'game_id')

const ownedKeys: { readonly [Name in TableName]?: Readonly<Record<string, OwnedKey>> } = {
  games: {
    tokens: {
      schema: GameTokensInput,
      rows: ({ cloud }: { cloud?: string }, { game_id }) => [
        { table: 'tokens', path: 'tokens.cloud', input: { kind: 'cloud', game_id, token: cloud } },
      ],
    },
    namespaces: {
      rows: (value, row, context, input) =>
        namespacesOfGame(value, row, context, input).map(({ input, ...place }) => ({
          ...place,
          input: withDefaultNames(input),
        })),
    },
  },
  namespaces: {
    tokens: {
      schema: NamespaceTokensInput,
      rows: (given: { public?: string; development?: string }, { namespace_id }) =>
        (['public', 'development'] as const).map(kind => ({
          table: 'tokens',
          path: `tokens.${kind}`,
          input: { kind, namespace_id, token: given[kind] },
        })),
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
  lobbies: {
    players: { rows: (value, row, context, input) => playersInList(readPlayers(value, context), row, context, input) },
  },
  deviceLinks: {
    status: {
      // Creates the token that the device gets. A token in the input may exist already.
      rows: (status, { cloud_token, game_id }, _, input) =>
        status === 'complete' && input.cloud_token === undefined
          ? [{ table: 'tokens', path: 'cloud_token', input: { kind: 'cloud', token: cloud_token, game_id } }]
          : [],
    },
  },
}

/** Turns the input of `create` into the columns of the row, and the rows that belong to it. Throws `UsageError`. */
export function expandInput(
  name: TableName,
  given: unknown,
  context: InputContext,
): { readonly columns: object; ownedRows(row: object): readonly OwnedInput[] } {
  const { call, now } = context
  const input = typeof given === 'string' ? inputOfText(name, given, call) : given
  if (!isPlainObject(input))
    throw new UsageError(`${call}: the record is ${quoted(input)}: expected an object with its fields`)
  const known = models[name].columns
  const keys = entryKeys[name] ?? {}
  const owned = ownedKeys[name] ?? {}
  const all = [known, keys, owned].flatMap(Object.keys)
  const decoded: Record<string, unknown> = {}
  const unknown: string[] = []
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined) continue
    if (all.includes(key)) decoded[key] = decodeTexts(keys[key]?.column ?? known[key], value, { call, path: [key] })
    else unknown.push(key)
  }
  if (unknown.length > 0) {
    const problems = listedProblems(unknown, key => `${pathText([key])} is an unknown key.${didYouMean(key, all)}`)
    throw new UsageError(`${call}: ${problems.join('; ')}`)
  }
  for (const [key, { instead = [] }] of Object.entries(keys)) {
    const other = decoded[key] === undefined ? undefined : instead.find(column => decoded[column] !== undefined)
    if (other !== undefined) throw new UsageError(`${call}: ${key} and ${other} set the same thing. Keep one of them`)
  }
  for (const [key, { schema }] of [...Object.entries(keys), ...Object.entries(owned)])
    if (schema && decoded[key] !== undefined) decoded[key] = parseKey(schema, decoded[key], { call, path: [key] })
  const command = name === 'gameModes' ? commandKeyOf(decoded.servers as ServersInput) : undefined // its schema has checked it
  if (command !== undefined) throw new UsageError(`${call}: servers.${command} ${commandRefused}`)
  const columns: object = columnsOf(name, decoded, {
    now,
    gameId: name => gameIdOf(name, context),
    namespaceId: name => namespaceIdOf(name, context),
  })
  const ownedOnes = Object.entries(owned).filter(([key]) => decoded[key] !== undefined)
  return {
    columns: keepDigits(name === 'lobbies' ? { ...columns, ...countOf(decoded, context) } : columns, input),
    ownedRows: row => ownedOnes.flatMap(([key, { rows }]) => rows(decoded[key], row as Fields, context, decoded)), // a row is an object with fields
  }
}

function countOf({ players, total_player_count: total }: Fields, context: InputContext): object {
  if (players === undefined) return {}
  const connected = countSeated(readPlayers(players, context).filter(isJsonObject), 'connected')
  if (typeof total !== 'number') return {}
  if (total >= connected) return { total_player_count: total - connected }
  throw new UsageError(
    `${context.call}: total_player_count is ${total}, below ${connected}, the connected players that players lists. Raise it, or leave it out`,
  )
}

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
  return { table, path, input: keepDigits({ ...input, [owner]: row[owner] }, input) }
}

function gameIdOf(name: unknown, { call, tables }: InputContext): string {
  const games = tables.games.all()
  const [only] = games
  if (name === undefined && games.length === 1 && only) return only.game_id
  const game = games.find(({ name_id }) => name_id === name)
  if (game) return game.game_id
  throw unknownOwner('game', name, { call, known: games.map(({ name_id }) => name_id) })
}

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
