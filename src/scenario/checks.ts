import { didYouMean } from '../lib/did-you-mean.js'
import type { Path } from '../lib/issues.js'
import { quoted } from '../lib/quote.js'
import { mostPlayers } from '../store/lobby-row.js'
import { isRush, rush } from '../store/simulation-row.js'
import { namespaceKeys, simulationOf } from './games.js'
import { type Layout, layoutOf, namedIn, type PlacedNamespace } from './layout.js'
import { countOf, type LobbyEntry, lobbyOf, type Mode, modeOfLobby, type PlayerEntry } from './lobbies.js'
import { keyProblem, type Problem, problem, type Reliance } from './problems.js'
import { catalogue } from './regions.js'
import { noNamespace, type Scenario } from './schema.js'
import type { BearerTokenEntry, DeviceLinkEntry } from './tokens.js'

/** All that does not fit together in a scenario whose shape is right. */
export function check(scenario: Scenario): Problem[] {
  const layout = layoutOf(scenario)
  const namespaces = layout.games.flatMap(game => game.namespaces)
  const gameNames = new Set(layout.games.map(game => game.names.name_id))
  const regionIds = new Set(layout.regionIds)
  return [
    ...misplacedKeys(scenario),
    ...repetitions(scenario, layout),
    ...checkRegions(layout),
    ...checkReference({
      path: ['default_namespace'],
      id: scenario.default_namespace === noNamespace ? undefined : scenario.default_namespace,
      owner: 'namespace',
      known: new Set(namespaces.map(namespace => namespace.fullName)),
      reliesOn: { names: true },
    }),
    ...namespaces.flatMap(namespace => checkNamespace(namespace, regionIds)),
    ...(scenario.device_links ?? []).flatMap((link, i) =>
      checkDeviceLink(link, { path: ['device_links', i], gameNames }),
    ),
    ...checkBearerTokens(scenario, layout),
  ]
}

function misplacedKeys(scenario: Scenario): Problem[] {
  if (!scenario.games) return []
  const misplaced = Object.keys(namespaceKeys).filter(key => Object.hasOwn(scenario, key))
  return misplaced.map(key =>
    keyProblem([key], show => {
      const right = show(['games', 0, 'namespaces', 0, key])
      return `stands beside games: it belongs to a namespace, as in ${right}.`
    }),
  )
}

function checkRegions({ regions }: Layout): Problem[] {
  const known = new Set(catalogue.map(region => region.region_id))
  return regions.flatMap((entry, i) => {
    const id = typeof entry === 'string' ? entry : undefined
    return checkReference({ path: ['regions', i], id, owner: 'region of the catalogue', known })
  })
}

/** What does not fit in a namespace. `regionIds` are those of the scenario. */
function checkNamespace(namespace: PlacedNamespace, regionIds: KnownIds): Problem[] {
  const { path, given } = namespace
  return [
    ...checkModes(namespace, regionIds),
    ...(given.lobbies ?? []).flatMap((lobby, i) =>
      checkLobby(lobby, { path: [...path, 'lobbies', i], namespace, regionIds }),
    ),
    ...(given.lobbies ?? []).flatMap((lobby, i) => checkStatus(lobby, [...path, 'lobbies', i])),
    ...checkPlayers(namespace),
    ...checkRush(namespace),
    ...checkGenerate(namespace),
  ]
}

function checkModes({ path, given }: PlacedNamespace, known: KnownIds): Problem[] {
  return (given.game_modes ?? []).flatMap((mode, i) => {
    const ids = typeof mode === 'string' ? [] : (mode.regions ?? [])
    const at = [...path, 'game_modes', i, 'regions']
    return ids.flatMap((id, j) =>
      checkReference({ path: [...at, j], id, owner: 'region', known, reliesOn: { entries: [['regions']] } }),
    )
  })
}

interface LobbyPlace {
  readonly path: Path
  readonly namespace: PlacedNamespace
  readonly regionIds: KnownIds
}

function checkLobby(lobby: LobbyEntry, { path, namespace, regionIds }: LobbyPlace): Problem[] {
  const mode = modeOfLobby(lobby, namespace.modes)
  const id = lobby.region_id
  const unknownRegion = checkReference({
    path: [...path, 'region_id'],
    id,
    owner: 'region',
    known: regionIds,
    reliesOn: { entries: [['regions']] },
  })
  if (!mode) return [...modeProblem(lobby, { path, namespace }), ...unknownRegion]
  const regionProblem = unknownRegion.length > 0 ? unknownRegion : checkEnabled(id, { path, mode, namespace })
  return [...regionProblem, ...checkSeats(lobby, { path, mode, reliesOn: onMode(mode, namespace, [path]) })]
}

