import * as z from 'zod'
import { keepDigits } from '../lib/json.js'
import { lazyFor } from '../lib/lazy.js'
import type { Steps } from '../lib/steps.js'
import { type FaultRecord, faultEntry, faultRandom } from '../store/faults.js'
import { columnsOf } from '../store/inputs.js'
import { modeKey } from '../store/lobby-rules.js'
import { gameModeDefaults, playerDefaults } from '../store/matchmaker-rows.js'
import { fullNameOf } from '../store/namespaces.js'
import { createSeededIds, Random, type SeededIds } from '../store/random.js'
import { type NamespaceRow, type Rows, type SettingsRow, settingsDefaults } from '../store/rows.js'
import type { ReadTables } from '../store/table-calls.js'
import type { TableState } from '../store/table-state.js'
import {
  type InitialRows,
  nameOf,
  readTables,
  type StateDefinition,
  type TableStates,
  timeOfState,
  type WorldState,
} from '../store/world-state.js'
import {
  BearerTokenEntry,
  DeviceLinkEntry,
  deviceLinkRows,
  GameEntry,
  gameRow,
  hasBots,
  listedTokenRows,
  NamespaceEntry,
  namespaceColumnsOf,
  ownTokenRows,
  type PlacedNamespace,
  SimulationEntry,
  simulationColumnsOf,
} from './entries.js'
import { entryOf } from './entry-keys.js'
import { generateLobbies } from './generate.js'
import { givenIds, layoutOf } from './layout.js'
import {
  type GameMode,
  GameModeEntry,
  LobbyEntry,
  lobbyColumnsOf,
  lobbyEntry,
  modeOfLobby,
  PlayerEntry,
  regionEntry,
  regionRow,
} from './matchmaker-entries.js'
import {
  type CheckedScenario,
  clockEntry,
  clockOf,
  highestRevision,
  noNamespace,
  Scenario,
  type ScenarioInput,
} from './schema.js'

export interface WorldOptions {
  /** Default: the scenario's. */
  readonly seed?: number | undefined
  /** The address of the mock in links. Default: `https://hub.{cdn_domain}`. */
  readonly publicUrl?: string | undefined
  /** The end of that address, as in `/w/test-42`. Default: empty. */
  readonly path?: string | undefined
  /** `true` simulates players in namespaces that do not set theirs. It has no effect on snapshots. Default: false. */
  readonly live?: boolean | undefined
}

export const defaultTitle = 'Untitled'
const defaultSeed = 1

/**
 * Defines the world of a scenario. The same scenario and seed always give the same ids and tokens and, with `now`, the same
 * rows. Each id has a random stream of its own, so a change of one entry keeps the ids of the others.
 */
export function defineWorld(checked: CheckedScenario, options: WorldOptions = {}): StateDefinition {
  const { content: scenario, areRowsValid } = checked
  const { title = defaultTitle, description, seed: own = defaultSeed, clock, now, revision, chance } = scenario
  const seed = options.seed ?? own
  return {
    ...nameOf({ title, description, seed }),
    recipe: { scenario: checked, seed, live: options.live ?? false },
    ...clockOf(clock),
    revision,
    // A random state belongs to the seed that it comes from.
    random: seed === own ? chance?.world : undefined,
    faultRandom: seed === own ? chance?.faults : undefined,
    faults: scenario.faults,
    now,
    areRowsValid,
    rows: at => rowsOf(scenario, { ...options, seed, now: at }),
  }
}

type IdentifiedNamespace = PlacedNamespace & { readonly namespace_id: string }

interface LobbyOptions {
  readonly seed: number
  readonly servers: SettingsRow['servers']
  readonly ids: SeededIds
}

/** Returns the ids that a scenario gives. No drawn id is one of them. */
const takenIds = lazyFor(
  (scenario: Scenario): ReadonlySet<string> => new Set([...givenIds(scenario, layoutOf(scenario))].map(({ id }) => id)),
)

