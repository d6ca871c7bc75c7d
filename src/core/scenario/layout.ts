import { type Path, pathText } from '../lib/issues.js'
import { isJsonObject } from '../lib/json.js'
import { lazyFor } from '../lib/lazy.js'
import { catalogue } from '../store/matchmaker-rows.js'
import { models } from '../store/models.js'
import { defaultNames, type TableName, tokenTables } from '../store/rows.js'
import { tableNames } from '../store/table-names.js'
import {
  type GameEntry,
  type NamespaceEntry,
  namesOf,
  namespaceKeys,
  type PlacedGame,
  type PlacedNamespace,
} from './entries.js'
import { gameModeColumnsOf, type RegionEntry } from './matchmaker-entries.js'
import { noNamespace, type Scenario } from './schema.js'

/** The regions and games of a scenario, with paths. Without `games`, the keys at the top are the namespace of the only game. */
export interface Layout {
  readonly regions: readonly RegionEntry[]
  readonly regionIds: readonly string[]
  readonly games: readonly PlacedGame[]
}

/** Returns the layout of a scenario. Each reset asks for it. */
export const layoutOf = lazyFor((scenario: Scenario): Layout => {
  const regions = scenario.regions ?? catalogue.map(region => region.region_id)
  const regionIds = regions.map(region => (typeof region === 'string' ? region : region.region_id))
  const namespaceAt = (path: Path, entry: NamespaceEntry, game: string): PlacedNamespace => {
    const { name_id: _, display_name: __, ...given } = entry
    const names = namesOf(entry, defaultNames.namespace)
    const modes = (given.game_modes ?? []).map(mode => gameModeColumnsOf(mode, regionIds))
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
})

interface PlacedEntry {
  readonly table: TableName
  readonly path: Path
  /** The path of the entry around it. */
  readonly parent: Path
  /** An id, or a whole entry. */
  readonly entry: unknown
  /** The namespace of the entry. `undefined` if it belongs to none. */
  readonly namespace?: PlacedNamespace
}

/** Lists all entries with a row of their own, in the order of the rows of each table. */
export function* placedEntries(scenario: Scenario, { games }: Layout): Generator<PlacedEntry> {
  const { default_namespace } = scenario
  yield {
    table: 'settings',
    path: [],
    parent: [],
    entry: default_namespace === noNamespace ? {} : { default_namespace },
  }
  yield* inList('regions', scenario.regions, [], 'regions')
  for (const { path, names, given, namespaces } of games) {
    yield { table: 'games', path, parent: [], entry: { ...given, ...names } }
    for (const namespace of namespaces) yield* inNamespace(namespace, path)
  }
  yield* inList('deviceLinks', scenario.device_links, [], 'device_links')
  yield* inList('tokens', scenario.bearer_tokens, [], 'bearer_tokens')
}

function* inNamespace(namespace: PlacedNamespace, parent: Path): Generator<PlacedEntry> {
  const { path, names, given } = namespace
  yield { table: 'namespaces', path, parent, entry: { ...given, ...names }, namespace }
  yield* inList('gameModes', given.game_modes, path, 'game_modes', namespace)
  yield* inList('lobbies', given.lobbies, path, 'lobbies', namespace)
  for (const [i, lobby] of (given.lobbies ?? []).entries())
    yield* inList('players', lobby.players, [...path, 'lobbies', i], 'players', namespace)
  if (given.players)
    yield { table: 'simulations', path: [...path, 'players'], parent: path, entry: given.players, namespace }
}

function* inList(
  table: TableName,
  list: readonly unknown[] = [],
  parent: Path,
  key: string,
  namespace?: PlacedNamespace,
): Generator<PlacedEntry> {
  for (const [i, entry] of list.entries())
    yield { table, path: [...parent, key, i], parent, entry, ...(namespace && { namespace }) }
}

interface UniqueKey {
  /** The path of the value in an entry. Lists on the path are searched. */
  readonly keys: readonly string[]
  /** Values of the same kind must differ. */
  readonly kind: string
  /** True if entries of different parents may share it. */
  readonly isLocal?: boolean
}

const innerTokens: { readonly [Name in TableName]?: readonly (readonly string[])[] } = {
  games: [['tokens', 'cloud']],
  namespaces: [
    ['tokens', 'public'],
    ['tokens', 'development'],
  ],
  deviceLinks: [['cloud_token']],
}

/** The unique values of entries, by table. The first of a table is its id. An entry may be only the id. */
const uniqueKeys = new Map(tableNames.map(table => [table, uniqueKeysOf(table)]))

function uniqueKeysOf(table: TableName): readonly UniqueKey[] {
  const { key, singular, unique } = models[table]
  // Entries call the tokens of players and device links `token`.
  const isToken = tokenTables.some(name => name === table)
  const id = isToken ? { keys: ['token'], kind: 'token' } : { keys: [key.at(-1) ?? ''], kind: singular }
  return [
    { ...id, isLocal: key.length > 1 },
    ...Object.entries(unique).map(([name, { within }]) => ({
      keys: [name],
      kind: `${name} of a ${singular}`,
      isLocal: within !== undefined,
    })),
    ...(innerTokens[table] ?? []).map(keys => ({ keys, kind: 'token' })),
  ]
}

interface GivenId {
  /** No other id of the same scope may be equal. */
  readonly scope: string
  readonly path: Path
  readonly id: string
}

/** Lists all ids, names and tokens of a scenario, in its order. */
export function* givenIds(scenario: Scenario, layout: Layout): Generator<GivenId> {
  for (const [i, { id }] of (scenario.faults ?? []).entries())
    if (id !== undefined) yield { scope: 'fault', path: ['faults', i, 'id'], id }
  for (const { table, path, parent, entry } of placedEntries(scenario, layout)) {
    const [idKey, ...others] = uniqueKeys.get(table) ?? []
    if (!idKey) continue
    const scopeOf = ({ kind, isLocal }: UniqueKey) => (isLocal ? `${kind} of ${pathText(parent)}` : kind)
    if (typeof entry === 'string') yield { scope: scopeOf(idKey), path, id: entry }
    else
      for (const unique of [idKey, ...others]) {
        // The list of all bearer tokens also has the token that the device of a link gets.
        const isCopy = unique.keys[0] === 'cloud_token' && scenario.bearer_tokens
        const scope = isCopy ? pathText(path) : scopeOf(unique)
        for (const found of idsAt(unique.keys, entry, path)) yield { scope, ...found }
      }
  }
}

function* idsAt(keys: readonly string[], value: unknown, path: Path): Generator<Omit<GivenId, 'scope'>> {
  const [key, ...rest] = keys
  if (Array.isArray(value)) for (const [i, inner] of value.entries()) yield* idsAt(keys, inner, [...path, i])
  else if (key === undefined) {
    if (typeof value === 'string') yield { path, id: value }
  } else if (isJsonObject(value)) yield* idsAt(rest, value[key], [...path, key])
}
