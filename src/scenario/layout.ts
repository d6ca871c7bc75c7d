import type { Path } from '../contract/issue.js'
import { catalogue } from './catalogue.js'
import type { GameEntry } from './game.js'
import { type Mode, modeOf } from './game-mode.js'
import { defaultNames, type Names, namesOf } from './name.js'
import type { NamespaceEntry } from './namespace.js'
import { type RegionEntry, regionIdOf } from './region.js'
import type { Scenario } from './schema.js'

/** A scenario with everything in its place: without `games`, the keys at its top are the namespace prod of the one game. */
export interface Layout {
  readonly regions: readonly RegionEntry[]
  readonly regionIds: readonly string[]
  readonly games: readonly PlacedGame[]
}

/** A game, and where the scenario says it. */
export interface PlacedGame {
  readonly path: Path
  readonly names: Names
  readonly given: Pick<GameEntry, 'game_id' | 'created_at' | 'developer_group_id' | 'tokens'>
  readonly namespaces: readonly PlacedNamespace[]
}

/** A namespace, and where the scenario says it. */
export interface PlacedNamespace {
  readonly path: Path
  readonly names: Names
  /** `<game name_id>/<namespace name_id>`, which nothing else in the scenario is called. */
  readonly fullName: string
  readonly given: Omit<NamespaceEntry, keyof Names>
  /** By id. */
  readonly modes: ReadonlyMap<string, Mode>
}

/** Puts everything in its place. */
export function layoutOf(scenario: Scenario): Layout {
  const regions = scenario.regions ?? catalogue.map(region => region.region_id)
  const regionIds = regions.map(regionIdOf)
  if (scenario.games) {
    const games = scenario.games.map((entry, i) => placedGame(entry, { path: ['games', i], regionIds }))
    return { regions, regionIds, games }
  }
  const names = defaultNames.game
  const namespaces = [placedNamespace(scenario, { path: [], game: names.name_id, regionIds })]
  return { regions, regionIds, games: [{ path: [], names, given: {}, namespaces }] }
}

interface Placing {
  readonly path: Path
  readonly regionIds: readonly string[]
}

function placedGame(entry: GameEntry, { path, regionIds }: Placing): PlacedGame {
  const names = namesOf(entry, defaultNames.game)
  const namespaces = (entry.namespaces ?? [{}]).map((namespace, i) =>
    placedNamespace(namespace, { path: [...path, 'namespaces', i], game: names.name_id, regionIds }),
  )
  return { path, names, given: entry, namespaces }
}

function placedNamespace(
  entry: NamespaceEntry,
  { path, game, regionIds }: Placing & { readonly game: string },
): PlacedNamespace {
  const names = namesOf(entry, defaultNames.namespace)
  const modes = (entry.game_modes ?? []).map(given => modeOf(given, regionIds))
  return {
    path,
    names,
    fullName: `${game}/${names.name_id}`,
    given: entry,
    modes: new Map(modes.map(mode => [mode.game_mode_id, mode])),
  }
}
