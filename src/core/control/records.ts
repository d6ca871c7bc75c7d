import { ApiError } from '../contract/errors.js'
import { valueAt } from '../lib/issues.js'
import { exactValue, writeJson } from '../lib/json.js'
import { didYouMean, shortened } from '../lib/messages.js'
import { URLSearchParams } from '../lib/real-globals.js'
import type { LobbyRow } from '../store/matchmaker-rows.js'
import type { Model } from '../store/model.js'
import { fieldsOf, models } from '../store/models.js'
import { fullNameOf } from '../store/namespaces.js'
import { type ReadTables, type Table, unknownId } from '../store/table-calls.js'
import { type ControlTable, tablesByPath } from '../store/table-names.js'
import { lobbyIdIn, lobbyTokenOf } from '../store/tokens.js'
import type { World } from '../store/world.js'

type AnyRecord = Readonly<Record<string, unknown>>

interface RecordPath {
  readonly table: string
  readonly id: string
}

// These functions throw `ApiError` for an unknown record, and `UsageError` for wrong input.

/** Lists the records that match a query, such as `game_mode_id=duel&state.map=Harbour`. */
export function listRecords(world: World, table: string, query = ''): AnyRecord[] {
  const name = tableAt(table)
  const rows = tableOf(world, name).all()
  if (name !== 'tokens') return filterRecords(rows, query, fieldsOf(name))
  const tokens = rows.map(row => withOwner(row, name, world))
  const namespaces = new Map(world.namespaces.all().map(({ namespace_id: id }) => [id, fullNameOf(id, world)]))
  const lobbyTokens = world.lobbies
    .all()
    .filter(({ status }) => status !== 'stopped')
    .map(lobby => ({ ...lobbyTokenInfo(lobby, namespaces.get(lobby.namespace_id)) }))
  return filterRecords([...tokens, ...lobbyTokens], query, [...fieldsOf(name), ...ownerFields])
}

export function getRecord(world: World, { table, id }: RecordPath): AnyRecord {
  const name = tableAt(table)
  const lobbyToken = name === 'tokens' ? findLobbyToken(id, world) : undefined
  return lobbyToken ? { ...lobbyToken } : withOwner(findRecord(world, { table, id }), name, world)
}

export async function createRecord(world: World, table: string, input: AnyRecord | string): Promise<AnyRecord> {
  const name = tableAt(table)
  if (name === 'tokens' && typeof input === 'object' && input.kind === 'lobby') {
    throw new ApiError(
      'API_BAD_BODY',
      'kind is "lobby": each lobby has its own token. Create a lobby with POST /__mock/lobbies, and get its token with GET /__mock/tokens?kind=lobby&lobby_id={lobby_id}',
    )
  }
  return withOwner(await tableOf(world, name).create(input), name, world)
}

/** Changes fields of a record. Null removes a field. */
export async function updateRecord(world: World, recordPath: RecordPath, changes: AnyRecord): Promise<AnyRecord> {
  const name = tableAt(recordPath.table)
  findRecord(world, recordPath)
  return withOwner(await tableOf(world, name).update(recordPath.id, changes), name, world)
}

export async function deleteRecord(world: World, recordPath: RecordPath): Promise<AnyRecord> {
  findRecord(world, recordPath)
  return tableOf(world, tableAt(recordPath.table)).delete(recordPath.id)
}

function tableAt(path: string): ControlTable {
  // `findControlCall` refuses all other paths.
  return tablesByPath[path as keyof typeof tablesByPath]
}

function tableOf(world: World, name: ControlTable): Table<AnyRecord, AnyRecord | string> {
  // The table checks what goes in, and what comes out is only shown.
  return world[name] as unknown as Table<AnyRecord, AnyRecord | string>
}

function findRecord(world: World, recordPath: RecordPath): AnyRecord {
  const name = tableAt(recordPath.table)
  const row = tableOf(world, name).get(recordPath.id)
  if (row) return row
  const lobbyToken = name === 'tokens' ? findLobbyToken(recordPath.id, world) : undefined
  if (lobbyToken) {
    const { lobby_id } = lobbyToken
    const path = `/__mock/lobbies/${encodeURIComponent(lobby_id)}`
    throw new ApiError(
      'API_BAD_BODY',
      `this is the token of lobby ${lobby_id}, which is not a record. Change the lobby instead (PATCH ${path}), or delete it (DELETE ${path})`,
    )
  }
  const { key }: Pick<Model, 'key'> = models[name]
  const ids = tableOf(world, name)
    .all()
    .map(row => key.map(column => row[column]).join('/'))
  const { message } = unknownId(recordPath.table, recordPath.id, ids)
  throw new ApiError('API_NOT_FOUND', `${message} GET /__mock/${recordPath.table} lists them.`)
}

function withOwner(row: AnyRecord, name: ControlTable, world: World): AnyRecord {
  if (name !== 'tokens') return row
  if (row.namespace_id === undefined) return { ...row, game: world.games.get(String(row.game_id))?.name_id }
  return { ...row, namespace: fullNameOf(String(row.namespace_id), world) }
}

/** Fields that tokens have in answers, and that are not columns. */
const ownerFields = ['namespace', 'game', 'lobby_id']

function filterRecords(records: readonly AnyRecord[], query: string, fields: readonly string[]): AnyRecord[] {
  const parameters = [...new URLSearchParams(query)]
  // Checks a repeated condition once.
  const distinct = new Map(parameters.map(([name, value]) => [`${name}=${value}`, { path: name.split('.'), value }]))
  const conditions = [...distinct.values()]
  for (const { path } of conditions) {
    const [field = ''] = path
    if (!fields.includes(field))
      throw new ApiError(
        'API_BAD_QUERY',
        `query parameter ${shortened(field)} is not a field of this table.${didYouMean(field, fields)}`,
      )
  }
  return records.filter(record => conditions.every(({ path, value }) => hasValue(exactAt(record, path), value)))
}

/** Gets the value at a path. An integer that a number cannot hold is a bigint. */
function exactAt(record: AnyRecord, path: readonly string[]): unknown {
  const holder = valueAt(record, path.slice(0, -1))
  const value = valueAt(record, path)
  return typeof value === 'number' ? exactValue(Object(holder), path.at(-1) ?? '') : value
}

function hasValue(value: unknown, text: string): boolean {
  if (Array.isArray(value)) return value.some(item => hasValue(item, text))
  if (value === undefined) return false
  return (typeof value === 'object' ? writeJson(value) : String(value)) === text
}

/** The token of a lobby. It is not a record, and it is valid until the lobby stops. */
export interface LobbyTokenInfo {
  readonly token: string
  readonly kind: 'lobby'
  readonly lobby_id: string
  /** `<game>/<namespace>`, by their name ids. */
  readonly namespace: string
}

function findLobbyToken(token: string, tables: ReadTables): LobbyTokenInfo | undefined {
  const lobbyId = lobbyIdIn(token)
  const lobby = lobbyId === undefined || tables.tokens.get(token) ? undefined : tables.lobbies.get(lobbyId)
  if (!lobby || lobby.status === 'stopped') return undefined
  return lobbyTokenInfo(lobby, fullNameOf(lobby.namespace_id, tables))
}

function lobbyTokenInfo({ lobby_id }: LobbyRow, namespace = ''): LobbyTokenInfo {
  return { token: lobbyTokenOf(lobby_id), kind: 'lobby', lobby_id, namespace }
}
