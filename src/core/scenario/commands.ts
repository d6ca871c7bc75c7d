import { writeJson } from '../lib/json.js'
import { lazyFor } from '../lib/lazy.js'
import { commandKeyOf, commandRefused, type ServersInput } from '../store/inputs.js'
import { simulationDefaults } from '../store/matchmaker-rows.js'
import { type Problem, problem } from './checks.js'
import { defaultBots, hasBots, type PlacedNamespace, type PlayersEntry } from './entries.js'
import { layoutOf } from './layout.js'
import type { CheckedScenario, Scenario, ScenarioInput } from './schema.js'

// The commands that start game servers and bots. They never enter a world, so that nothing that comes over HTTP can start a program.

/** A command, and the files and folders whose changes restart its processes. */
export interface ServerCommand {
  readonly command: string
  readonly watch: readonly string[]
}

/** The bots of a namespace. */
export interface BotCommand {
  readonly command: string
  /** True if each gets a seat before it starts. */
  readonly find: boolean
  /** The number of bots at once. */
  readonly concurrent: number
  /** The average length of their stay. */
  readonly session_ms: number
  /** The weights of the game modes of their seats. Default: all alike. */
  readonly modes?: Readonly<Record<string, number>> | undefined
}

/** The commands that start the game servers and the bots of a scenario. */
export interface ScenarioCommands {
  /** For game modes that do not set `servers`. Default: none. */
  readonly all?: ServerCommand | undefined
  /** By the full name of the game mode: `tanks/prod/duel`. */
  readonly modes: ReadonlyMap<string, ServerCommand>
  /** By the full name of the namespace: `tanks/prod`. */
  readonly bots: ReadonlyMap<string, BotCommand>
}

/** Lists the commands of a scenario as problems, for a source that may not start programs. */
export function* commandProblems(scenario: Scenario): Generator<Problem> {
  for (const { path, servers } of [{ path: [], servers: scenario.servers }, ...modeServers(scenario)]) {
    const key = servers === undefined ? undefined : commandKeyOf(servers)
    if (key !== undefined) yield problem([...path, 'servers', key], commandRefused)
  }
  for (const { path, given } of namespacesOf(scenario))
    if (hasBots(given.players)) yield problem([...path, 'players', 'command'], commandRefused)
}

export function scenarioCommands({ content }: CheckedScenario): ScenarioCommands {
  const modes = modeServers(content).flatMap(({ name, servers }) => {
    const command = commandOf(servers)
    return command ? [[name, command] as const] : []
  })
  const bots = namespacesOf(content).flatMap(({ fullName, given: { players } }) => {
    const bot = players && botCommandOf(players)
    return bot ? [[fullName, bot] as const] : []
  })
  return { all: commandOf(content.servers), modes: new Map(modes), bots: new Map(bots) }
}

export function hasCommands({ all, modes, bots }: ScenarioCommands): boolean {
  return all !== undefined || modes.size > 0 || bots.size > 0
}

/** Encodes a scenario for a storage: as JSON, without its past, its journal and its commands. */
export const keptScenario = lazyFor((scenario: CheckedScenario) => writeJson(withoutCommands(scenario.toJSON())))

/** Its lobbies then wait for servers that somebody starts. */
function withoutCommands({ journal: _, past: __, ...scenario }: ScenarioInput): ScenarioInput {
  const { servers, games } = scenario
  return {
    ...namespaceWithoutCommands(scenario),
    servers: withoutCommand(servers),
    games: games?.map(game => ({ ...game, namespaces: game.namespaces?.map(namespaceWithoutCommands) })),
  }
}

function namespaceWithoutCommands<Entry extends Pick<ScenarioInput, 'game_modes' | 'players'>>(entry: Entry): Entry {
  const modes = entry.game_modes?.map(mode =>
    typeof mode === 'string' ? mode : { ...mode, servers: withoutCommand(mode.servers) },
  )
  return { ...entry, game_modes: modes, players: hasBots(entry.players) ? undefined : entry.players }
}

function withoutCommand(servers: ScenarioInput['servers']): ScenarioInput['servers'] {
  return typeof servers === 'object' ? { ready_within: servers.ready_within } : servers
}

function modeServers(scenario: Scenario) {
  return namespacesOf(scenario).flatMap(({ path, fullName, given }) =>
    (given.game_modes ?? []).flatMap((mode, i) => {
      if (typeof mode === 'string') return []
      return [{ path: [...path, 'game_modes', i], name: `${fullName}/${mode.game_mode_id}`, servers: mode.servers }]
    }),
  )
}

function namespacesOf(scenario: Scenario): PlacedNamespace[] {
  return layoutOf(scenario).games.flatMap(game => game.namespaces)
}

function botCommandOf(players: PlayersEntry): BotCommand | undefined {
  const { command, find = false, concurrent = defaultBots, session = simulationDefaults.session_ms, modes } = players
  return command === undefined ? undefined : { command, find, concurrent, session_ms: session, modes }
}

function commandOf(servers: ServersInput | undefined): ServerCommand | undefined {
  if (typeof servers !== 'object' || servers.command === undefined) return undefined
  return { command: servers.command, watch: servers.watch ?? [] }
}
