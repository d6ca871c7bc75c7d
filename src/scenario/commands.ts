import { jsonPieces } from '../lib/long-json.js'
import { runAtOnce, type Steps } from '../lib/steps.js'
import { commandKeyOf, commandRefused, type ServersInput } from '../store/inputs.js'
import { type Problem, problem } from './checks.js'
import { layoutOf } from './layout.js'
import type { CheckedScenario, Scenario, ScenarioInput } from './schema.js'

// The commands that start game servers. They never enter a world, so that nothing that comes over HTTP can start a program.

/** A command, and the files and folders whose changes restart its processes. */
export interface ServerCommand {
  readonly command: string
  readonly watch: readonly string[]
}

/** The commands that start the game servers of a scenario. */
export interface ScenarioCommands {
  /** For game modes that do not set `servers`. Default: none. */
  readonly all?: ServerCommand | undefined
  /** By the full name of the game mode: `tanks/prod/duel`. */
  readonly modes: ReadonlyMap<string, ServerCommand>
}

/** Lists the commands of a scenario as problems, for a source that may not start programs. */
export function commandProblems(scenario: Scenario): Problem[] {
  const all = [{ path: [], servers: scenario.servers }, ...modeServers(scenario)]
  return all.flatMap(({ path, servers }) => {
    const key = servers === undefined ? undefined : commandKeyOf(servers)
    return key === undefined ? [] : [problem([...path, 'servers', key], commandRefused)]
  })
}

/** Lists the commands of a scenario. */
export function scenarioCommands({ content }: CheckedScenario): ScenarioCommands {
  const modes = modeServers(content).flatMap(({ name, servers }) => {
    const command = commandOf(servers)
    return command ? [[name, command] as const] : []
  })
  return { all: commandOf(content.servers), modes: new Map(modes) }
}

const keptScenarios = new WeakMap<CheckedScenario, readonly string[]>()

/** Encodes a scenario for a storage: as JSON, without its journal and its commands. Returns it in pieces. */
export function* keptScenarioInSteps(scenario: CheckedScenario): Steps<readonly string[]> {
  const known = keptScenarios.get(scenario)
  if (known) return known
  const pieces = yield* jsonPieces(withoutCommands(yield* scenario.encodeInSteps()))
  keptScenarios.set(scenario, pieces)
  return pieces
}

/** Encodes a scenario as `keptScenarioInSteps` does. */
export function keptScenario(scenario: CheckedScenario): string {
  return runAtOnce(keptScenarioInSteps(scenario)).join('')
}

/** Its lobbies then wait for servers that somebody starts. */
function withoutCommands({ journal: _, ...scenario }: ScenarioInput): ScenarioInput {
  const { servers, games } = scenario
  return {
    ...namespaceWithoutCommands(scenario),
    servers: withoutCommand(servers),
    games: games?.map(game => ({ ...game, namespaces: game.namespaces?.map(namespaceWithoutCommands) })),
  }
}

function namespaceWithoutCommands<Entry extends Pick<ScenarioInput, 'game_modes'>>(entry: Entry): Entry {
  const modes = entry.game_modes?.map(mode =>
    typeof mode === 'string' ? mode : { ...mode, servers: withoutCommand(mode.servers) },
  )
  return { ...entry, game_modes: modes }
}

function withoutCommand(servers: ScenarioInput['servers']): ScenarioInput['servers'] {
  return typeof servers === 'object' ? { ready_within: servers.ready_within } : servers
}

/** Lists the `servers` of game modes, with the path and the full name of each mode. */
function modeServers(scenario: Scenario) {
  const namespaces = layoutOf(scenario).games.flatMap(game => game.namespaces)
  return namespaces.flatMap(({ path, fullName, given }) =>
    (given.game_modes ?? []).flatMap((mode, i) => {
      if (typeof mode === 'string') return []
      return [{ path: [...path, 'game_modes', i], name: `${fullName}/${mode.game_mode_id}`, servers: mode.servers }]
    }),
  )
}

function commandOf(servers: ServersInput | undefined): ServerCommand | undefined {
  if (typeof servers !== 'object' || servers.command === undefined) return undefined
  return { command: servers.command, watch: servers.watch ?? [] }
}
