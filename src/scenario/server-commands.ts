import { commandRefused } from '../store/inputs.js'
import { type Problem, problem } from './checks.js'
import { layoutOf } from './layout.js'
import type { CheckedScenario, Scenario } from './schema.js'

// The commands that start game servers. They never enter a world, so that nothing that comes over HTTP can start a program.

/** The commands that start the game servers of a scenario. */
export interface ServerCommands {
  /** For game modes that do not set `servers`. Default: none. */
  readonly all?: string | undefined
  /** By the full name of the game mode: `tanks/prod/duel`. */
  readonly modes: ReadonlyMap<string, string>
}

/** Lists the commands of a scenario as problems, for a source that may not start programs. */
export function commandProblems(scenario: Scenario): Problem[] {
  const paths = [...(commandOf(scenario) === undefined ? [] : [[]]), ...modeCommands(scenario).map(({ path }) => path)]
  return paths.map(path => problem([...path, 'servers', 'command'], commandRefused))
}

/** Lists the commands of a scenario. */
export function serverCommands({ content }: CheckedScenario): ServerCommands {
  const modes = modeCommands(content).map(({ name, command }) => [name, command] as const)
  return { all: commandOf(content), modes: new Map(modes) }
}

/** Lists the commands of game modes, with the path and the full name of each. */
function modeCommands(scenario: Scenario) {
  const namespaces = layoutOf(scenario).games.flatMap(game => game.namespaces)
  return namespaces.flatMap(({ path, fullName, given }) =>
    (given.game_modes ?? []).flatMap((mode, i) => {
      const command = commandOf(mode)
      if (command === undefined || typeof mode === 'string') return []
      return [{ path: [...path, 'game_modes', i], name: `${fullName}/${mode.game_mode_id}`, command }]
    }),
  )
}

function commandOf(entry: string | Pick<Scenario, 'servers'>): string | undefined {
  return typeof entry === 'object' && typeof entry.servers === 'object' ? entry.servers.command : undefined
}
