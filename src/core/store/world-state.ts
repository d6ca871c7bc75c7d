import type { FaultEntry } from '../contract/faults.js'
import { frozenCopy, keepDigits } from '../lib/json.js'
import type { ClockChange, ClockMode, ClockState } from './clock.js'
import { Dependencies } from './dependencies.js'
import { createFaults, type FaultsState, markOutages, outageOf } from './faults.js'
import { isSeated, type ServerStarter, withoutServer } from './lobby-rules.js'
import type { LobbyRow, PlayerRow } from './matchmaker-rows.js'
import { type Model, parseRow, type Tables } from './model.js'
import { idOf, models } from './models.js'
import { Random, type RandomState } from './random.js'
import { realTime } from './real-time.js'
import type { Rows, TableName } from './rows.js'
import { type TableContext, TreeTable } from './table.js'
import { tableNames } from './table-names.js'
import { type Shape, TableState } from './table-state.js'

/** The unchecked rows of a new world by table, in their order. */
export type InitialRows = { readonly [Name in TableName]?: Iterable<unknown> }

/** The title, the description and the seed of a world. */
export interface ScenarioName {
  readonly title: string
  /** Absent if the scenario has none. */
  readonly description?: string | undefined
  readonly seed: number
}

export function nameOf({ title, description, seed }: ScenarioName): ScenarioName {
  return { title, ...(description === undefined ? {} : { description }), seed }
}

interface Recipe {
  readonly scenario: { toJSON(): object }
  readonly seed: number
  readonly live: boolean
}

/** The scenario, the seed and the clock that a state is created from. */
export interface StateDefinition extends ScenarioName {
  readonly recipe?: Recipe | undefined
  readonly clock: ClockMode
  /** The rate of the clock. Default: 1. */
  readonly rate?: number | undefined
  /** The start time of the clock, in ms since the epoch. Default: the real time. */
  readonly now?: number | undefined
  /** The world's own revisions are higher. Default: 0. */
  readonly revision?: number | undefined
  /** The random state. Default: the first one of the seed. */
  readonly random?: RandomState | undefined
  /** Default: none. */
  readonly faults?: readonly FaultEntry[] | undefined
  /** The random state of the faults. Default: the first one of the seed. */
  readonly faultRandom?: RandomState | undefined
  /** The schemas need not check the rows. Default: they do. */
  readonly areRowsValid?: boolean | undefined
  /** Creates the rows for a start time, in ms since the epoch. */
  rows(now: number): InitialRows
}

/** The states of all tables. They never change: see `TreeTable.share`. */
export type TableStates = { readonly [Name in TableName]: TableState<Rows[Name]> }

/** The state of a world at one moment. It never changes, so several worlds may share it. */
export interface WorldState extends ScenarioName {
  /** Without `now`, the clock starts at the real time. */
  readonly clock: ClockChange
  /** The start time of the rows, in ms since the epoch. */
  readonly startsAt: number
  readonly random: RandomState
  readonly revision: number
  readonly tables: TableStates
  readonly faults: FaultsState
  readonly scenarioFaults: readonly FaultEntry[]
  /** The scenario and the options that define it, together with `startsAt`. Absent if it is a copy of another state. */
  readonly recipe?: Recipe | undefined
  /** The state that a reset without a seed goes back to. Default: this one. */
  readonly unseeded?: WorldState | undefined
  /** Creates the state for another start time, in ms since the epoch. Absent if the scenario gives the time. */
  readonly startingAt?: ((at: number) => WorldState) | undefined
}

/** The state that a reset goes back to, and its clock. */
export interface Initial {
  readonly state: WorldState
  readonly clock: ClockState
}

export const shapes = mapTables<{ readonly [Name in TableName]: Shape<object> }>(name => {
  const model: Model = models[name]
  return { ...model, name, idOf: idOf(name) }
})

/** Tables whose rows depend on the start time of the world, or on its public URL. */
const timedTables: ReadonlySet<TableName> = new Set([
  'settings',
  'games',
  'namespaces',
  'players',
  'simulations',
  'deviceLinks',
  'tokens',
])

/**
 * Creates the initial state of a world that starts at `at`. Default: its `now`, else the real time. With an earlier state of
 * the same definition, both share regions, game modes and lobbies, and the schemas do not check the other rows again. Throws
 * `UsageError` if a row does not fit its schema.
 */
export function createState(
  definition: StateDefinition,
  earlier?: WorldState,
  at = definition.now ?? realTime(),
): WorldState {
  const { seed, clock: mode, rate = 1, now, random = new Random(seed, 'world').save() } = definition
  const { faults: scenarioFaults = [], faultRandom } = definition
  const revision = Math.max(1, at, (definition.revision ?? 0) + 1)
  const faults = markOutages(createFaults(scenarioFaults, at, faultRandom), at)
  const rows = withoutDownLobbies(definition.rows(at), region_id => outageOf(faults, region_id, at) !== undefined)
  const finish = earlier || definition.areRowsValid ? inOrder : checked
  const states: { [name: string]: TableState<object> } = {}
  for (const name of tableNames)
    states[name] =
      earlier && !timedTables.has(name)
        ? earlier.tables[name]
        : TableState.fromRows(shapes[name], finish(name, rows[name] ?? []), revision)
  const tables = states as TableStates // each state belongs to its name
  const clock = { mode, rate, ...(now === undefined ? {} : { now }) }
  const { recipe } = definition
  const state = { ...nameOf(definition), recipe, clock, startsAt: at, random, revision, tables, faults, scenarioFaults }
  return now === undefined ? restartable(state, definition) : state
}