function rowsOf(
  scenario: Scenario,
  { seed, now, publicUrl, path, live }: WorldOptions & { seed: number; now: number },
): InitialRows {
  const layout = layoutOf(scenario)
  const ids = createSeededIds(seed, takenIds(scenario))
  const games = layout.games.map(game => {
    const row = gameRow(game, ids, now)
    return { ...game, row, game_id: row.game_id }
  })
  const namespaces = games.flatMap(({ game_id, namespaces }) =>
    namespaces.map(namespace => {
      const row = { game_id, ...namespaceColumnsOf(namespace, ids, now) }
      return { ...namespace, row, namespace_id: row.namespace_id }
    }),
  )
  const settings = settingsRow(scenario, { publicUrl, path }, namespaces)
  const deviceLinks = deviceLinkRows(scenario.device_links ?? [], { games, ids, now })
  const { bearer_tokens } = scenario
  const isLive = live && scenario.revision === undefined
  const options = { seed, ids, servers: settings.servers }
  return {
    settings: [settings],
    regions: layout.regions.map(region => regionRow(region, ids)),
    games: games.map(({ row }) => row),
    namespaces: namespaces.map(({ row }) => row),
    gameModes: namespaces.flatMap(({ namespace_id, modes }) =>
      [...modes.values()].map(mode => ({ namespace_id, ...mode })),
    ),
    lobbies: lobbyRows(namespaces, options),
    players: playerRows(namespaces, ids),
    simulations: namespaces.flatMap(({ namespace_id, modes, given }) => {
      const players = given.players ?? (isLive && modes.size > 0 ? {} : undefined)
      return players === undefined || hasBots(players) ? [] : { namespace_id, ...simulationColumnsOf(players, now) }
    }),
    deviceLinks,
    tokens: bearer_tokens
      ? listedTokenRows(bearer_tokens, { games, namespaces, ids, now })
      : ownTokenRows(deviceLinks, { games, namespaces, ids, now }),
  }
}

function settingsRow(
  scenario: Scenario,
  options: Pick<WorldOptions, 'publicUrl' | 'path'>,
  namespaces: readonly IdentifiedNamespace[],
): SettingsRow {
  const { default_namespace: name } = scenario
  const columns = { ...settingsDefaults, ...columnsOf('settings', scenario) }
  const named = namespaces.find(({ fullName }) => fullName === name) ?? namespaces[0]
  return {
    settings_id: 'settings',
    ...columns,
    ...(name === noNamespace || !named ? {} : { default_namespace_id: named.namespace_id }),
    public_url: linkBase(columns.cdn_domain, options),
  }
}

/** Returns the address of the mock in links. */
export function linkBase(
  cdnDomain: string,
  { publicUrl, path = '' }: Pick<WorldOptions, 'publicUrl' | 'path'>,
): string {
  return (publicUrl ?? `https://hub.${cdnDomain}`).replace(/\/+$/, '') + path
}

function* lobbyRows(namespaces: readonly IdentifiedNamespace[], options: LobbyOptions): Iterable<object> {
  for (const namespace of namespaces) {
    const { given, modes, fullName } = namespace
    yield* listedLobbyRows(given.lobbies ?? [], 'lobby', namespace, options)
    const count = given.generate?.lobbies ?? 0
    if (count === 0) continue
    const seed = new Random(options.seed, `generate:${fullName}`).uint32()
    const lobbies = generateLobbies(count, [...modes.values()], seed)
    yield* listedLobbyRows(lobbies, 'generated-lobby', namespace, options)
  }
}

/** Listed and generated lobbies are numbered separately: one more in the list changes no id of a generated one. */
function* listedLobbyRows(
  entries: Iterable<LobbyEntry>,
  kind: 'lobby' | 'generated-lobby',
  { namespace_id, fullName, modes }: IdentifiedNamespace,
  { ids, servers }: LobbyOptions,
): Iterable<object> {
  let i = 0
  for (const entry of entries) {
    const lobby_id = entry.lobby_id ?? ids.uuid(`${kind}:${fullName}/${i}`)
    i += 1
    const mode = modeOfLobby(entry, modes) as GameMode // checked before
    // Not a spread: engines make slow objects of long spreads.
    yield Object.assign(lobbyColumnsOf(entry, mode, servers), { namespace_id, lobby_id })
  }
}

function* playerRows(namespaces: readonly IdentifiedNamespace[], ids: SeededIds): Iterable<object> {
  for (const { given, namespace_id, fullName } of namespaces)
    for (const [i, lobby] of (given.lobbies ?? []).entries()) {
      const lobby_id = lobby.lobby_id ?? ids.uuid(`lobby:${fullName}/${i}`)
      for (const [j, player] of (lobby.players ?? []).entries()) {
        const player_token = player.token ?? ids.token(`player:${fullName}/${i}/${j}`, 'player')
        yield { player_token, lobby_id, namespace_id, ...playerDefaults, ...columnsOf('players', player) }
      }
    }
}

/**
 * Writes the state of a world as a scenario that names every id. A world of that scenario has equal rows, clock and random
 * state, and a higher revision. Rows keep their order within their game or namespace. A snapshot has no blocked requests,
 * and not the address in links, which belongs to the server.
 */
