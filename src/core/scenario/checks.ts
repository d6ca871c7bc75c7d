import * as z from 'zod'
import { type Path, pathText } from '../lib/issues.js'
import { isJsonObject } from '../lib/json.js'
import { didYouMean, quoted } from '../lib/messages.js'
import { formatDuration } from '../lib/time.js'
import { countSeated } from '../store/inputs.js'
import { mostPlayers } from '../store/lobby-rules.js'
import {
  arrivesTooFast,
  arrivesTooFastMessage,
  catalogue,
  catalogueRegion,
  expectedSession,
  LobbyRow,
  lobbyDefaults,
  PlayerRow,
  playerDefaults,
  sessionLimits,
} from '../store/matchmaker-rows.js'
import { models } from '../store/models.js'
import { DeviceLinkRow, deviceLinkDefaults, type TableName, TokenRow } from '../store/rows.js'
import { tableNames } from '../store/table-names.js'
import { type DeviceLinkEntry, hasBots, namespaceKeys, type PlacedNamespace, simulationColumnsOf } from './entries.js'
import { givenIds, type Layout, layoutOf, placedEntries } from './layout.js'
import {
  type GameMode,
  type LobbyEntry,
  lobbyColumnsOf,
  modeOfLobby,
  type ServerPortsEntry,
} from './matchmaker-entries.js'
import type { Scenario } from './schema.js'

/** The part of a message after the path. Only shown problems are written: there may be thousands. */
type Message = string | (() => string)

/** A mistake in a scenario. */
export interface Problem {
  readonly path: Path
  /** The mistake is the key at the path, or its value. */
  readonly at: 'key' | 'value'
  /** Returns a sentence that begins with the path. */
  text(): string
}

/** A problem with the value at a path, or with a key: it must not be there. */
export function problem(path: Path, message: Message, at: Problem['at'] = 'value'): Problem {
  return { path, at, text: () => `${pathText(path)} ${typeof message === 'string' ? message : message()}` }
}

/** Finds contradictions in a scenario that its schema accepts. */
export function* check(scenario: Scenario): Generator<Problem> {
  const layout = layoutOf(scenario)
  const regionIds = new Set(layout.regionIds)
  yield* checkMisplacedKeys(scenario)
  yield* checkRepetitions(scenario, layout)
  yield* checkReferences(scenario, layout)
  yield* checkCatalogueRegions(layout)
  for (const { namespaces } of layout.games)
    for (const namespace of namespaces) yield* checkNamespace(namespace, regionIds)
  for (const [i, link] of (scenario.device_links ?? []).entries())
    yield* checkDeviceLink(link, ['device_links', i], layout)
  yield* checkBearerTokens(scenario, layout)
  for (const [i, { region }] of (scenario.faults ?? []).entries())
    if (region !== undefined && !regionIds.has(region))
      yield problem(
        ['faults', i, 'region'],
        () => `is ${quoted(region)}, which no region has.${didYouMean(region, layout.regionIds)}`,
      )
}

/** Finds keys with an old name. They work. */
export function* oldKeys(scenario: Scenario): Generator<Problem> {
  for (const { namespaces } of layoutOf(scenario).games)
    for (const { path, given } of namespaces)
      if (given.matchmaker?.max_players !== undefined)
        yield problem([...path, 'matchmaker', 'max_players'], 'has a new name: write max_players_per_client.', 'key')
}

function* checkMisplacedKeys(scenario: Scenario): Generator<Problem> {
  if (!scenario.games) return
  for (const key of Object.keys(namespaceKeys).filter(key => Object.hasOwn(scenario, key))) {
    const place = pathText(['games', 0, 'namespaces', 0, key])
    yield problem([key], `is not allowed beside games. Move it to a namespace, as in ${place}.`, 'key')
  }
}

function* checkRepetitions(scenario: Scenario, layout: Layout): Generator<Problem> {
  const firsts = new Map<string, Map<string, Path>>()
  for (const { scope, path, id } of givenIds(scenario, layout)) {
    const taken = firsts.get(scope) ?? new Map<string, Path>()
    firsts.set(scope, taken)
    const first = taken.get(id)
    if (!first) taken.set(id, path)
    else yield problem(path, () => `is ${quoted(id)}, which ${pathText(first)} is already. Give each its own.`)
  }
}

/** The keys of entries that refer to other entries, with the tables of those, by table. */
const referenceKeys = new Map(
  tableNames.map(name => {
    const keys = models[name].references.map(({ column, table }) => [keyOfReference(column, table), table] as const)
    return [name, new Map(keys)]
  }),
)

