import { frozenCopy } from './json-copy.js'
import { mapTables } from './map-tables.js'
import { idOf, type Model, models, tableNames } from './model.js'
import { type AllRecords, Records } from './records.js'
import { recordsOf } from './records-of.js'
import { isSeated, mostPlayers, type PlayerRow, type TableName } from './rows.js'
import { sameJson } from './same-json.js'
import { settle } from './settle.js'
import { unread } from './standing.js'

/** The records of a world, and those that it began and shall have begun with. Nothing in them changes. */
export interface Merging {
  readonly before: AllRecords
  /** With the times of `before`, so that what differs is what was changed. */
  readonly after: AllRecords
  /** The same as `after`, with the times of now. */
  readonly afresh: AllRecords
  readonly present: AllRecords
}

/** How many records have become others. */
export interface Tally {
  readonly made: number
  readonly changed: number
  /** Of those that the world began with, its faults included. */
  readonly deleted: number
  /** Of those that the world has made since: they could not stand without what was deleted or changed. */
  readonly takenAlong: number
}

/** What a merge comes to. */
export interface Merged {
  readonly records: AllRecords
  readonly tally: Tally
}

/** Tables whose rows are unions, where a field of one kind means nothing to another, or tell times that count from now. */
const wholeTables: readonly TableName[] = ['players', 'simulations', 'deviceLinks', 'tokens']

/**
 * A three-way merge, field by field: what differs between `before` and `after` is written over what is there, and all else
 * stays. Records stand in the order of `after`, and then those that the world has made itself. What does not fit together
 * then is mended: see `settle`.
 */
export function merge(merging: Merging): Merged {
  const { after, afresh } = merging
  const records = mapTables<AllRecords>(name => mergedTable(name, partsOf(name, merging)))
  settle(records, { file: mapTables<AllRecords>(name => (wholeTables.includes(name) ? afresh : after)[name]) })
  recount(records)
  return { records, tally: tallyOf(records, merging) }
}

/**
 * Counts the seats of each lobby anew: the file and the world may have brought players of the same one. Those who came last
 * go where it takes fewer, and of those who are only counted as many.
 */
function recount(records: AllRecords): void {
  const seated = new Map<string, PlayerRow[]>()
  for (const player of records.players.rows()) {
    if (!isSeated(player)) continue
    const { lobby_id } = player
    const others = seated.get(lobby_id)
    if (others) others.push(player)
    else seated.set(lobby_id, [player])
  }
  const landing = { revision: 1, touched: undefined }
  for (const lobby of [...records.lobbies.rows()]) {
    const { lobby_id } = lobby
    const players = seated.get(lobby_id) ?? []
    const most = lobby.status === 'stopped' ? 0 : mostPlayers(lobby)
    for (const { player_token } of players.splice(most))
      records.players.land(new Map([[player_token, 'delete']]), landing)
    const reserved_player_count = players.filter(({ status }) => status === 'reserved').length
    const connected = players.length - reserved_player_count
    const total_player_count = Math.min(Math.max(lobby.total_player_count, connected), most - reserved_player_count)
    const put = Object.freeze({ ...lobby, reserved_player_count, total_player_count })
    // One that is as it was stays as it is.
    records.lobbies.land(new Map([[lobby_id, { put, again: false }]]), landing)
  }
}

interface Parts {
  readonly before: Rows
  readonly after: Rows
  readonly afresh: Rows
  readonly present: Records<object>
}

type Rows = ReadonlyMap<string, object>

function partsOf(name: TableName, { before, after, afresh, present }: Merging): Parts {
  return {
    before: rowsIn(before, name),
    after: rowsIn(after, name),
    afresh: rowsIn(wholeTables.includes(name) ? afresh : after, name),
    present: recordsOf(present, name),
  }
}

function mergedTable(name: TableName, { before, after, afresh, present }: Parts): Records<object> {
  if (sameRows(before, after)) return present.fork(unread)
  const rows = new Map<string, object>()
  for (const [id, row] of after) {
    const [was, is] = [before.get(id), present.get(id)]
    const merged = was && sameJson(was, row) ? is : mergedRow(name, { was, is, row, fresh: afresh.get(id) ?? row })
    if (merged) rows.set(id, merged)
  }
  for (const row of present.rows()) {
    const id = idIn(name, row)
    if (!rows.has(id) && !before.has(id)) rows.set(id, row)
  }
  return Records.of(rows, { table: name, tracking: unread, revision: 1 })
}

interface RowParts {
  /** As it began. */
  readonly was: object | undefined
  /** As it stands. */
  readonly is: object | undefined
  /** As it shall have begun. */
  readonly row: object
  /** The same, as of now. */
  readonly fresh: object
}

/** The row with the fields that differ; the whole one where the world has none, or they do not fit together. */
function mergedRow(name: TableName, { was, is, row, fresh }: RowParts): object {
  if (!was || !is || wholeTables.includes(name)) return fresh
  const fields = new Map<string, unknown>(Object.entries(is))
  const [then, now] = [new Map<string, unknown>(Object.entries(was)), new Map<string, unknown>(Object.entries(row))]
  for (const field of new Set([...then.keys(), ...now.keys()])) {
    if (then.has(field) && now.has(field) && sameJson(then.get(field), now.get(field))) continue
    if (now.has(field)) fields.set(field, now.get(field))
    else fields.delete(field)
  }
  const { schema }: Model<TableName> = models[name] as never // one name for both: see `mapTables`
  const { data } = schema.safeParse(Object.fromEntries(fields), { jitless: true })
  return data ? frozenCopy(data) : row
}

function tallyOf(records: AllRecords, { before, present }: Pick<Merging, 'before' | 'present'>): Tally {
  const tally = { made: 0, changed: 0, deleted: 0, takenAlong: 0 }
  for (const name of tableNames) {
    const [then, now] = [rowsIn(present, name), rowsIn(records, name)]
    for (const [id, row] of now) {
      const was = then.get(id)
      if (!was) tally.made += 1
      else if (!sameJson(was, row)) tally.changed += 1
    }
    for (const id of then.keys()) {
      if (now.has(id)) continue
      if (recordsOf(before, name).get(id)) tally.deleted += 1
      else tally.takenAlong += 1
    }
  }
  return tally
}

/** Whether both are the same rows in the same order. */
function sameRows(one: Rows, other: Rows): boolean {
  const others = [...other]
  return (
    one.size === other.size && [...one].every(([id, row], i) => others[i]?.[0] === id && sameJson(row, others[i][1]))
  )
}

function rowsIn(records: AllRecords, name: TableName): Rows {
  return new Map([...recordsOf(records, name).rows()].map(row => [idIn(name, row), row]))
}

function idIn(name: TableName, row: object): string {
  return idOf(name)(row as never) // the row is one of that table
}
