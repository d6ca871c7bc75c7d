import type * as z from 'zod'
import type { Path } from '../lib/issues.js'
import { didYouMean, quoted } from '../lib/text.js'
import { countSeated } from '../store/inputs.js'
import {
  arrivesTooFast,
  arrivesTooFastMessage,
  catalogue,
  LobbyRow,
  mostPlayers,
  PlayerRow,
} from '../store/matchmaker-rows.js'
import {
  type BearerTokenEntry,
  type DeviceLinkEntry,
  namespaceKeys,
  type PlacedNamespace,
  simulationColumnsOf,
} from './entries.js'
import { givenIds, type Layout, layoutOf } from './layout.js'
import { type GameMode, type LobbyEntry, lobbyColumnsOf, modeOfLobby, type PlayerEntry } from './matchmaker-entries.js'
import { type Evidence, keyProblem, type Problem, problem } from './problems.js'
import { noNamespace, type Scenario } from './schema.js'

/** Finds what does not fit together in a scenario that its schema accepts. */
export function check(scenario: Scenario): Problem[] {
  const layout = layoutOf(scenario)
  const namespaces = layout.games.flatMap(game => game.namespaces)
  const gameNames = new Set(layout.games.map(game => game.names.name_id))
  const regionIds = new Set(layout.regionIds)
  return [
    ...checkMisplacedKeys(scenario),
    ...checkRepetitions(scenario, layout),
    ...checkCatalogueRegions(layout),
    ...checkReference({
      path: ['default_namespace'],
      id: scenario.default_namespace === noNamespace ? undefined : scenario.default_namespace,
      owner: 'namespace',
      known: new Set(namespaces.map(namespace => namespace.fullName)),
      evidence: { names: true },
    }),
    ...namespaces.flatMap(namespace => checkNamespace(namespace, regionIds)),
    ...(scenario.device_links ?? []).flatMap((link, i) => checkDeviceLink(link, ['device_links', i], gameNames)),
    ...checkBearerTokens(scenario, layout),
  ]
}

function checkMisplacedKeys(scenario: Scenario): Problem[] {
  if (!scenario.games) return []
  const misplaced = Object.keys(namespaceKeys).filter(key => Object.hasOwn(scenario, key))
  return misplaced.map(key =>
    keyProblem([key], show => {
      const right = show(['games', 0, 'namespaces', 0, key])
      return `is not allowed beside games. Move it to a namespace, as in ${right}.`
    }),
  )
}

/** Finds each id, name or token that a scenario gives twice. */
function checkRepetitions(scenario: Scenario, layout: Layout): Problem[] {
  const firsts = new Map<string, Map<string, Path>>()
  const problems: Problem[] = []
  for (const { scope, path, id } of givenIds(scenario, layout)) {
    const taken = firsts.get(scope) ?? new Map<string, Path>()
    firsts.set(scope, taken)
    const first = taken.get(id)
    if (!first) taken.set(id, path)
    else {
      const message = (show: (path: Path) => string) =>
        `is ${quoted(id)}, which ${show(first)} is already. Give each its own.`
      // Either may be a default in the place of a wrong value.
      problems.push(problem(path, message, { whole: [path, first] }))
    }
  }
  return problems
}

function checkCatalogueRegions({ regions }: Layout): Problem[] {
  const known = new Set(catalogue.map(region => region.region_id))
  return regions.flatMap((entry, i) => {
    const id = typeof entry === 'string' ? entry : undefined
    return checkReference({ path: ['regions', i], id, owner: 'region of the catalogue', known })
  })
}

/** All known ids: a `Set` of them, or a `Map` by them. */
type KnownIds = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>

/** Finds an id that nothing has. `owner` is the kind of record with such an id, for the message. */
function checkReference({
  path,
  id,
  owner,
  known,
  evidence,
}: {
  path: Path
  id: string | undefined
  owner: string
  known: KnownIds
  evidence?: Evidence
}): Problem[] {
  if (id === undefined || known.has(id)) return []
  const message = () => `is ${quoted(id)}, which no ${owner} has.${didYouMean(id, [...known.keys()])}`
  return [problem(path, message, evidence)]
}

