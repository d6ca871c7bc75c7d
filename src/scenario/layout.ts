import { type Path, pathText } from '../lib/issues.js'
import { defaultNames, type GameEntry, type Names, type NamespaceEntry, namesOf } from './games.js'
import { type Mode, modeOf, type ServerPortsEntry } from './lobbies.js'
import { catalogue, type RegionEntry, regionIdOf } from './regions.js'
import type { Scenario } from './schema.js'

/** A scenario with everything in its place: without `games`, the keys at its top are the namespace prod of the one game. */
export interface Layout {
  readonly regions: readonly RegionEntry[]
  readonly regionIds: readonly string[]
  readonly games: readonly PlacedGame[]
}

/** A game, and where the scenario says it. */
export interface PlacedGame {
  readonly path: Path
  readonly names: Names
  readonly given: Pick<GameEntry, 'game_id' | 'created_at' | 'developer_group_id' | 'tokens'>
  readonly namespaces: readonly PlacedNamespace[]
}

/** A namespace, and where the scenario says it. */
export interface PlacedNamespace {
  readonly path: Path
  readonly names: Names
  /** `<game name_id>/<namespace name_id>`, which nothing else in the scenario is called. */
  readonly fullName: string
  readonly given: Omit<NamespaceEntry, keyof Names>
  /** By id. */
  readonly modes: ReadonlyMap<string, Mode>
}

/** Puts everything in its place. */
export function layoutOf(scenario: Scenario): Layout {
  const regions = scenario.regions ?? catalogue.map(region => region.region_id)
  const regionIds = regions.map(regionIdOf)
  if (scenario.games) {
    const games = scenario.games.map((entry, i) => placedGame(entry, { path: ['games', i], regionIds }))
    return { regions, regionIds, games }
  }
  const names = defaultNames.game
  const namespaces = [placedNamespace(scenario, { path: [], game: names.name_id, regionIds })]
  return { regions, regionIds, games: [{ path: [], names, given: {}, namespaces }] }
}

interface Placing {
  readonly path: Path
  readonly regionIds: readonly string[]
}

function placedGame(entry: GameEntry, { path, regionIds }: Placing): PlacedGame {
  const names = namesOf(entry, defaultNames.game)
  const namespaces = (entry.namespaces ?? [{}]).map((namespace, i) =>
    placedNamespace(namespace, { path: [...path, 'namespaces', i], game: names.name_id, regionIds }),
  )
  return { path, names, given: entry, namespaces }
}

function placedNamespace(
  entry: NamespaceEntry,
  { path, game, regionIds }: Placing & { readonly game: string },
): PlacedNamespace {
  const names = namesOf(entry, defaultNames.namespace)
  const modes = (entry.game_modes ?? []).map(given => modeOf(given, regionIds))
  return {
    path,
    names,
    fullName: `${game}/${names.name_id}`,
    given: entry,
    modes: new Map(modes.map(mode => [mode.game_mode_id, mode])),
  }
}

/** An id, a name or a token that a scenario gives. */
interface Named {
  /** Where nothing else may have it: all tokens are of one scope, game modes are of their namespace's. */
  readonly scope: string
  readonly path: Path
  readonly id: string
}

/** What can be named, with or without a name. */
type Nameable = Omit<Named, 'id'> & { readonly id: string | undefined }

/** All ids, names and tokens that a scenario gives, in its order. */
export function* namedIn(scenario: Scenario, layout: Layout): Generator<Named> {
  for (const { scope, path, id } of nameablesIn(scenario, layout)) if (id !== undefined) yield { scope, path, id }
}

function* nameablesIn(scenario: Scenario, { games }: Layout): Generator<Nameable> {
  for (const [i, region] of (scenario.regions ?? []).entries()) {
    const path = typeof region === 'string' ? ['regions', i] : ['regions', i, 'region_id']
    yield { scope: 'region', path, id: regionIdOf(region) }
    if (typeof region !== 'string') {
      yield { scope: 'region_uuid', path: ['regions', i, 'region_uuid'], id: region.region_uuid }
    }
  }
  for (const game of games) yield* inGame(game)
  for (const [i, { id }] of (scenario.faults ?? []).entries()) {
    yield { scope: 'fault', path: ['faults', i, 'id'], id }
  }
  for (const [i, link] of (scenario.device_links ?? []).entries()) {
    yield { scope: 'device link', path: ['device_links', i, 'device_link_id'], id: link.device_link_id }
    yield { scope: 'token', path: ['device_links', i, 'token'], id: link.token }
    const path = ['device_links', i, 'cloud_token']
    // Beside a list of all bearers it is only what the device gets.
    yield { scope: scenario.bearer_tokens ? pathText(path) : 'token', path, id: link.cloud_token }
  }
  for (const [i, { token, development }] of (scenario.bearer_tokens ?? []).entries()) {
    const path = ['bearer_tokens', i]
    yield { scope: 'token', path: [...path, 'token'], id: token }
    yield* portsIn(development, [...path, 'development'])
  }
}

function* inGame({ path, names, given: { game_id, tokens }, namespaces }: PlacedGame): Generator<Nameable> {
  yield { scope: 'name of a game', path: [...path, 'name_id'], id: names.name_id }
  yield { scope: 'game', path: [...path, 'game_id'], id: game_id }
  yield { scope: 'token', path: [...path, 'tokens', 'cloud'], id: tokens?.cloud }
  for (const namespace of namespaces) {
    const scope = `name of a namespace of ${pathText(path)}`
    yield { scope, path: [...namespace.path, 'name_id'], id: namespace.names.name_id }
    yield* inNamespace(namespace)
  }
}

function* inNamespace({ path, given }: PlacedNamespace): Generator<Nameable> {
  const here = pathText(path)
  yield { scope: 'namespace', path: [...path, 'namespace_id'], id: given.namespace_id }
  yield { scope: 'token', path: [...path, 'tokens', 'public'], id: given.tokens?.public }
  yield { scope: 'token', path: [...path, 'tokens', 'development'], id: given.tokens?.development }
  for (const [i, domain] of (given.domains ?? []).entries()) {
    yield { scope: 'domain', path: [...path, 'domains', i], id: domain }
  }
  yield* portsIn(given.development, [...path, 'development'])
  for (const [i, mode] of (given.game_modes ?? []).entries()) {
    const at = [...path, 'game_modes', i]
    const [id, idPath] = typeof mode === 'string' ? [mode, at] : [mode.game_mode_id, [...at, 'game_mode_id']]
    yield { scope: `game mode of ${here}`, path: idPath, id }
    if (typeof mode !== 'string') yield* portsIn(mode.ports, [...at, 'ports'])
  }
  for (const [i, lobby] of (given.lobbies ?? []).entries()) {
    yield { scope: 'lobby', path: [...path, 'lobbies', i, 'lobby_id'], id: lobby.lobby_id }
    for (const [j, { token }] of (lobby.players ?? []).entries()) {
      yield { scope: 'token', path: [...path, 'lobbies', i, 'players', j, 'token'], id: token }
    }
  }
}

/** The ports of a game server, whose labels are its own. */
function* portsIn(server: ServerPortsEntry | undefined, path: Path): Generator<Nameable> {
  for (const [i, { label }] of (server?.lobby_ports ?? []).entries()) {
    yield { scope: `port of ${pathText(path)}`, path: [...path, 'lobby_ports', i, 'label'], id: label }
  }
}