function modeProblem(
  { game_mode_id }: LobbyEntry,
  { path, namespace }: Pick<LobbyPlace, 'path' | 'namespace'>,
): Problem[] {
  const at = [...path, 'game_mode_id']
  const entries = [[...namespace.path, 'game_modes']]
  if (game_mode_id === undefined) {
    const said = 'is missing, and the namespace has no game mode to be the default.'
    return [problem(at, said, { whole: [at], entries })]
  }
  const owner = 'game mode of the namespace'
  return checkReference({ path: at, id: game_mode_id, owner, known: namespace.modes, reliesOn: { entries } })
}

interface InMode {
  readonly path: Path
  readonly mode: Mode
  readonly namespace: PlacedNamespace
}

/** What a problem relies on that concerns parts of a lobby and its game mode. */
function onMode({ game_mode_id }: Mode, namespace: PlacedNamespace, parts: readonly Path[]): Reliance {
  const modes = [...namespace.path, 'game_modes']
  const i = (namespace.given.game_modes ?? []).findIndex(
    entry => (typeof entry === 'string' ? entry : entry.game_mode_id) === game_mode_id,
  )
  return { whole: [...parts, [...modes, i]], entries: [modes, ['regions']] }
}

function checkEnabled(id: string | undefined, { path, mode, namespace }: InMode): Problem[] {
  const { regions, game_mode_id } = mode
  const at = [...path, 'region_id']
  if (id === undefined ? regions.length > 0 : regions.includes(id)) return []
  const said = () =>
    id === undefined
      ? `is missing, and game mode ${game_mode_id} enables no region.`
      : `is ${quoted(id)}, which game mode ${game_mode_id} does not enable.${didYouMean(id, regions)}`
  return [problem(at, said, onMode(mode, namespace, [[...path, 'game_mode_id'], at]))]
}

function checkPlayers({ path, given, modes }: PlacedNamespace): Problem[] {
  const unknown = Object.keys(given.players?.modes ?? {}).filter(id => !modes.has(id))
  return unknown.map(id =>
    keyProblem(
      [...path, 'players', 'modes', id],
      () => `is no game mode of the namespace.${didYouMean(id, [...modes.keys()])}`,
      { entries: [[...path, 'game_modes']] },
    ),
  )
}

function checkRush({ path, given: { players } }: PlacedNamespace): Problem[] {
  const isTooMuch = players !== undefined && isRush(simulationOf(players, 0))
  if (!isTooMuch) return []
  const at = [...path, 'players']
  return [problem(at, `asks for too many at once: ${rush}.`, { whole: [at] })]
}

function checkGenerate({ path, given, modes }: PlacedNamespace): Problem[] {
  const count = given.generate?.lobbies ?? 0
  const usable = [...modes.values()].some(mode => mode.regions.length > 0)
  if (count === 0 || usable) return []
  const said = `is ${count}, but no game mode of the namespace enables a region. Add one to game_modes.`
  return [problem([...path, 'generate', 'lobbies'], said, { whole: [[...path, 'game_modes'], ['regions']] })]
}

/** The seats of a lobby that do not fit: more than it takes, or other ones than its players have. */
function checkSeats(
  lobby: LobbyEntry,
  { path, mode, reliesOn }: { readonly path: Path; readonly mode: Mode; readonly reliesOn: Reliance },
): Problem[] {
  const { total_player_count, reserved_player_count, ...rest } = lobbyOf(lobby, mode)
  const connected = countOf(lobby.players, 'connected')
  const most = mostPlayers(rest)
  const at = [...path, lobby.total_player_count === undefined ? 'players' : 'total_player_count']
  if (lobby.status === 'stopped' && total_player_count + reserved_player_count > 0)
    return [problem(at, 'gives players seats in a lobby that has stopped. Nobody is in it any more.', reliesOn)]
  if (total_player_count < connected)
    return [
      problem(at, `is ${total_player_count}, below ${connected}, the connected players that players lists.`, reliesOn),
    ]
  if (total_player_count + reserved_player_count <= most) return []
  const reserved = reserved_player_count > 0 ? ` with ${reserved_player_count} reserved` : ''
  const said = lobby.total_player_count === undefined ? `has ${total_player_count}` : `is ${total_player_count}`
  return [problem(at, `${said}${reserved}, above ${most}, the most players that the lobby takes.`, reliesOn)]
}