export function* snapshotSteps(state: WorldState, { hasFaults = false } = {}): Steps<ScenarioInput> {
  const { seed, revision, clock, random, faults, tables: states } = state
  const tables = readTables(states)
  const now = timeOfState(state)
  const namespaces = tables.namespaces.all()
  // An outage of a region that is gone does nothing, and no scenario may have one.
  const isUsed = ({ fault: { region } }: FaultRecord) =>
    region === undefined || tables.regions.get(region) !== undefined
  // The lists that may be long are encoded row by row, and put into their places.
  const snapshot = z.encode(Scenario(), {
    ...nameOf(state),
    revision: Math.min(revision, highestRevision),
    now,
    clock: clockEntry(clock),
    chance: { world: [...random], ...(hasFaults ? { faults: [...faultRandom(faults, seed).save()] } : {}) },
    ...settingsEntry(tables),
    regions: tables.regions.all().map(regionEntry),
    games: tables.games.all().map(game => ({
      ...entryOf('games', game, { schema: GameEntry, tables }),
      namespaces: namespaces
        .filter(({ game_id }) => game_id === game.game_id)
        .map(namespace => namespaceWithoutLobbies(namespace, tables)),
    })),
    device_links: [],
    bearer_tokens: [],
    ...(hasFaults ? { faults: faults.records.filter(isUsed).map(record => faultEntry(record, now)) } : {}),
  })
  const lobbies = yield* lobbiesByNamespace(states, tables)
  const games = tables.games.all().map(({ game_id }, i) => ({ game_id, entry: snapshot.games?.[i] }))
  return {
    ...snapshot,
    games: games.map(({ game_id, entry }) => ({
      ...entry,
      namespaces: namespaces
        .filter(namespace => namespace.game_id === game_id)
        .map(({ namespace_id }, i) => ({ ...entry?.namespaces?.[i], lobbies: lobbies.get(namespace_id) ?? [] })),
    })),
    device_links: yield* encodeAll('deviceLinks', DeviceLinkEntry, { states, tables }),
    bearer_tokens: yield* encodeAll('tokens', BearerTokenEntry, { states, tables }),
  }
}

function* encodeAll<Name extends 'deviceLinks' | 'tokens', Schema extends z.ZodObject>(
  name: Name,
  schema: Schema,
  { states, tables }: { states: TableStates; tables: ReadTables },
): Steps<z.input<Schema>[]> {
  const table: TableState<Rows[Name]> = states[name]
  const entries: z.input<Schema>[] = []
  for (const { row } of table.rows.values()) {
    entries.push(z.encode(schema, entryOf(name, row, { schema, tables })))
    yield
  }
  return entries
}

function* lobbiesByNamespace({ settings, gameModes, lobbies, players }: TableStates, tables: ReadTables) {
  const playersOf = new Map<string, z.input<typeof PlayerEntry>[]>()
  for (const { row } of players.rows.values()) {
    addTo(playersOf, row.lobby_id, z.encode(PlayerEntry, entryOf('players', row, { schema: PlayerEntry, tables })))
    yield
  }
  const { servers } = settings.all()[0] ?? {}
  const lobbiesOf = new Map<string, z.input<typeof LobbyEntry>[]>()
  for (const { row } of lobbies.rows.values()) {
    const entry = lobbyEntry(row, { mode: gameModes.entry(modeKey(row))?.row, servers, tables })
    const own = playersOf.get(row.lobby_id)
    const encoded = { ...z.encode(LobbyEntry, entry), ...(own && { players: own }) }
    addTo(lobbiesOf, row.namespace_id, keepDigits(encoded, entry))
    yield
  }
  return lobbiesOf
}

function addTo<Value>(lists: Map<string, Value[]>, key: string, value: Value): void {
  const list = lists.get(key)
  if (list) list.push(value)
  else lists.set(key, [value])
}

function settingsEntry(tables: ReadTables): Scenario {
  const settings = tables.settings.get('settings') as SettingsRow // every world has it
  const { default_namespace_id } = settings
  const { hide_empty_lobbies, servers } = settingsDefaults
  return {
    ...entryOf('settings', settings, { schema: Scenario(), tables, defaults: { hide_empty_lobbies, servers } }),
    default_namespace: default_namespace_id === undefined ? noNamespace : fullNameOf(default_namespace_id, tables),
  }
}

function namespaceWithoutLobbies(namespace: NamespaceRow, tables: ReadTables): NamespaceEntry {
  const { namespace_id } = namespace
  const modes = tables.gameModes.findMany(q => q.where({ namespace_id }))
  const simulation = tables.simulations.get(namespace_id)
  return {
    ...entryOf('namespaces', namespace, { schema: NamespaceEntry, tables }),
    game_modes: modes.map(row =>
      entryOf('gameModes', row, { schema: GameModeEntry.options[1], tables, defaults: gameModeDefaults }),
    ),
    lobbies: [],
    ...(simulation && { players: entryOf('simulations', simulation, { schema: SimulationEntry, tables }) }),
  }
}