function checkNamespace(namespace: PlacedNamespace, regionIds: KnownIds): Problem[] {
  const { path, given } = namespace
  const modeIndexes = new Map(
    (given.game_modes ?? []).map((mode, i) => [typeof mode === 'string' ? mode : mode.game_mode_id, i]),
  )
  return [
    ...checkModes(namespace, regionIds),
    ...(given.lobbies ?? []).flatMap((lobby, i) => {
      const place = { path: [...path, 'lobbies', i], namespace, regionIds, modeIndexes }
      return [...checkLobby(lobby, place), ...checkStatus(lobby, place.path)]
    }),
    ...checkSimulation(namespace),
    ...checkGenerate(namespace),
  ]
}

function checkModes({ path, given }: PlacedNamespace, known: KnownIds): Problem[] {
  return (given.game_modes ?? []).flatMap((mode, i) => {
    const ids = typeof mode === 'string' ? [] : (mode.regions ?? [])
    const at = [...path, 'game_modes', i, 'regions']
    return ids.flatMap((id, j) =>
      checkReference({ path: [...at, j], id, owner: 'region', known, evidence: { entries: [['regions']] } }),
    )
  })
}

interface LobbyPlace {
  readonly path: Path
  readonly namespace: PlacedNamespace
  readonly regionIds: KnownIds
  /** The positions of game modes in the list of the namespace, by id. */
  readonly modeIndexes: ReadonlyMap<string, number>
}

function checkLobby(lobby: LobbyEntry, place: LobbyPlace): Problem[] {
  const { path, namespace, regionIds } = place
  const at = [...path, 'region_id']
  const evidence = { entries: [['regions']] }
  const unknown = checkReference({ path: at, id: lobby.region_id, owner: 'region', known: regionIds, evidence })
  const mode = modeOfLobby(lobby, namespace.modes)
  if (!mode) return [...checkModeOfLobby(lobby, place), ...unknown]
  return [...(unknown.length > 0 ? unknown : checkEnabledRegion(lobby, mode, place)), ...checkSeats(lobby, mode, place)]
}

function checkModeOfLobby({ game_mode_id }: LobbyEntry, { path, namespace }: LobbyPlace): Problem[] {
  const at = [...path, 'game_mode_id']
  const entries = [[...namespace.path, 'game_modes']]
  if (game_mode_id === undefined) {
    const message = 'is missing, and the namespace has no game mode to be the default.'
    return [problem(at, message, { whole: [at], entries })]
  }
  const owner = 'game mode of the namespace'
  return checkReference({ path: at, id: game_mode_id, owner, known: namespace.modes, evidence: { entries } })
}

/** The evidence of a problem that concerns parts of a lobby and its game mode. */
function evidenceOfMode(mode: GameMode, { namespace, modeIndexes }: LobbyPlace, parts: readonly Path[]): Evidence {
  const modes = [...namespace.path, 'game_modes']
  return { whole: [...parts, [...modes, modeIndexes.get(mode.game_mode_id) ?? 0]], entries: [modes, ['regions']] }
}

function checkEnabledRegion({ region_id: id }: LobbyEntry, mode: GameMode, place: LobbyPlace): Problem[] {
  const { regions, game_mode_id } = mode
  if (id === undefined ? regions.length > 0 : regions.includes(id)) return []
  const at = [...place.path, 'region_id']
  const message = () =>
    id === undefined
      ? `is missing, and game mode ${game_mode_id} enables no region.`
      : `is ${quoted(id)}, which game mode ${game_mode_id} does not enable.${didYouMean(id, regions)}`
  return [problem(at, message, evidenceOfMode(mode, place, [[...place.path, 'game_mode_id'], at]))]
}

