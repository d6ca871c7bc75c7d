import { matchmakerDefaults } from '../store/default-columns.js'
import { lifetimeMs } from '../store/lifetime.js'
import { namespaceLabel } from '../store/model.js'
import { Random, type RandomState } from '../store/random.js'
import type { DeviceLinkRow, GameRow, NamespaceRow, SettingsRow, TokenRow } from '../store/rows.js'
import type { SeedRows } from '../store/seed.js'
import type { Beginning } from '../store/standing.js'
import { createNaming, momentOf, type Naming } from './entry.js'
import { type Names, simulationOf } from './games.js'
import { generateLobbies } from './generate.js'
import { layoutOf, namedIn, type PlacedGame, type PlacedNamespace } from './layout.js'
import { type LobbyEntry, lobbyOf, lobbyStateOf, type Mode, modeOfLobby, playerOf, serverPortsOf } from './lobbies.js'
import { regionOf } from './regions.js'
import { clockOf, noNamespace, type Scenario } from './schema.js'
import type { BearerTokenEntry, DeviceLinkEntry } from './tokens.js'

/** How a world is made of a scenario. */
export interface BeginningOptions {
  /** Instead of the scenario's. */
  readonly seed?: number | undefined
  /** Where the links that are handed out point. Default: `https://hub.{cdn_domain}`. */
  readonly publicUrl?: string | undefined
  /** What follows that in those links, as `/w/test-42`. Default: nothing. */
  readonly path?: string | undefined
  /** Whether players come and go too where the scenario does not say so, and somebody can play. A snapshot says all of itself. */
  readonly live?: boolean | undefined
  /** Is told now and then, while a world is made, how many of its lobbies are there. */
  readonly progress?: Progress | undefined
}

const defaults = { title: 'Untitled', seed: 1, cdn_domain: 'mock.localhost', servers: 'auto' } as const

/**
 * How the world of a scenario begins. The same scenario and seed give the same ids and tokens at any time and, with
 * `now`, the same rows. Each id comes from a stream of its own, so that what changes one thing leaves the ids of others alone.
 */
export function beginningOf(scenario: Scenario, options: BeginningOptions = {}): Beginning {
  const { title = defaults.title, seed: own = defaults.seed, clock, now, revision, chance } = scenario
  const seed = options.seed ?? own
  return {
    title,
    seed,
    ...clockOf(clock),
    revision,
    // Where chance stands is of the seed that it came from.
    chance: seed === own ? chance?.world : undefined,
    now: now === undefined ? undefined : Date.parse(now),
    rows: at => rowsOf(scenario, { ...options, seed, now: at }),
  }
}

/** Where the chance of the faults of a world stands that has that seed; `undefined` at the beginning of what it gives. */
export function faultChanceOf({ seed = defaults.seed, chance }: Scenario, own: number): RandomState | undefined {
  return seed === own ? chance?.faults : undefined
}

interface Start extends BeginningOptions {
  readonly seed: number
  readonly now: number
}

function rowsOf(scenario: Scenario, { seed, now, publicUrl, path, live, progress }: Start): SeedRows {
  const isLive = live && scenario.revision === undefined
  const layout = layoutOf(scenario)
  const naming = createNaming(seed, new Set([...namedIn(scenario, layout)].map(named => named.id)))
  const games = layout.games.map(game => ({
    ...game,
    game_id: game.given.game_id ?? naming.uuid(`game:${game.names.name_id}`),
  }))
  const namespaces = games.flatMap(({ game_id, namespaces }) =>
    namespaces.map(namespace => ({
      ...namespace,
      game_id,
      namespace_id: namespace.given.namespace_id ?? naming.uuid(`namespace:${namespace.fullName}`),
    })),
  )
  const making = { seed, naming, servers: scenario.servers ?? defaults.servers }
  const links = deviceLinkRows(scenario.device_links ?? [], { games, naming, now })
  return {
    settings: [settingsRow(scenario, { publicUrl, path, default_namespace_id: defaultIdOf(scenario, namespaces) })],
    regions: layout.regions.map(region => regionOf(region, naming)),
    games: games.map(game => gameRow(game, { naming, now })),
    namespaces: namespaces.map(namespace => namespaceRow(namespace, { naming, now })),
    gameModes: namespaces.flatMap(({ namespace_id, modes }) =>
      [...modes.values()].map(mode => ({ namespace_id, ...mode })),
    ),
    lobbies: tellingProgress(lobbiesOf(namespaces, making), {
      total: namespaces.reduce((sum, namespace) => sum + lobbyCount(namespace), 0),
      progress,
    }),
    players: playersOf(namespaces, making),
    simulations: namespaces.flatMap(({ namespace_id, modes, given }) => {
      const players = given.players ?? (isLive && modes.size > 0 ? {} : undefined)
      return players === undefined ? [] : { namespace_id, ...simulationOf(players, now) }
    }),
    deviceLinks: links,
    tokens: tokenRows(scenario.bearer_tokens, { games, namespaces, links, naming, now }),
  }
}

