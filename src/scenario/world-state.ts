import { Random } from '../store/random.js'
import { type SettingsRow, settingsDefaults } from '../store/rows.js'
import type { InitialRows, WorldDefinition } from '../store/world-state.js'
import { createSeededIds, givenKeys, type SeededIds } from './entry.js'
import { gameRow, namespaceColumnsOf, type PlacedNamespace, simulationColumnsOf } from './games.js'
import { generateLobbies } from './generate.js'
import { givenIds, layoutOf } from './layout.js'
import { type GameMode, type LobbyEntry, lobbyColumnsOf, modeOfLobby, playerColumnsOf } from './lobbies.js'
import { regionRow } from './regions.js'
import { clockOf, noNamespace, type Scenario } from './schema.js'
import { deviceLinkRows, listedTokenRows, ownTokenRows } from './tokens.js'

/** The choices of whoever starts a world, beside its scenario. */
export interface BeginningOptions {
  /** Default: the scenario's. */
  readonly seed?: number | undefined
  /** The address of the links that are handed out. Default: `https://hub.{cdn_domain}`. */
  readonly publicUrl?: string | undefined
  /** The end of that address, as in `/w/test-42`. Default: nothing. */
  readonly path?: string | undefined
  /** `true` simulates players in namespaces with game modes by default. A snapshot never gets them. Default: false. */
  readonly live?: boolean | undefined
}

const defaults = { title: 'Untitled', seed: 1 } as const

/**
 * The initial state of a scenario's world. The same scenario and seed give the same ids and tokens at any time and, with
 * `now`, the same rows. Each id has a random stream of its own, so a change in one place leaves the ids elsewhere alone.
 */
export function beginningOf(scenario: Scenario, options: BeginningOptions = {}): WorldDefinition {
  const { title = defaults.title, seed: own = defaults.seed, clock, now, revision, chance } = scenario
  const seed = options.seed ?? own
  return {
    title,
    seed,
    ...clockOf(clock),
    revision,
    // A random state belongs to the seed that it comes from.
    random: seed === own ? chance?.world : undefined,
    faultRandom: seed === own ? chance?.faults : undefined,
    faults: scenario.faults,
    now,
    rows: at => rowsOf(scenario, { ...options, seed, now: at }),
  }
}

/** A namespace whose ids are known. */
interface IdentifiedNamespace extends PlacedNamespace {
  readonly namespace_id: string
  readonly game_id: string
}

/** The settings for all rows of lobbies and players. */
interface LobbyOptions {
  readonly seed: number
  readonly servers: SettingsRow['servers']
  readonly ids: SeededIds
}

function rowsOf(
  scenario: Scenario,
  { seed, now, publicUrl, path, live }: BeginningOptions & { seed: number; now: number },
): InitialRows {
  const layout = layoutOf(scenario)
  const ids = createSeededIds(seed, new Set([...givenIds(scenario, layout)].map(({ id }) => id)))
  const gameRows = layout.games.map(game => gameRow(game, ids, now))
  const games = layout.games.map((game, i) => ({ ...game, game_id: gameRows[i]?.game_id ?? '' }))
  const namespaceRows = games.flatMap(({ game_id, namespaces }) =>
    namespaces.map(namespace => ({ game_id, ...namespaceColumnsOf(namespace, ids, now) })),
  )
  const namespaces = games
    .flatMap(game => game.namespaces)
    .map((namespace, i) => ({
      ...namespace,
      game_id: namespaceRows[i]?.game_id ?? '',
      namespace_id: namespaceRows[i]?.namespace_id ?? '',
    }))
  const settings = settingsRow(scenario, { publicUrl, path, namespaces })
  const deviceLinks = deviceLinkRows(scenario.device_links ?? [], { games, ids, now })
  const { bearer_tokens } = scenario
  const isLive = live && scenario.revision === undefined
  const options = { seed, ids, servers: settings.servers }
  return {
    settings: [settings],
    regions: layout.regions.map(region => regionRow(region, ids)),
    games: gameRows,
    namespaces: namespaceRows,
    gameModes: namespaces.flatMap(({ namespace_id, modes }) =>
      [...modes.values()].map(mode => ({ namespace_id, ...mode })),
    ),
    lobbies: lobbyRows(namespaces, options),
    players: playerRows(namespaces, options),
    simulations: namespaces.flatMap(({ namespace_id, modes, given }) => {
      const players = given.players ?? (isLive && modes.size > 0 ? {} : undefined)
      return players === undefined ? [] : { namespace_id, ...simulationColumnsOf(players, now) }
    }),
    deviceLinks,
    tokens: bearer_tokens
      ? listedTokenRows(bearer_tokens, { games, namespaces })
      : ownTokenRows(deviceLinks, { games, namespaces, ids, now }),
  }
}