function keyOfReference(column: string, table: TableName): string {
  return table === 'games' || table === 'namespaces' ? column.replace(/^.*\./, '').replace(/_id$/, '') : column
}

function* checkReferences(scenario: Scenario, layout: Layout): Generator<Problem> {
  const namespaces = layout.games.flatMap(game => game.namespaces)
  const ofScenario: { readonly [Name in TableName]?: KnownIds } = {
    games: new Set(layout.games.map(game => game.names.name_id)),
    namespaces: new Set(namespaces.map(namespace => namespace.fullName)),
    regions: new Set(layout.regionIds),
  }
  for (const { table, path, entry, namespace } of placedEntries(scenario, layout)) {
    if (!isJsonObject(entry)) continue
    for (const [key, target] of referenceKeys.get(table) ?? []) {
      if (entry[key] === undefined) continue
      const known = ofScenario[target] ?? namespace?.modes ?? new Set()
      const owner = `${models[target].singular}${ofScenario[target] ? '' : ' of the namespace'}`
      for (const { id, path: place, at } of idsIn(entry[key], [...path, key])) {
        if (known.has(id)) continue
        const found = () => (at === 'key' ? `is no ${owner}` : `is ${quoted(id)}, which no ${owner} has`)
        yield problem(place, () => `${found()}.${didYouMean(id, [...known.keys()])}`, at)
      }
    }
  }
}

/** All known ids: a `Set` of them, or a `Map` by them. */
type KnownIds = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>

function idsIn(value: unknown, path: Path): { readonly id: string; readonly path: Path; readonly at: Problem['at'] }[] {
  if (typeof value === 'string') return [{ id: value, path, at: 'value' }]
  if (Array.isArray(value)) return value.flatMap((inner, i) => idsIn(inner, [...path, i]))
  return isJsonObject(value) ? Object.keys(value).map(id => ({ id, path: [...path, id], at: 'key' })) : []
}

function* checkCatalogueRegions({ regions }: Layout): Generator<Problem> {
  for (const [i, entry] of regions.entries()) {
    if (typeof entry !== 'string' || catalogueRegion(entry)) continue
    const known = catalogue.map(region => region.region_id)
    yield problem(
      ['regions', i],
      () => `is ${quoted(entry)}, which no region of the catalogue has.${didYouMean(entry, known)}`,
    )
  }
}

function* checkNamespace(namespace: PlacedNamespace, regionIds: ReadonlySet<string>): Generator<Problem> {
  const { path, given, modes } = namespace
  yield* checkHost(given.development, [...path, 'development'])
  for (const [i, mode] of (given.game_modes ?? []).entries())
    if (typeof mode !== 'string') yield* checkHost(mode.ports, [...path, 'game_modes', i, 'ports'])
  for (const [i, lobby] of (given.lobbies ?? []).entries())
    yield* checkLobby(lobby, [...path, 'lobbies', i], { modes, regionIds })
  yield* checkPlayers(namespace)
  yield* checkGenerate(namespace)
}

function* checkHost(server: ServerPortsEntry | undefined, path: Path): Generator<Problem> {
  const { hostname } = server ?? {}
  if (hostname === undefined) return
  const at = [...path, 'hostname']
  const isGiven = `is ${quoted(hostname)}`
  const unknown = [...hostname.matchAll(/\{([^{}]*)\}/g)].find(([, name = '']) => !hostFields.includes(name))
  if (/^[^:]*:\d+$|\]:\d+$/.test(hostname))
    yield problem(at, `${isGiven}, which has a port. Write the host alone, and the port in lobby_ports.`)
  else if (/[\s/]/.test(hostname))
    yield problem(at, `${isGiven}, which is no host. Write a name or an address: play.example.com.`)
  else if (unknown)
    yield problem(at, `${isGiven}, and the mock fills in no ${unknown[0]}.${didYouMean(unknown[1] ?? '', hostFields)}`)
}

const hostFields = ['lobby_id', 'region_id', 'label']

function* checkLobby(
  lobby: LobbyEntry,
  path: Path,
  { modes, regionIds }: Pick<PlacedNamespace, 'modes'> & { regionIds: ReadonlySet<string> },
): Generator<Problem> {
  const mode = modeOfLobby(lobby, modes)
  const { status, run_by, players = [] } = lobby
  if (mode) {
    yield* checkEnabledRegion(lobby, mode, { path, regionIds })
    yield* checkSeats(lobby, mode, path)
  } else if (lobby.game_mode_id === undefined)
    yield problem([...path, 'game_mode_id'], 'is missing, and the namespace has no game mode to be the default.')
  if (status === 'starting' && (run_by === 'mock' || run_by === 'none')) {
    const message = `is ${run_by}, but a starting lobby waits for a server of its own. Write server, or remove it.`
    yield problem([...path, 'run_by'], message)
  }
  yield* checkVariant(lobby, path, lobbyVariants)
  for (const [i, player] of players.entries()) yield* checkVariant(player, [...path, 'players', i], playerVariants)
}

