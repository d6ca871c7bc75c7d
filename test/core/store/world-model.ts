import { isDeepStrictEqual } from 'node:util'
import { Random, type RandomState } from '../../../src/core/store/random.js'
import {
  type Columns,
  idColumns,
  type RandomTransaction,
  type Step,
  Thrown,
  type WrittenTable,
  writtenTables,
} from './random-transactions.js'

/** A row, and the write that created it: a row that is created again counts as another one. */
interface ModelRow {
  readonly row: Columns
  readonly created: object
}

type Tables = Record<WrittenTable, ModelRow[]>

interface State {
  readonly tables: Tables
  readonly random: RandomState
  readonly now: number
  readonly revision: number
}

/** The random numbers that a new row draws for defaults, needed or not: 4 for an id, 24 for a token. */
const drawnNumbers: Readonly<Record<WrittenTable, number>> = {
  games: 8,
  namespaces: 8,
  lobbies: 4,
  players: 24,
  tokens: 24,
}

const rejected = (reason: string) => new Error(`the model refuses: ${reason}`)

/** A simple model of the small world: lists that are copied for each transaction. */
export class WorldModel {
  #tables: Tables
  readonly #random = new Random(0, 'model')
  now: number
  revision: number
  #initial: State

  constructor(
    tables: Record<WrittenTable, readonly object[]>,
    { random, now, revision }: { readonly random: RandomState; readonly now: number; readonly revision: number },
  ) {
    const toRows = (rows: readonly object[]) => rows.map(row => ({ row: row as Columns, created: {} }))
    this.#tables = byTable(name => toRows(tables[name]))
    this.#random.restore(random)
    this.now = now
    this.revision = revision
    this.#initial = this.#save()
  }

  /** The rows of all tables, in order. */
  get rows(): Record<WrittenTable, Columns[]> {
    return byTable(name => this.#tables[name].map(({ row }) => row))
  }

  get random(): RandomState {
    return this.#random.save()
  }

  /** Runs a transaction. Returns whether it commits. */
  play({ steps, ends }: RandomTransaction): boolean {
    const before = this.#save()
    try {
      for (const step of steps) this.#step(step)
      if (ends !== 'well') throw new Thrown()
      this.#check()
    } catch {
      this.#restore(before)
      return false
    }
    this.#commit(before)
    return true
  }

  reset(): void {
    const before = this.#save()
    this.#restore(this.#initial)
    this.now = this.#initial.now
    this.#commit(before, this.#initial.revision)
  }

  advance(ms: number): void {
    const before = this.#save()
    this.now += ms
    this.#commit(before)
  }

  /** Makes the current state the target of resets. */
  fork(): void {
    this.#initial = this.#save()
  }

  /** Reloads a file that changes the display name of an existing game. */
  reload(gameId: string, display_name: string): void {
    const before = this.#save()
    const rename = (list: ModelRow[]) =>
      list.map(one => (one.row.game_id === gameId ? { ...one, row: { ...one.row, display_name } } : one))
    const [were, are] = [this.#initial.tables.games, this.#tables.games]
    const files = rename(were)
    this.#initial = { ...this.#initial, tables: { ...this.#initial.tables, games: files } }
    if (isDeepStrictEqual(rowsOf(files), rowsOf(were))) return
    // The games of the file come first, in their order.
    const isOfFile = ({ row }: ModelRow) => files.some(file => file.row.game_id === row.game_id)
    const kept = files.flatMap(file => are.find(({ row }) => row.game_id === file.row.game_id) ?? [])
    this.#tables.games = rename([...kept, ...are.filter(one => !isOfFile(one))])
    this.#commit(before)
  }

  #save(): State {
    const { now, revision } = this
    return { tables: byTable(name => [...this.#tables[name]]), random: this.#random.save(), now, revision }
  }

  #restore({ tables, random }: State): void {
    this.#tables = byTable(name => [...tables[name]])
    this.#random.restore(random)
  }

  #commit(before: State, above = 0): void {
    const isSameRow = (one: ModelRow, other: ModelRow | undefined) =>
      one.created === other?.created && isDeepStrictEqual(one.row, other.row)
    const isSame = writtenTables.every(name => {
      const [then, now] = [before.tables[name], this.#tables[name]]
      return then.length === now.length && then.every((one, i) => isSameRow(one, now[i]))
    })
    if (isSame && isDeepStrictEqual(before.random, this.random) && before.now === this.now) return
    this.revision = Math.max(this.revision + 1, this.now, above)
  }

  #step(step: Step): void {
    if (step.does === 'create') {
      for (let i = 0; i < drawnNumbers[step.table]; i++) this.#random.uint32()
      this.#create(step.table, step.row)
    }
    if (step.does === 'draw game') this.#drawGame(step.name)
    if (step.does === 'nest') this.#nest(step.steps, step.ends)
    if (step.does === 'delete where') {
      const matches = ({ row }: ModelRow) =>
        Object.entries(step.where).every(([column, value]) => row[column] === value)
      for (const { row } of this.#tables[step.table].filter(matches))
        this.#delete(step.table, row[idColumns[step.table]] as string)
    }
    if (step.does === 'update' || step.does === 'delete') {
      const before = this.#find(step.table, step.id)
      if (!before && step.by === 'id') throw rejected('an unknown id')
      if (!before) return
      if (step.does === 'delete') this.#delete(step.table, step.id)
      else this.#update(step.table, before, { ...before, ...step.columns })
    }
  }

  #nest(steps: readonly Step[], ends: string): void {
    const before = this.#save()
    try {
      for (const step of steps) this.#step(step)
      if (ends === 'throwing') throw new Thrown()
    } catch {
      this.#restore(before)
    }
  }

  #drawGame(name_id: string): void {
    const game_id = this.#random.uuid()
    const developer_group_id = this.#random.uuid()
    this.#create('games', { game_id, name_id, display_name: name_id, created_at: this.now, developer_group_id })
  }

  #create(table: WrittenTable, row: Columns): void {
    if (this.#find(table, row[idColumns[table]] as string)) throw rejected('an id twice')
    if (table === 'lobbies') checkSeats(row)
    this.#put(table, row)
    if (table === 'players') this.#seat(row, 1)
    if (table === 'lobbies') for (const player of this.#playersOf(row)) this.#seat(player, 1)
  }

  #update(table: WrittenTable, before: Columns, after: Columns): void {
    if (table === 'lobbies') {
      checkSeats(after)
      const connected = this.#playersOf(after).filter(({ status }) => status === 'connected').length
      const isFewer = Number(after.total_player_count) < Number(before.total_player_count)
      if (isFewer && Number(after.total_player_count) < connected) throw rejected('fewer than its players')
    }
    this.#put(table, after)
    if (table !== 'players' || (before.lobby_id === after.lobby_id && before.status === after.status)) return
    this.#seat(before, -1)
    this.#seat(after, 1)
  }

  #delete(table: WrittenTable, id: string): void {
    const row = this.#find(table, id)
    this.#tables[table] = this.#tables[table].filter(one => one.row !== row)
    if (row && table === 'players') this.#seat(row, -1)
    if (row && table === 'lobbies')
      for (const { player_token } of this.#playersOf(row)) this.#delete('players', player_token as string)
  }

  #seat({ lobby_id, status }: Columns, amount: 1 | -1): void {
    const lobby = this.#find('lobbies', lobby_id as string)
    if (!lobby || status === 'removed') return
    const column = status === 'reserved' ? 'reserved_player_count' : 'total_player_count'
    const counted = { ...lobby, [column]: Number(lobby[column]) + amount }
    if (amount > 0) checkSeats(counted)
    this.#put('lobbies', counted)
  }