/** Finds a lobby with more players than seats, or with other counts than its players. */
function checkSeats(lobby: LobbyEntry, mode: GameMode, place: LobbyPlace): Problem[] {
  const columns = lobbyColumnsOf(lobby, mode, 'auto')
  const { total_player_count: total, reserved_player_count: reserved } = columns
  const connected = countSeated(lobby.players, 'connected')
  const most = mostPlayers(columns)
  const at = [...place.path, lobby.total_player_count === undefined ? 'players' : 'total_player_count']
  const found = (message: string) => [problem(at, message, evidenceOfMode(mode, place, [place.path]))]
  if (lobby.status === 'stopped' && total + reserved > 0)
    return found('counts players in a lobby that has stopped. Remove them, or change the status.')
  if (total < connected) return found(`is ${total}, below ${connected}, the connected players that players lists.`)
  if (total + reserved <= most) return []
  const besides = reserved > 0 ? ` with ${reserved} reserved` : ''
  const count = lobby.total_player_count === undefined ? `has ${total}` : `is ${total}`
  return found(`${count}${besides}, above ${most}, the most players that the lobby takes.`)
}

/** Finds keys of a lobby, or of its players, that belong to another status. */
function checkStatus(lobby: LobbyEntry, path: Path): Problem[] {
  const { status = 'ready', run_by, players = [] } = lobby
  const isPlayed = status === 'starting' && run_by === 'mock'
  const message = 'is mock, but a starting lobby waits for a server of its own. Write server, or remove it.'
  return [
    ...(isPlayed ? [problem([...path, 'run_by'], message, { whole: [path] })] : []),
    ...checkColumns(lobby, path, { kind: 'lobby', status, statuses: lobbyStatuses }),
    ...players.flatMap((player, i) => {
      const { status = 'connected' } = player
      return checkColumns(player, [...path, 'players', i], { kind: 'player', status, statuses: playerStatuses })
    }),
  ]
}

function checkColumns(
  entry: LobbyEntry | PlayerEntry,
  path: Path,
  { kind, status, statuses }: { kind: string; status: string; statuses: ReadonlyMap<string, readonly string[]> },
): Problem[] {
  return Object.keys(entry).flatMap(key => {
    const own = statuses.get(key)
    if (!own || own.includes(status)) return []
    const message = `needs a ${kind} with status ${own.join(' or ')}, and this one has ${status}. Remove it, or change the status.`
    return [keyProblem([...path, key], message, { whole: [[...path, 'status']] })]
  })
}

type RowOfStatus = z.ZodObject<{ status: z.ZodLiteral<string> }>

/** The statuses of the rows that have a column, for each column that not all rows have. */
function statusesByColumn(rows: readonly RowOfStatus[]): ReadonlyMap<string, readonly string[]> {
  const columns = new Set(rows.flatMap(row => Object.keys(row.shape)))
  const statuses = [...columns].map(column => {
    const having = rows.filter(row => Object.hasOwn(row.shape, column))
    return [column, having.map(row => row.shape.status.value)] as const
  })
  return new Map(statuses.filter(([, having]) => having.length < rows.length))
}
const lobbyStatuses = statusesByColumn(LobbyRow.options)
const playerStatuses = statusesByColumn(PlayerRow.options)

function checkSimulation({ path, given: { players }, modes }: PlacedNamespace): Problem[] {
  if (!players) return []
  const at = [...path, 'players']
  const unknown = Object.keys(players.modes ?? {}).filter(id => !modes.has(id))
  const found = unknown.map(id =>
    keyProblem([...at, 'modes', id], () => `is no game mode of the namespace.${didYouMean(id, [...modes.keys()])}`, {
      entries: [[...path, 'game_modes']],
    }),
  )
  if (!arrivesTooFast(simulationColumnsOf(players, 0))) return found
  return [...found, problem(at, `arrive too fast: ${arrivesTooFastMessage}.`, { whole: [at] })]
}

function checkGenerate({ path, given, modes }: PlacedNamespace): Problem[] {
  const count = given.generate?.lobbies ?? 0
  const isPossible = [...modes.values()].some(mode => mode.regions.length > 0)
  if (count === 0 || isPossible) return []
  const message = `is ${count}, but no game mode of the namespace enables a region. Add one to game_modes.`
  return [problem([...path, 'generate', 'lobbies'], message, { whole: [[...path, 'game_modes'], ['regions']] })]
}

