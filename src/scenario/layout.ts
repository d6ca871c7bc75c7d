import { type Path, pathText } from '../lib/issues.js'
import { isJsonObject } from '../lib/json.js'
import { catalogue } from '../store/matchmaker-rows.js'
import { models, tableNames } from '../store/models.js'
import { defaultNames, type TableName } from '../store/rows.js'
import {
  type GameEntry,
  type NamespaceEntry,
  namesOf,
  namespaceKeys,
  type PlacedGame,
  type PlacedNamespace,
} from './entries.js'
import { gameMode, type RegionEntry, regionIdOf } from './matchmaker-entries.js'
import type { Scenario } from './schema.js'

/** The games of a scenario with their paths. Without `games`, the keys at its top are the namespace prod of the one game. */
export interface Layout {
  readonly regions: readonly RegionEntry[]
  readonly regionIds: readonly string[]
  readonly games: readonly PlacedGame[]
}

export function layoutOf(scenario: Scenario): Layout {
  const regions = scenario.regions ?? catalogue.map(region => region.region_id)
  const regionIds = regions.map(regionIdOf)
  const namespaceAt = (path: Path, entry: NamespaceEntry, game: string): PlacedNamespace => {
    const { name_id: _, display_name: __, ...given } = entry
    const names = namesOf(entry, defaultNames.namespace)
    const modes = (given.game_modes ?? []).map(mode => gameMode(mode, regionIds))
    return {
      path,
      names,
      fullName: `${game}/${names.name_id}`,
      given,
      modes: new Map(modes.map(mode => [mode.game_mode_id, mode])),
    }
  }
  const gameAt = (path: Path, entry: GameEntry): PlacedGame => {
    const { name_id: _, display_name: __, namespaces = [{}], ...given } = entry
    const names = namesOf(entry, defaultNames.game)
    const placed = namespaces.map((inner, i) => namespaceAt([...path, 'namespaces', i], inner, names.name_id))
    return { path, names, given, namespaces: placed }
  }
  if (scenario.games) return { regions, regionIds, games: scenario.games.map((game, i) => gameAt(['games', i], game)) }
  const keys = Object.entries(scenario).filter(([key]) => Object.hasOwn(namespaceKeys, key))
  const names = defaultNames.game
  const namespaces = [namespaceAt([], Object.fromEntries(keys), names.name_id)]
  return { regions, regionIds, games: [{ path: [], names, given: {}, namespaces }] }
}

/** An entry with a row of its own. */
interface PlacedEntry {
  readonly table: TableName
  readonly path: Path
  /** The path of the entry around it. */
  readonly parent: Path
  /** Only an id, or a whole entry. */
  readonly entry: unknown
}

/** All entries with a row of their own, in the order of the rows of each table. */
function* placedEntries(scenario: Scenario, { games }: Layout): Generator<PlacedEntry> {
  yield* inList('regions', scenario.regions, [], 'regions')
  for (const { path, names, given, namespaces } of games) {
    yield { table: 'games', path, parent: [], entry: { ...given, ...names } }
    for (const namespace of namespaces) yield* inNamespace(namespace, path)
  }
  yield* inList('deviceLinks', scenario.device_links, [], 'device_links')
  yield* inList('tokens', scenario.bearer_tokens, [], 'bearer_tokens')
}

function* inNamespace({ path, names, given }: PlacedNamespace, parent: Path): Generator<PlacedEntry> {
  yield { table: 'namespaces', path, parent, entry: { ...given, ...names } }
  yield* inList('gameModes', given.game_modes, path, 'game_modes')
  yield* inList('lobbies', given.lobbies, path, 'lobbies')
  for (const [i, lobby] of (given.lobbies ?? []).entries())
    yield* inList('players', lobby.players, [...path, 'lobbies', i], 'players')
  if (given.players) yield { table: 'simulations', path: [...path, 'players'], parent: path, entry: given.players }
}

function* inList(table: TableName, list: readonly unknown[] = [], parent: Path, key: string): Generator<PlacedEntry> {
  for (const [i, entry] of list.entries()) yield { table, path: [...parent, key, i], parent, entry }
}

