import type { RandomState } from '../store/random.js'
import type { SettingsRow } from '../store/rows.js'
import type { SeedRows } from '../store/seed.js'
import type { Beginning } from '../store/standing.js'
import { clockOf } from './clock.js'
import { deviceLinkRows } from './device-link-rows.js'
import { gameRow } from './game-row.js'
import { layoutOf } from './layout.js'
import { type LobbyMaking, lobbyCount, lobbyRows, playerRows } from './lobby-rows.js'
import { namedIn } from './named.js'
import { namespaceRow, type OwnedNamespace } from './namespace-row.js'
import { createNaming } from './naming.js'
import { type Progress, tellingProgress } from './progress.js'
import { regionOf } from './region.js'
import { noNamespace, type Scenario } from './schema.js'
import { simulationOf } from './simulation.js'
import { tokenRows } from './token-rows.js'

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
