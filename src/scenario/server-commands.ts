import { isJsonObject } from '../lib/json.js'
import { commandRefused } from '../store/inputs.js'
import { type Problem, problem } from './checks.js'
import { layoutOf } from './layout.js'
import type { Scenario, ScenarioInput } from './schema.js'

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

/** Tells whether a scenario has commands, without reading all of it. */
export function hasCommands(scenario: ScenarioInput | undefined): boolean {
  const modes = (entry: unknown): unknown[] =>
    isJsonObject(entry)
      ? [entry, ...['games', 'namespaces', 'game_modes'].flatMap(key => listAt(entry, key).flatMap(modes))]
      : []
  return modes(scenario).some(entry => commandOf(entry) !== undefined)
}

function listAt(entry: Readonly<Record<string, unknown>>, key: string): unknown[] {
  const list = entry[key]
  return Array.isArray(list) ? list : []
}

/** Lists the commands of a scenario. */
export function serverCommands(scenario: Scenario): ServerCommands {
  const modes = layoutOf(scenario).games.flatMap(({ namespaces }) =>
    namespaces.flatMap(({ fullName, given }) =>
      (given.game_modes ?? []).flatMap((mode): [string, string][] => {
        const command = commandOf(mode)
        return command === undefined || typeof mode === 'string' ? [] : [[`${fullName}/${mode.game_mode_id}`, command]]
      }),
    ),
  )
  return { all: commandOf(scenario), modes: new Map(modes) }
}

/** Copies a scenario without its commands. Its lobbies still wait for their servers. */
export function withoutCommands(scenario: ScenarioInput): ScenarioInput {
  const strip = <Entry>(entry: Entry): Entry => {
    if (!isJsonObject(entry)) return entry
    const { servers, games, namespaces, game_modes } = entry as Readonly<Record<string, unknown>>
    return {
      ...entry,
      ...(isJsonObject(servers) ? { servers: { ...servers, command: undefined } } : {}),
      ...(Array.isArray(games) ? { games: games.map(strip) } : {}),
      ...(Array.isArray(namespaces) ? { namespaces: namespaces.map(strip) } : {}),
      ...(Array.isArray(game_modes) ? { game_modes: game_modes.map(strip) } : {}),
    }
  }
  return strip(scenario)
}

function commandOf(entry: unknown): string | undefined {
  if (!isJsonObject(entry) || !isJsonObject(entry.servers)) return undefined
  const { command } = entry.servers
  return typeof command === 'string' ? command : undefined
}