function settingsRow(
  scenario: Scenario,
  {
    publicUrl,
    path = '',
    namespaces,
  }: Pick<BeginningOptions, 'publicUrl' | 'path'> & { namespaces: readonly IdentifiedNamespace[] },
): SettingsRow {
  const { cdn_domain, hide_empty_lobbies, servers, client, default_namespace: name } = scenario
  const columns = { ...settingsDefaults, ...givenKeys({ cdn_domain, hide_empty_lobbies, servers, client }) }
  const named = namespaces.find(({ fullName }) => fullName === name) ?? namespaces[0]
  return {
    settings_id: 'settings',
    ...columns,
    ...(name === noNamespace || !named ? {} : { default_namespace_id: named.namespace_id }),
    public_url: (publicUrl ?? `https://hub.${columns.cdn_domain}`).replace(/\/+$/, '') + path,
  }
}

/** The lobbies of each namespace: those that the scenario lists, and then generated ones. */
function* lobbyRows(namespaces: readonly IdentifiedNamespace[], options: LobbyOptions): Iterable<object> {
  for (const namespace of namespaces) {
    const { given, modes, fullName } = namespace
    yield* listedLobbyRows(given.lobbies ?? [], { ...options, namespace, kind: 'lobby' })
    const count = given.generate?.lobbies ?? 0
    if (count === 0) continue
    const seed = new Random(options.seed, `generate:${fullName}`).uint32()
    const lobbies = generateLobbies(count, [...modes.values()], seed)
    yield* listedLobbyRows(lobbies, { ...options, namespace, kind: 'generated-lobby' })
  }
}

/** Each kind has its own numbers, so that another lobby in the list changes no id of the generated ones. */
function* listedLobbyRows(
  entries: Iterable<LobbyEntry>,
  {
    namespace,
    kind,
    ids,
    servers,
  }: LobbyOptions & { namespace: IdentifiedNamespace; kind: 'lobby' | 'generated-lobby' },
): Iterable<object> {
  const { namespace_id, fullName, modes } = namespace
  let i = 0
  for (const entry of entries) {
    const lobby_id = entry.lobby_id ?? ids.uuid(`${kind}:${fullName}/${i}`)
    i += 1
    const mode = modeOfLobby(entry, modes) as GameMode // checked before
    // Not a spread: engines make slow objects of long ones that are spread.
    yield Object.assign(lobbyColumnsOf(entry, mode, servers), { namespace_id, lobby_id })
  }
}

/** The players that the lobbies of each namespace list. */
function* playerRows(namespaces: readonly IdentifiedNamespace[], { ids }: LobbyOptions): Iterable<object> {
  for (const { given, namespace_id, fullName } of namespaces)
    for (const [i, lobby] of (given.lobbies ?? []).entries()) {
      const lobby_id = lobby.lobby_id ?? ids.uuid(`lobby:${fullName}/${i}`)
      for (const [j, player] of (lobby.players ?? []).entries()) {
        const player_token = player.token ?? ids.token(`player:${fullName}/${i}/${j}`, 'player')
        yield { player_token, lobby_id, namespace_id, ...playerColumnsOf(player) }
      }
    }
}