function withoutDownLobbies(rows: InitialRows, isDown: (region_id: string) => boolean): InitialRows {
  const { regions = [], lobbies = [], players = [] } = rows as { [Name in TableName]?: Iterable<Rows[Name]> } // not checked yet
  const all = [...regions]
  if (!all.some(({ region_id }) => isDown(region_id))) return { ...rows, regions: all }
  const stopped = new Set<string>()
  const stop = (lobby: LobbyRow) => {
    if (lobby.status === 'stopped' || !isDown(lobby.region_id)) return lobby
    stopped.add(lobby.lobby_id)
    const { ready_by: _, stops_at: __, ...columns } = { ready_by: 0, stops_at: 0, ...lobby }
    return { ...columns, status: 'stopped', total_player_count: 0, reserved_player_count: 0 }
  }
  const leave = (player: PlayerRow) => {
    if (!stopped.has(player.lobby_id) || !isSeated(player)) return player
    const { player_token, lobby_id, namespace_id, address } = player
    return { player_token, lobby_id, namespace_id, address, status: 'removed' }
  }
  return { ...rows, regions: all, lobbies: [...lobbies].map(stop), players: [...players].map(leave) }
}

/** Not a closure inside `createState`: that would keep the rows of the definition in memory for as long as the world. */
function restartable(state: WorldState, definition: StateDefinition): WorldState {
  return { ...state, startingAt: later => createState(definition, state, later) }
}

/** From this number of rows on, it is faster to compile the schema. */
const fewRows = 200

/** The rows of each table that all worlds have checked. A process with many small worlds compiles the schemas too. */
const checkedRows = new Map<TableName, number>()

function* checked(name: TableName, inputs: Iterable<unknown>): Iterable<object> {
  const { schema } = models[name]
  let i = 0
  let count = checkedRows.get(name) ?? 0
  for (const input of inputs) {
    yield parseRow<object>(schema, input, `${name}[${i}]`, count < fewRows)
    i += 1
    count += 1
  }
  checkedRows.set(name, count)
}

function* inOrder(name: TableName, inputs: Iterable<unknown>): Iterable<object> {
  const columns = Object.keys(models[name].columns)
  for (const input of inputs) {
    const given = input as Readonly<Record<string, unknown>> // the schema has checked one like it
    const row: Record<string, unknown> = {}
    for (const key of columns) if (given[key] !== undefined) row[key] = frozenCopy(given[key])
    yield Object.freeze(keepDigits(row, given))
  }
}

/** Returns the clock of a world that starts with a state. A frozen clock shows the start time of the rows. */
export function initialClock({ clock, startsAt }: Pick<WorldState, 'clock' | 'startsAt'>): ClockState {
  const { mode, rate, now = mode === 'frozen' ? startsAt : realTime() } = clock
  return { mode, rate, now }
}

/** Returns the present time of a state, in ms since the epoch. */
export function timeOfState({ clock, startsAt }: Pick<WorldState, 'clock' | 'startsAt'>): number {
  return clock.now ?? startsAt
}

/** Copies a state, with another public URL. */
export function withPublicUrl(state: WorldState, publicUrl: (before: string) => string): WorldState {
  const rows = state.tables.settings.all().map(row => ({ ...row, public_url: publicUrl(row.public_url) }))
  const table = TableState.fromRows(shapes.settings, checked('settings', rows), state.revision)
  const settings = table as TableStates['settings'] // checked by that schema
  return { ...state, tables: { ...state.tables, settings } }
}

/** Returns lobbies from another world, file, process or time: without servers, unless `starter` has their process. */
export function arrivedLobbies(lobbies: TableStates['lobbies'], starter?: ServerStarter): TableStates['lobbies'] {
  const served = [...lobbies.entriesByRank('served')].map(({ entry }) => entry)
  const left = starter ? served.filter(({ row }) => !starter.serves(row)) : served
  if (left.length === 0) return lobbies
  const arrived = lobbies.clone()
  for (const entry of left) arrived.replace(entry, { ...entry, row: withoutServer(entry.row) })
  return arrived
}

export function readTables<Name extends TableName>(states: Pick<TableStates, Name>): Pick<Tables, Name> {
  const context: TableContext = { dependencies: new Dependencies(), openTransaction: undefined }
  const tables = Object.entries<TableState<object>>(states).map(([name, state]) => [
    name,
    new TreeTable(state, context),
  ])
  return Object.fromEntries(tables) as Pick<Tables, Name> // each is of its name
}

export function mapTables<T extends { readonly [Name in TableName]: unknown }>(make: (name: TableName) => unknown): T {
  return Object.fromEntries(tableNames.map(name => [name, make(name)])) as T // each value belongs to its name
}