/** What a lobby or one of its players says that does not go with its status. */
function checkStatus(lobby: LobbyEntry, path: Path): Problem[] {
  const { status = 'ready', run_by, players = [] } = lobby
  const isPlayed = status === 'starting' && run_by === 'mock'
  return [
    ...(isPlayed
      ? [
          problem([...path, 'run_by'], 'is mock, and a lobby that is starting waits for a server of its own.', {
            whole: [path],
          }),
        ]
      : []),
    ...senseless(lobby, { path, status, kind: 'lobby', meant: lobbyTimes }),
    ...players.flatMap((player, i) => {
      const { status = 'connected' } = player
      return senseless(player, { path: [...path, 'players', i], status, kind: 'player', meant: playerTimes })
    }),
  ]
}

/** To lobbies of which statuses a time means something. */
const lobbyTimes = { ready_by: ['starting'], stops_at: ['starting', 'ready'], forgotten_at: ['stopped'] } satisfies {
  readonly [Key in keyof LobbyEntry]?: readonly LobbyEntry['status'][]
}

/** To players of which statuses. */
const playerTimes = {
  expires_at: ['reserved'],
  connects_at: ['reserved'],
  leaves_at: ['connected'],
  removes_at: ['reserved', 'connected'],
  forgotten_at: ['expired', 'removed'],
} satisfies { readonly [Key in keyof PlayerEntry]?: readonly PlayerEntry['status'][] }

interface Meant {
  readonly path: Path
  readonly status: string
  readonly kind: 'lobby' | 'player'
  readonly meant: Readonly<Record<string, readonly string[]>>
}

function senseless(entry: object, { path, status, kind, meant }: Meant): Problem[] {
  return Object.entries(meant).flatMap(([key, statuses]): Problem[] => {
    if (!Object.hasOwn(entry, key) || statuses.includes(status)) return []
    const said = `is of no use to a ${kind} whose status is ${status}, only to one that is ${statuses.join(' or ')}.`
    return [keyProblem([...path, key], said, { whole: [[...path, 'status']] })]
  })
}

interface LinkPlace {
  readonly path: Path
  readonly gameNames: KnownIds & { readonly size: number }
}

/** What does not fit in a device link. */
function checkDeviceLink(link: DeviceLinkEntry, { path, gameNames }: LinkPlace): Problem[] {
  const { game, status } = link
  const at = [...path, 'game']
  const completes = status === 'complete' || link.completes_after !== undefined || link.completes_at !== undefined
  const unclear = game === undefined && completes && gameNames.size !== 1
  return [
    ...(unclear
      ? [
          problem(at, () => `is missing, and there is not one game alone.${didYouMean('', [...gameNames.keys()])}`, {
            whole: [path],
            names: true,
          }),
        ]
      : []),
    ...checkReference({ path: at, id: game, owner: 'game', known: gameNames, reliesOn: { names: true } }),
    ...checkLinkStatus(link, path),
    ...checkMoment(link, { path, keys: ['completes_at', 'completes_after'] }),
    ...checkMoment(link, { path, keys: ['expires_at', 'expires_after'] }),
  ]
}

type LinkKey = keyof DeviceLinkEntry

/** The keys that say nothing of a link with the other status. */
const keysOf: { readonly [Status in NonNullable<DeviceLinkEntry['status']>]: readonly LinkKey[] } = {
  pending: ['completes_after', 'completes_at'],
  complete: ['cloud_token'],
}

function checkLinkStatus(link: DeviceLinkEntry, path: Path): Problem[] {
  const { status = 'pending' } = link
  const useless = keysOf[status === 'complete' ? 'pending' : 'complete'].filter(key => link[key] !== undefined)
  const remedy = status === 'complete' ? 'Drop one of the two.' : 'Say status: complete, or drop it.'
  return useless.map(key =>
    problem([...path, key], `is of no use to a link whose status is ${status}. ${remedy}`, {
      whole: [[...path, 'status']],
    }),
  )
}

interface MomentPlace {
  readonly path: Path
  /** Two ways to say it. */
  readonly keys: readonly [LinkKey, LinkKey]
}

