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
  const found = [
    ...(commandOf(scenario) === undefined ? [] : [[]]),
    ...layoutOf(scenario).games.flatMap(({ namespaces }) =>
      namespaces.flatMap(({ path, given }) =>
        (given.game_modes ?? []).flatMap((mode, i) =>
          commandOf(mode) === undefined ? [] : [[...path, 'game_modes', i]],
        ),
      ),
    ),
  ]
  return found.map(path => problem([...path, 'servers', 'command'], commandRefused))
}

/** Lists the commands of a scenario. */
export function serverCommands({ content }: CheckedScenario): ServerCommands {
  const modes = layoutOf(content).games.flatMap(({ namespaces }) =>
    namespaces.flatMap(({ fullName, given }) =>
      (given.game_modes ?? []).flatMap((mode): [string, string][] => {
        const command = commandOf(mode)
        return command === undefined || typeof mode === 'string' ? [] : [[`${fullName}/${mode.game_mode_id}`, command]]
      }),
    ),
  )
  return { all: commandOf(content), modes: new Map(modes) }
}

function commandOf(entry: string | Pick<Scenario, 'servers'>): string | undefined {
  return typeof entry === 'object' && typeof entry.servers === 'object' ? entry.servers.command : undefined
}