function* lobbiesOf(namespaces: readonly OwnedNamespace[], making: LobbyMaking): Iterable<object> {
  for (const namespace of namespaces) yield* lobbyRows(namespace, making)
}

function* playersOf(namespaces: readonly OwnedNamespace[], making: LobbyMaking): Iterable<object> {
  for (const namespace of namespaces) yield* playerRows(namespace, making)
}

function defaultIdOf({ default_namespace: name }: Scenario, namespaces: readonly OwnedNamespace[]): string | undefined {
  if (name === noNamespace) return undefined
  return (namespaces.find(({ fullName }) => fullName === name) ?? namespaces[0])?.namespace_id
}

interface Surroundings {
  readonly publicUrl: string | undefined
  readonly path: string | undefined
  readonly default_namespace_id: string | undefined
}

function settingsRow(scenario: Scenario, surroundings: Surroundings): SettingsRow {
  const { publicUrl, path = '', default_namespace_id } = surroundings
  const { cdn_domain = defaults.cdn_domain, hide_empty_lobbies = false, servers = defaults.servers, client } = scenario
  return {
    settings_id: 'settings',
    cdn_domain,
    ...(default_namespace_id === undefined ? {} : { default_namespace_id }),
    hide_empty_lobbies,
    servers,
    ...(client === undefined ? {} : { client }),
    public_url: (publicUrl ?? `https://hub.${cdn_domain}`).replace(/\/+$/, '') + path,
  }
}

/** A game whose id is known. */
interface OwnedGame extends PlacedGame {
  readonly game_id: string
}

/** The row of a game. */
function gameRow({ game_id, names, given }: OwnedGame, { naming, now }: RowMaking): GameRow {
  const { created_at, developer_group_id } = given
  return {
    game_id,
    ...names,
    created_at: created_at === undefined ? now : Date.parse(created_at),
    developer_group_id: developer_group_id ?? naming.uuid(`game:${names.name_id}/developer-group`),
  }
}

/** A namespace whose id, and whose game's, are known. */
interface OwnedNamespace extends PlacedNamespace {
  readonly namespace_id: string
  readonly game_id: string
}

/** What rows are made with that a scenario does not say. */
interface RowMaking {
  readonly naming: Naming
  /** When the world begins, in ms since the epoch. */
  readonly now: number
}

/** The row of a namespace. `max_players` and `development` are absent where the scenario does not say them. */
function namespaceRow(
  { namespace_id, game_id, names, fullName, given }: OwnedNamespace,
  { naming, now }: RowMaking,
): NamespaceRow {
  const { version_id, created_at, tokenless = true, domains = [], matchmaker, development } = given
  const max_players = matchmaker?.max_players
  return {
    namespace_id,
    game_id,
    ...names,
    created_at: created_at === undefined ? now : Date.parse(created_at),
    version_id: version_id ?? naming.uuid(`namespace:${fullName}/version`),
    tokenless,
    domains,
    lobby_count_max: matchmaker?.lobby_count_max ?? matchmakerDefaults.lobby_count_max,
    ...(max_players === undefined ? {} : { max_players }),
    ...(development === undefined ? {} : { development: serverPortsOf(development) }),
  }
}