function checkMoment(link: DeviceLinkEntry, { path, keys }: MomentPlace): Problem[] {
  const [at, after] = keys
  if (link[at] === undefined || link[after] === undefined) return []
  return [problem([...path, at], show => `stands beside ${show([...path, after])}: say it in one of the two ways.`)]
}

/** Whose bearer tokens can be, by name. */
interface Owners {
  readonly game: KnownIds
  readonly namespace: KnownIds
}

/** What does not fit in the list of bearer tokens, and what stands beside it although the list is all of them. */
function checkBearerTokens({ bearer_tokens, device_links = [] }: Scenario, { games }: Layout): Problem[] {
  if (!bearer_tokens) return []
  const namespaces = games.flatMap(game => game.namespaces)
  const owners = {
    game: new Set(games.map(game => game.names.name_id)),
    namespace: new Set(namespaces.map(namespace => namespace.fullName)),
  }
  return [
    ...[...games, ...namespaces].flatMap(({ path, given }) => (given.tokens ? [besideList([...path, 'tokens'])] : [])),
    ...device_links.flatMap(({ status, cloud_token }, i) =>
      status === 'complete' && cloud_token === undefined
        ? [
            problem(
              ['device_links', i, 'cloud_token'],
              'is missing: beside bearer_tokens none is minted for the link.',
              { whole: [['device_links', i]] },
            ),
          ]
        : [],
    ),
    ...bearer_tokens.flatMap((token, i) => checkOwner(token, { path: ['bearer_tokens', i], owners })),
  ]
}

function besideList(path: Path): Problem {
  return keyProblem(path, 'stands beside bearer_tokens, which is the list of all tokens: move them there.')
}

interface TokenPlace {
  readonly path: Path
  readonly owners: Owners
}

function checkOwner(token: BearerTokenEntry, { path, owners }: TokenPlace): Problem[] {
  const { kind } = token
  const [owner, other] = kind === 'cloud' ? (['game', 'namespace'] as const) : (['namespace', 'game'] as const)
  const id = token[owner]
  const at = [...path, owner]
  const missing = () => `is missing: a ${kind} token is of a ${owner}.${didYouMean('', [...owners[owner].keys()])}`
  return [
    ...(id === undefined ? [problem(at, missing, { whole: [path] })] : []),
    ...checkReference({ path: at, id, owner, known: owners[owner], reliesOn: { names: true } }),
    ...(token[other] === undefined
      ? []
      : [problem([...path, other], `is of no use to a ${kind} token, which is of a ${owner}. Drop it.`)]),
    ...(token.development === undefined || kind === 'development'
      ? []
      : [
          problem(
            [...path, 'development'],
            `is of no use to a ${kind} token: only a development token has one. Drop it.`,
          ),
        ]),
  ]
}

/** Each id, name or token that a scenario gives twice. */
function repetitions(scenario: Scenario, layout: Layout): Problem[] {
  const firsts = new Map<string, Map<string, Path>>()
  const problems: Problem[] = []
  for (const { scope, path, id } of namedIn(scenario, layout)) {
    const taken = firsts.get(scope) ?? new Map<string, Path>()
    firsts.set(scope, taken)
    const first = taken.get(id)
    if (!first) taken.set(id, path)
    else {
      const said = (show: (path: Path) => string) =>
        `is ${quoted(id)}, which ${show(first)} is already. Give each its own.`
      // Either may be a default in the place of what was wrong.
      problems.push(problem(path, said, { whole: [path, first] }))
    }
  }
  return problems
}

/** The ids that there are: a `Set` of them, or a `Map` by them. */
type KnownIds = Pick<ReadonlyMap<string, unknown>, 'has' | 'keys'>

/** An id that a scenario refers to, and who could have it. */
interface Reference {
  readonly path: Path
  /** Absent where the scenario does not say. */
  readonly id: string | undefined
  readonly owner: string
  readonly known: KnownIds
  /** The parts that the known ids come from. Default: none that can be wrong. */
  readonly reliesOn?: Reliance
}

/** What is wrong with a reference: it leads to nothing. */
function checkReference({ path, id, owner, known, reliesOn }: Reference): Problem[] {
  if (id === undefined || known.has(id)) return []
  const said = () => `is ${quoted(id)}, which no ${owner} has.${didYouMean(id, [...known.keys()])}`
  return [problem(path, said, reliesOn)]
}