  #put(table: WrittenTable, row: Columns): void {
    const list = this.#tables[table]
    const id = row[idColumns[table]]
    const at = list.findIndex(one => one.row[idColumns[table]] === id)
    if (at === -1) list.push({ row, created: {} })
    else list[at] = { row, created: list[at]?.created ?? {} }
  }

  #find(table: WrittenTable, id: string): Columns | undefined {
    return this.#tables[table].find(({ row }) => row[idColumns[table]] === id)?.row
  }

  #playersOf({ lobby_id }: Columns): Columns[] {
    return rowsOf(this.#tables.players).filter(row => row.lobby_id === lobby_id)
  }

  /** Refuses a world with conflicting rows. */
  #check(): void {
    const { games, namespaces, lobbies, players, tokens } = this.rows
    const checkOwner = (rows: readonly Columns[], column: string, owners: readonly Columns[]) => {
      for (const row of rows)
        if (row[column] !== undefined && !owners.some(owner => owner[column] === row[column]))
          throw rejected(`${column} leads nowhere`)
    }
    const checkUnique = (values: readonly unknown[]) => {
      if (new Set(values).size < values.length) throw rejected('a name twice')
    }
    checkOwner(namespaces, 'game_id', games)
    checkOwner(lobbies, 'namespace_id', namespaces)
    checkOwner(players, 'lobby_id', lobbies)
    checkOwner(tokens, 'game_id', games)
    checkOwner(tokens, 'namespace_id', namespaces)
    // Game modes and settings refer to both, and never change.
    checkOwner([{ namespace_id: 'prod' }, { namespace_id: 'beta' }], 'namespace_id', namespaces)
    checkUnique(games.map(row => row.name_id))
    checkUnique(namespaces.map(row => `${row.game_id}/${row.name_id}`))
    checkUnique(namespaces.flatMap(row => row.domains as string[]))
  }
}

function checkSeats(lobby: Columns): void {
  const taken = Number(lobby.total_player_count) + Number(lobby.reserved_player_count)
  if (taken > Number(lobby.max_players_normal)) throw rejected('more players than seats')
}

function rowsOf(list: readonly ModelRow[]): Columns[] {
  return list.map(({ row }) => row)
}

function byTable<T>(make: (name: WrittenTable) => T): Record<WrittenTable, T> {
  // It has the names of all tables.
  return Object.fromEntries(writtenTables.map(name => [name, make(name)])) as Record<WrittenTable, T>
}