function* checkEnabledRegion(
  { region_id: id }: LobbyEntry,
  { regions, game_mode_id }: GameMode,
  { path, regionIds }: { path: Path; regionIds: ReadonlySet<string> },
): Generator<Problem> {
  if (id === undefined ? regions.length > 0 : regions.includes(id) || !regionIds.has(id)) return
  // The mode has its own mistake. It may mean this region.
  if (regions.some(region => !regionIds.has(region))) return
  const message = () =>
    id === undefined
      ? `is missing, and game mode ${game_mode_id} enables no region.`
      : `is ${quoted(id)}, which game mode ${game_mode_id} does not enable.${didYouMean(id, regions)}`
  yield problem([...path, 'region_id'], message)
}

function* checkSeats(lobby: LobbyEntry, mode: GameMode, path: Path): Generator<Problem> {
  const columns = lobbyColumnsOf(lobby, mode, 'auto')
  const { total_player_count: total, reserved_player_count: reserved } = columns
  const connected = countSeated(lobby.players, 'connected')
  const most = mostPlayers(columns)
  const at = [...path, lobby.total_player_count === undefined ? 'players' : 'total_player_count']
  if (lobby.status === 'stopped' && total + reserved > 0)
    yield problem(at, 'counts players in a lobby that has stopped. Remove them, or change the status.')
  else if (total < connected)
    yield problem(at, `is ${total}, below ${connected}, the connected players that players lists.`)
  else if (total + reserved > most) {
    const besides = reserved > 0 ? ` with ${reserved} reserved` : ''
    const count = lobby.total_player_count === undefined ? `has ${total}` : `is ${total}`
    yield problem(at, `${count}${besides}, above ${most}, the most players that the lobby takes.`)
  }
}

/** Lists the keys that only some statuses or kinds of a row allow. `keys`: those that stand for a column. */
function variantsOf(
  table: TableName,
  row: z.ZodDiscriminatedUnion<readonly z.ZodObject[]>,
  { defaultValue, keys = {} }: { defaultValue?: string; keys?: Readonly<Record<string, readonly string[]>> },
) {
  const { discriminator } = row.def
  const { singular, columns } = models[table]
  const allowed = Object.keys(columns).flatMap((column): [string, string[]][] => {
    const having = row.options.filter(({ shape }) => Object.hasOwn(shape, column))
    if (having.length === row.options.length) return []
    const values = having.flatMap(({ shape: { [discriminator]: literal } }) =>
      literal instanceof z.ZodLiteral ? [String(literal.value)] : [],
    )
    return (keys[column] ?? [column]).map(key => [key, values])
  })
  return { singular, discriminator, defaultValue, allowed: new Map(allowed) }
}

const lobbyVariants = variantsOf('lobbies', LobbyRow, { defaultValue: lobbyDefaults.status })
const playerVariants = variantsOf('players', PlayerRow, { defaultValue: playerDefaults.status })
const linkVariants = variantsOf('deviceLinks', DeviceLinkRow, {
  defaultValue: deviceLinkDefaults.status,
  // A pending link may name the game that it will be completed for.
  keys: { completes: ['completes_after', 'completes_at'], game_id: [] },
})
const tokenVariants = variantsOf('tokens', TokenRow, { keys: { namespace_id: ['namespace'], game_id: ['game'] } })

function* checkVariant(
  entry: object,
  path: Path,
  { singular, discriminator, defaultValue, allowed }: ReturnType<typeof variantsOf>,
): Generator<Problem> {
  const given = new Map<string, unknown>(Object.entries(entry))
  const value = given.get(discriminator) ?? defaultValue
  for (const key of given.keys()) {
    const own = allowed.get(key)
    if (!own || own.some(other => other === value)) continue
    const needed = `a ${singular} with ${discriminator} ${own.join(' or ')}`
    const message = `needs ${needed}, and this one has ${value}. Remove it, or change the ${discriminator}.`
    yield problem([...path, key], message, 'key')
  }
}