/** What the lobbies of a namespace are made with. */
interface LobbyMaking {
  readonly seed: number
  /** Who plays their game servers where they do not say. */
  readonly servers: 'auto' | 'manual'
  readonly naming: Naming
}

/** How many lobbies a namespace begins with. */
function lobbyCount({ given }: Pick<OwnedNamespace, 'given'>): number {
  return (given.lobbies?.length ?? 0) + (given.generate?.lobbies ?? 0)
}

/** The lobbies of a namespace, one by one: those that the scenario lists, and then those that are generated meanwhile. */
function* lobbyRows(namespace: OwnedNamespace, making: LobbyMaking): Iterable<object> {
  const { given, modes, fullName } = namespace
  const { seed } = making
  yield* rows(given.lobbies ?? [], { ...making, namespace, kind: 'lobby' })
  const count = given.generate?.lobbies ?? 0
  if (count === 0) return
  const stream = new Random(seed, `generate:${fullName}`)
  const generation = { count, modes: [...modes.values()], seed: stream.uint32() }
  yield* rows(generateLobbies(generation), { ...making, namespace, kind: 'generated-lobby' })
}

/** The players of a namespace that its lobbies list, in their order. */
function* playerRows(namespace: OwnedNamespace, { naming }: LobbyMaking): Iterable<object> {
  const { given, namespace_id, fullName } = namespace
  for (const [i, lobby] of (given.lobbies ?? []).entries()) {
    const lobby_id = lobbyIdOf(lobby, { naming, stream: `lobby:${fullName}/${i}` })
    for (const [j, player] of (lobby.players ?? []).entries()) {
      const player_token = player.token ?? naming.token(`player:${fullName}/${i}/${j}`, 'player')
      yield { player_token, lobby_id, namespace_id, ...playerOf(player) }
    }
  }
}

function lobbyIdOf({ lobby_id }: LobbyEntry, { naming, stream }: { readonly naming: Naming; readonly stream: string }) {
  return lobby_id ?? naming.uuid(stream)
}

interface ListedLobbies extends Pick<LobbyMaking, 'naming' | 'servers'> {
  readonly namespace: OwnedNamespace
  /** Each kind counts its own, so that one lobby more in the list changes no id of the generated. */
  readonly kind: 'lobby' | 'generated-lobby'
}

function* rows(entries: Iterable<LobbyEntry>, making: ListedLobbies): Iterable<object> {
  const { namespace, naming, kind } = making
  const { namespace_id, fullName, modes } = namespace
  let i = 0
  for (const entry of entries) {
    const lobby_id = lobbyIdOf(entry, { naming, stream: `${kind}:${fullName}/${i}` })
    i += 1
    // check has seen to it that there is a mode.
    const columns = lobbyOf(entry, modeOfLobby(entry, modes) as Mode)
    yield { lobby_id, namespace_id, ...columns, ...lobbyStateOf(entry, making) }
  }
}

/** What the device links of a scenario are made with. */
interface LinkMaking {
  readonly games: readonly { readonly game_id: string; readonly names: Names }[]
  readonly naming: Naming
  /** When they are prepared, in ms since the epoch. */
  readonly now: number
}

/** The device links of a scenario: prepared when the world begins, and expiring only where it says so (PROTOCOL.md B8). */
function deviceLinkRows(links: readonly DeviceLinkEntry[], { games, naming, now }: LinkMaking): DeviceLinkRow[] {
  const gameIds = new Map(games.map(game => [game.names.name_id, game.game_id]))
  const [only] = gameIds.values()
  return links.map((link, i): DeviceLinkRow => {
    const { token, device_link_id, status, game, cloud_token } = link
    const completes_at = momentOf({ at: link.completes_at, after: link.completes_after }, now)
    const expires_at = momentOf({ at: link.expires_at, after: link.expires_after }, now)
    const stream = `device-link:${i}`
    const fields = {
      device_link_token: token ?? naming.token(`${stream}/token`, 'device'),
      device_link_id: device_link_id ?? naming.uuid(stream),
      ...(expires_at === undefined ? {} : { expires_at }),
    }
    const game_id = (game === undefined ? only : gameIds.get(game)) as string // check has seen to it that there is one
    if (status === 'complete')
      return { ...fields, status, game_id, cloud_token: cloud_token ?? naming.token(`${stream}/cloud`, 'cloud') }
    if (completes_at === undefined) return { ...fields, status: 'pending' }
    return { ...fields, status: 'pending', completes: { at: completes_at, game_id } }
  })
}