function checkDeviceLink(
  link: DeviceLinkEntry,
  path: Path,
  gameNames: KnownIds & { readonly size: number },
): Problem[] {
  const { game, status } = link
  const at = [...path, 'game']
  const completes = status === 'complete' || link.completes_after !== undefined || link.completes_at !== undefined
  const isUnclear = game === undefined && completes && gameNames.size !== 1
  const message = () =>
    `is missing, and the scenario does not have exactly one game.${didYouMean('', [...gameNames.keys()])}`
  return [
    ...(isUnclear ? [problem(at, message, { whole: [path], names: true })] : []),
    ...checkReference({ path: at, id: game, owner: 'game', known: gameNames, evidence: { names: true } }),
    ...checkLinkStatus(link, path),
    ...checkMoment(link, path, ['completes_at', 'completes_after']),
    ...checkMoment(link, path, ['expires_at', 'expires_after']),
  ]
}

type LinkKey = keyof DeviceLinkEntry

/** The keys that belong to one status. */
const linkKeys: { readonly [Status in NonNullable<DeviceLinkEntry['status']>]: readonly LinkKey[] } = {
  pending: ['completes_after', 'completes_at'],
  complete: ['cloud_token'],
}

function checkLinkStatus(link: DeviceLinkEntry, path: Path): Problem[] {
  const { status = 'pending' } = link
  const needed = status === 'complete' ? 'pending' : 'complete'
  const useless = linkKeys[needed].filter(key => link[key] !== undefined)
  return useless.map(key =>
    problem(
      [...path, key],
      `needs a link with status ${needed}, and this one has ${status}. Remove it, or change the status.`,
      {
        whole: [[...path, 'status']],
      },
    ),
  )
}

/** Finds a link that says a time in both ways. */
function checkMoment(link: DeviceLinkEntry, path: Path, [at, after]: readonly [LinkKey, LinkKey]): Problem[] {
  if (link[at] === undefined || link[after] === undefined) return []
  return [problem([...path, at], show => `and ${show([...path, after])} set the same time. Keep one of them.`)]
}

/** Finds bearer tokens without their owners, and tokens that stand beside the list of all. */
function checkBearerTokens({ bearer_tokens, device_links = [] }: Scenario, { games }: Layout): Problem[] {
  if (!bearer_tokens) return []
  const namespaces = games.flatMap(game => game.namespaces)
  const owners = {
    game: new Set(games.map(game => game.names.name_id)),
    namespace: new Set(namespaces.map(namespace => namespace.fullName)),
  }
  const beside = [...games, ...namespaces].filter(({ given }) => given.tokens)
  return [
    ...beside.map(({ path }) =>
      keyProblem([...path, 'tokens'], 'is not allowed beside bearer_tokens, which lists all tokens. Move them there.'),
    ),
    ...device_links.flatMap(({ status, cloud_token }, i) => {
      if (status !== 'complete' || cloud_token !== undefined) return []
      const message =
        'is missing. bearer_tokens lists all tokens, so the mock creates none for the link. Name one of them.'
      return [problem(['device_links', i, 'cloud_token'], message, { whole: [['device_links', i]] })]
    }),
    ...bearer_tokens.flatMap((token, i) => checkBearerToken(token, ['bearer_tokens', i], owners)),
  ]
}

function checkBearerToken(
  token: BearerTokenEntry,
  path: Path,
  owners: Record<'game' | 'namespace', KnownIds>,
): Problem[] {
  const { kind } = token
  const [owner, other] = kind === 'cloud' ? (['game', 'namespace'] as const) : (['namespace', 'game'] as const)
  const id = token[owner]
  const at = [...path, owner]
  const missing = () => `is missing: a ${kind} token belongs to a ${owner}.${didYouMean('', [...owners[owner].keys()])}`
  const useless = [
    ...(token[other] === undefined
      ? []
      : [problem([...path, other], `is not allowed: a ${kind} token belongs to a ${owner}. Remove it.`)]),
    ...(token.development === undefined || kind === 'development'
      ? []
      : [problem([...path, 'development'], `needs a development token, and this is a ${kind} token. Remove it.`)]),
  ]
  return [
    ...(id === undefined ? [problem(at, missing, { whole: [path] })] : []),
    ...checkReference({ path: at, id, owner, known: owners[owner], evidence: { names: true } }),
    ...useless,
  ]
}