function* checkPlayers(namespace: PlacedNamespace): Generator<Problem> {
  const { path, given } = namespace
  const { players } = given
  if (hasBots(players)) yield* checkBots(namespace)
  else if (players?.find) {
    const message = 'gives seats to bots, and no command starts any. Add one, such as command: ./client --bot.'
    yield problem([...path, 'players', 'find'], message, 'key')
  } else if (players?.session !== undefined && players.session < sessionLimits.min)
    yield problem([...path, 'players', 'session'], `is ${formatDuration(players.session)}: ${expectedSession}.`)
  else if (players && arrivesTooFast(simulationColumnsOf(players, 0)))
    yield problem([...path, 'players'], `arrive too fast: ${arrivesTooFastMessage}.`)
}

/** The keys of simulated players that bots do not have. */
const simulatedKeys = ['began_at', 'settled', 'next_step_at'] as const

function* checkBots({ path, given: { players = {} }, modes }: PlacedNamespace): Generator<Problem> {
  const { concurrent = 0, find = false } = players
  const at = (key: string) => [...path, 'players', key]
  for (const key of simulatedKeys)
    if (players[key] !== undefined)
      yield problem(at(key), 'is for simulated players, and command starts bots. Remove it.', 'key')
  if (!Number.isInteger(concurrent))
    yield problem(at('concurrent'), `is ${concurrent}: expected a whole number of bots.`)
  if (!find && players.modes) {
    const message = 'says where bots get seats, and they get none. Add find: true, or remove modes.'
    yield problem(at('modes'), message, 'key')
  }
  if (find && !hasRegion(modes)) yield problem(at('find'), `is true, ${noRegion}`)
}

function* checkGenerate({ path, given, modes }: PlacedNamespace): Generator<Problem> {
  const count = given.generate?.lobbies ?? 0
  if (count > 0 && !hasRegion(modes)) yield problem([...path, 'generate', 'lobbies'], `is ${count}, ${noRegion}`)
}

const noRegion = 'but no game mode of the namespace enables a region. Add one to game_modes.'

function hasRegion(modes: PlacedNamespace['modes']): boolean {
  return [...modes.values()].some(mode => mode.regions.length > 0)
}

function* checkDeviceLink(link: DeviceLinkEntry, path: Path, { games }: Layout): Generator<Problem> {
  const { game, status } = link
  const completes = status === 'complete' || link.completes_after !== undefined || link.completes_at !== undefined
  const names = () => didYouMean('', [...new Set(games.map(one => one.names.name_id))])
  if (game === undefined && completes && games.length !== 1)
    yield problem([...path, 'game'], () => `is missing, and the scenario does not have exactly one game.${names()}`)
  yield* checkVariant(link, path, linkVariants)
  yield* checkMoment(link, path, ['completes_at', 'completes_after'])
  yield* checkMoment(link, path, ['expires_at', 'expires_after'])
}

type LinkKey = keyof DeviceLinkEntry

function* checkMoment(link: DeviceLinkEntry, path: Path, [at, after]: readonly [LinkKey, LinkKey]): Generator<Problem> {
  if (link[at] !== undefined && link[after] !== undefined)
    yield problem([...path, at], `and ${pathText([...path, after])} set the same time. Keep one of them.`)
}

function* checkBearerTokens({ bearer_tokens, device_links = [] }: Scenario, { games }: Layout): Generator<Problem> {
  if (!bearer_tokens) return
  const namespaces = games.flatMap(game => game.namespaces)
  const owners = {
    game: games.map(game => game.names.name_id),
    namespace: namespaces.map(namespace => namespace.fullName),
  }
  for (const { path, given } of [...games, ...namespaces]) {
    const message = 'is not allowed beside bearer_tokens, which lists all tokens. Move them there.'
    if (given.tokens) yield problem([...path, 'tokens'], message, 'key')
  }
  for (const [i, { status, cloud_token }] of device_links.entries()) {
    const message =
      'is missing. bearer_tokens lists all tokens, so the mock creates none for the link. Name one of them.'
    if (status === 'complete' && cloud_token === undefined) yield problem(['device_links', i, 'cloud_token'], message)
  }
  for (const [i, token] of bearer_tokens.entries()) {
    const owner = token.kind === 'cloud' ? 'game' : 'namespace'
    const path = ['bearer_tokens', i]
    const message = () => `is missing: a ${token.kind} token belongs to a ${owner}.${didYouMean('', owners[owner])}`
    if (token[owner] === undefined) yield problem([...path, owner], message)
    yield* checkVariant(token, path, tokenVariants)
  }
}
