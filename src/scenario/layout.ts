import { type Path, pathText } from '../lib/issues.js'
import {
  defaultNames,
  type GameEntry,
  type NamespaceEntry,
  namesOf,
  namespaceKeys,
  type PlacedGame,
  type PlacedNamespace,
} from './games.js'
import { gameMode, type ServerPortsEntry } from './lobbies.js'
import { catalogue, type RegionEntry, regionIdOf } from './regions.js'
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

/** An id, a name or a token that a scenario gives. */
interface GivenId {
  /** No other id may be equal in the same scope: all tokens are of one scope, game modes of their namespace's. */
  readonly scope: string
  readonly path: Path
  readonly id: string
}

/** The place of an id, whether the scenario gives it or not. */
type IdPlace = Omit<GivenId, 'id'> & { readonly id: string | undefined }

/** All ids, names and tokens that a scenario gives, in its order. */
export function* givenIds(scenario: Scenario, layout: Layout): Generator<GivenId> {
  for (const { scope, path, id } of idPlaces(scenario, layout)) if (id !== undefined) yield { scope, path, id }
}

function* idPlaces(scenario: Scenario, { games }: Layout): Generator<IdPlace> {
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
    // If the scenario lists all bearer tokens, this is only what the device gets.
    yield { scope: scenario.bearer_tokens ? pathText(path) : 'token', path, id: link.cloud_token }
  }
  for (const [i, { token, development }] of (scenario.bearer_tokens ?? []).entries()) {
    const path = ['bearer_tokens', i]
    yield { scope: 'token', path: [...path, 'token'], id: token }
    yield* portsIn(development, [...path, 'development'])
  }
}

function* inGame({ path, names, given: { game_id, tokens }, namespaces }: PlacedGame): Generator<IdPlace> {
  yield { scope: 'name of a game', path: [...path, 'name_id'], id: names.name_id }
  yield { scope: 'game', path: [...path, 'game_id'], id: game_id }
  yield { scope: 'token', path: [...path, 'tokens', 'cloud'], id: tokens?.cloud }
  for (const namespace of namespaces) {
    const scope = `name of a namespace of ${pathText(path)}`
    yield { scope, path: [...namespace.path, 'name_id'], id: namespace.names.name_id }
    yield* inNamespace(namespace)
  }
}

function* inNamespace({ path, given }: PlacedNamespace): Generator<IdPlace> {
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

/** The labels of ports, which are unique in a game server. */
function* portsIn(server: ServerPortsEntry | undefined, path: Path): Generator<IdPlace> {
  for (const [i, { label }] of (server?.lobby_ports ?? []).entries()) {
    yield { scope: `port of ${pathText(path)}`, path: [...path, 'lobby_ports', i, 'label'], id: label }
  }
}
