import { ApiError } from '../contract/errors.js'
import { fullNameOf } from '../store/full-name.js'
import { idOf } from '../store/model.js'
import type { Table } from '../store/table.js'
import { unknownId } from '../store/table-arguments.js'
import type { World } from '../store/world.js'
import { lobbyTokenCalled, lobbyTokensOf, noNewLobbyToken, noRecordOfLobby } from './lobby-tokens.js'
import { type SteeredTable, tableAt } from './tables.js'

/** A record, whatever its table. */
export type AnyRecord = Readonly<Record<string, unknown>>

/** Where a record is: the name of its table in a path, and its id. */
interface Place {
  readonly table: string
  readonly id: string
}

/** The records of a table, with those whose tokens they are by name; with the tokens the lobbies' too. Throws `ApiError`. */
export function listRecords(world: World, table: string): AnyRecord[] {
  const name = tableAt(table)
  const rows = tableOf(world, name)
    .all()
    .map(row => withOwner(row, { world, name }))
  return name === 'tokens' ? [...rows, ...lobbyTokensOf(world).map(info => ({ ...info }))] : rows
}

/** One of them. Throws `ApiError` where it is not there. */
export function getRecord(world: World, { table, id }: Place): AnyRecord {
  const name = tableAt(table)
  const ofLobby = name === 'tokens' ? lobbyTokenCalled(id, world) : undefined
  if (ofLobby) return { ...ofLobby }
  return withOwner(existing(world, { table, id }), { world, name })
}

/** Makes one, and answers it. Rejects with `ApiError` or `UsageError`. */
export async function createRecord(
  world: World,
  { table, input }: { table: string; input: AnyRecord },
): Promise<AnyRecord> {
  const name = tableAt(table)
  if (name === 'tokens' && input.kind === 'lobby') throw noNewLobbyToken()
  return withOwner(await tableOf(world, name).create(input), { world, name })
}

/** Gives one the fields that are given, and answers it; null takes a field away. Rejects with `ApiError` or `UsageError`. */
export async function updateRecord(
  world: World,
  { changes, ...place }: Place & { changes: AnyRecord },
): Promise<AnyRecord> {
  const name = tableAt(place.table)
  existing(world, place)
  return withOwner(await tableOf(world, name).update(place.id, changes), { world, name })
}

/** Takes one away, and answers it. Rejects with `ApiError` or `UsageError`. */
export async function deleteRecord(world: World, place: Place): Promise<AnyRecord> {
  const name = tableAt(place.table)
  existing(world, place)
  return tableOf(world, name).delete(place.id)
}

function tableOf(world: World, name: SteeredTable): Table<AnyRecord, AnyRecord> {
  // What goes in is checked by the table, and what comes out is only shown.
  return world[name] as unknown as Table<AnyRecord, AnyRecord>
}

function existing(world: World, place: Place): AnyRecord {
  const name = tableAt(place.table)
  const row = tableOf(world, name).get(place.id)
  if (row) return row
  const ofLobby = name === 'tokens' ? lobbyTokenCalled(place.id, world) : undefined
  if (ofLobby) throw noRecordOfLobby(ofLobby)
  const idOfRow = idOf(name) as (row: AnyRecord) => string // of this table's rows
  const message = unknownId(place.table, { id: place.id, ids: tableOf(world, name).all().map(idOfRow) })
  throw new ApiError('API_NOT_FOUND', `${message} GET /__mock/${place.table} lists them.`)
}

interface Owned {
  readonly world: World
  readonly name: SteeredTable
}

/** A token as it is shown at the start: with whose it is, by name. */
function withOwner(row: AnyRecord, { world, name }: Owned): AnyRecord {
  if (name !== 'tokens') return row
  if (row.namespace_id === undefined) return { ...row, game: world.games.get(String(row.game_id))?.name_id }
  return { ...row, namespace: fullNameOf(String(row.namespace_id), world) }
}