/** Whose tokens are, and what they are made with. */
interface TokenMaking {
  readonly games: readonly OwnedGame[]
  readonly namespaces: readonly OwnedNamespace[]
  readonly links: readonly DeviceLinkRow[]
  readonly naming: Naming
  /** When they are minted, in ms since the epoch. */
  readonly now: number
}

/** The bearer tokens of a scenario: those that it lists or, where it has no list, one of each that something can have. */
function tokenRows(listed: readonly BearerTokenEntry[] | undefined, making: TokenMaking): TokenRow[] {
  if (listed) return listedTokenRows(listed, making)
  const { games, namespaces, links } = making
  return [
    ...namespaces.flatMap(namespace => namespaceTokenRows(namespace, making)),
    ...games.map(game => gameTokenRow(game, making)),
    ...linkTokenRows(links, making),
  ]
}

function listedTokenRows(listed: readonly BearerTokenEntry[], { games, namespaces }: TokenMaking): TokenRow[] {
  const gameIds = new Map(games.map(game => [game.names.name_id, game.game_id]))
  const namespaceIds = new Map(namespaces.map(namespace => [namespace.fullName, namespace.namespace_id]))
  return listed.map(({ token, kind, namespace, game, development, expires_at }): TokenRow => {
    const fields = { token, ...(expires_at === undefined ? {} : { expires_at: Date.parse(expires_at) }) }
    // check has seen to it that each is of something that is there.
    if (kind === 'cloud') return { ...fields, kind, game_id: gameIds.get(game as string) as string }
    const namespace_id = namespaceIds.get(namespace as string) as string
    if (kind === 'public' || !development) return { ...fields, kind, namespace_id }
    return { ...fields, kind, namespace_id, development: serverPortsOf(development) }
  })
}

/** The public and the development token of a namespace, labelled `pub_<name_id>` and `dev_<name_id>` (PROTOCOL.md B1). */
function namespaceTokenRows(namespace: OwnedNamespace, { naming, now }: TokenMaking): TokenRow[] {
  const { fullName, names, namespace_id, given } = namespace
  const stream = `namespace:${fullName}`
  const fields = { expires_at: now + lifetimeMs.token, namespace_id }
  const pub = given.tokens?.public ?? naming.token(`${stream}/public`, namespaceLabel('public', names.name_id))
  const dev =
    given.tokens?.development ?? naming.token(`${stream}/development`, namespaceLabel('development', names.name_id))
  return [
    { token: pub, kind: 'public', ...fields },
    { token: dev, kind: 'development', ...fields },
  ]
}

function gameTokenRow({ names, given, game_id }: OwnedGame, { naming, now }: TokenMaking): TokenRow {
  const token = given.tokens?.cloud ?? naming.token(`game:${names.name_id}/cloud`, 'cloud')
  return { token, kind: 'cloud', game_id, expires_at: now + lifetimeMs.token }
}

/** The cloud tokens that complete device links have handed out: valid bearers too. */
function linkTokenRows(links: readonly DeviceLinkRow[], { now }: TokenMaking): TokenRow[] {
  return links.flatMap((link): TokenRow[] => {
    if (link.status !== 'complete') return []
    return [{ token: link.cloud_token, kind: 'cloud', game_id: link.game_id, expires_at: now + lifetimeMs.token }]
  })
}

/** Is told how far a long work is: how many are done, of how many in all. */
export type Progress = (done: number, total: number) => void

/** How many rows there are between two times that a progress is told. */
const step = 500

interface Telling {
  readonly total: number
  readonly progress: Progress | undefined
}

/** The same rows; the progress is told of them as they are taken, and at the last. */
function* tellingProgress<Row>(rows: Iterable<Row>, { total, progress }: Telling): Iterable<Row> {
  let done = 0
  for (const row of rows) {
    yield row
    done += 1
    if (done % step === 0 || done === total) progress?.(done, total)
  }
}