/** A value that only one entry may have. */
interface UniqueKey {
  /** The keys that lead to it. `*` stands for each entry of a list. */
  readonly keys: readonly string[]
  /** The other values that it must differ from: those of the same kind. */
  readonly kind: string
  /** Only those inside the same entry, or beside it in the same parent. Default: all. */
  readonly within?: 'entry' | 'parent'
}

const port = (...keys: readonly string[]): UniqueKey => ({
  keys: [...keys, 'lobby_ports', '*', 'label'],
  kind: 'port',
  within: 'entry',
})

/** Unique values of entries that are no columns of their rows, or that only scenarios check. */
const otherUniqueKeys: { readonly [Name in TableName]?: readonly UniqueKey[] } = {
  regions: [{ keys: ['region_uuid'], kind: 'region_uuid' }],
  games: [{ keys: ['tokens', 'cloud'], kind: 'token' }],
  namespaces: [
    { keys: ['tokens', 'public'], kind: 'token' },
    { keys: ['tokens', 'development'], kind: 'token' },
    port('development'),
  ],
  gameModes: [port('ports')],
  deviceLinks: [{ keys: ['cloud_token'], kind: 'token' }],
  tokens: [port('development')],
}

/** The ids, names and tokens of entries, by table. The first of a table is also the entry that is only an id. */
const uniqueKeys = new Map(tableNames.map(table => [table, uniqueKeysOf(table)]))

function uniqueKeysOf(table: TableName): readonly UniqueKey[] {
  const { key, singular, unique } = models[table]
  const column = key.at(-1) ?? ''
  // Entries call the tokens of players and device links `token`, and no two tokens of any kind are equal.
  const isToken = column.endsWith('token')
  const id = isToken ? { keys: ['token'], kind: 'token' } : { keys: [column], kind: singular }
  return [
    { ...id, ...(key.length > 1 ? { within: 'parent' } : {}) },
    ...Object.entries(unique).map(([name, { within }]) => ({
      keys: [name],
      kind: `${name} of a ${singular}`,
      ...(within === undefined ? {} : { within: 'parent' as const }),
    })),
    ...(otherUniqueKeys[table] ?? []),
  ]
}

/** An id, a name or a token that a scenario gives. */
interface GivenId {
  /** No other id of the same scope may be equal. */
  readonly scope: string
  readonly path: Path
  readonly id: string
}

/** All ids, names and tokens that a scenario gives, in its order. */
export function* givenIds(scenario: Scenario, layout: Layout): Generator<GivenId> {
  for (const [i, { id }] of (scenario.faults ?? []).entries())
    if (id !== undefined) yield { scope: 'fault', path: ['faults', i, 'id'], id }
  for (const placed of placedEntries(scenario, layout)) {
    for (const unique of uniqueKeys.get(placed.table) ?? []) {
      // A link may repeat a token of the list of all bearer tokens, because it is where its device gets one of them.
      const isCopy = placed.table === 'deviceLinks' && unique.keys[0] === 'cloud_token' && scenario.bearer_tokens
      const scope = scopeOf(isCopy ? { ...unique, within: 'entry' } : unique, placed)
      if (typeof placed.entry !== 'string')
        for (const { path, id } of idsAt(unique.keys, placed.entry, placed.path)) yield { scope, path, id }
      else if (unique === uniqueKeys.get(placed.table)?.[0]) yield { scope, path: placed.path, id: placed.entry }
    }
  }
}

function scopeOf({ kind, within, keys }: UniqueKey, { path, parent }: PlacedEntry): string {
  if (within === undefined) return kind
  return `${kind} of ${pathText(within === 'entry' ? [...path, keys[0] ?? ''] : parent)}`
}

function* idsAt(keys: readonly string[], value: unknown, path: Path): Generator<Omit<GivenId, 'scope'>> {
  const [key, ...rest] = keys
  if (key === undefined) {
    if (typeof value === 'string') yield { path, id: value }
    else if (Array.isArray(value)) yield* idsAt(['*'], value, path)
  } else if (key === '*') {
    for (const [i, inner] of (Array.isArray(value) ? value : []).entries()) yield* idsAt(rest, inner, [...path, i])
  } else if (isJsonObject(value)) yield* idsAt(rest, value[key], [...path, key])
}
