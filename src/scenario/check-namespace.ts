import { type Path, pathText, quoted } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'
import { isRush, rush } from '../store/simulation-row.js'
import { checkSeats, checkStatus } from './check-seats.js'
import type { Mode } from './game-mode.js'
import type { PlacedNamespace } from './layout.js'
import { type LobbyEntry, modeOfLobby } from './lobby.js'
import { type Problem, problem } from './problem.js'
import { checkReference } from './reference.js'
import { simulationOf } from './simulation.js'

/** What does not fit in a namespace. `regionIds` are those of the scenario. */
export function checkNamespace(namespace: PlacedNamespace, regionIds: readonly string[]): Problem[] {
  const { path, given, modes } = namespace
  return [
    ...checkModes(namespace, regionIds),
    ...(given.lobbies ?? []).flatMap((lobby, i) =>
      checkLobby(lobby, { path: [...path, 'lobbies', i], modes, regionIds }),
    ),
    ...(given.lobbies ?? []).flatMap((lobby, i) => checkStatus(lobby, [...path, 'lobbies', i])),
    ...checkPlayers(namespace),
    ...checkRush(namespace),
    ...checkGenerate(namespace),
  ]
}

function checkModes({ path, given }: PlacedNamespace, known: readonly string[]): Problem[] {
  return (given.game_modes ?? []).flatMap((mode, i) => {
    const ids = typeof mode === 'string' ? [] : (mode.regions ?? [])
    const at = [...path, 'game_modes', i, 'regions']
    return ids.flatMap((id, j) => checkReference({ path: [...at, j], id, owner: 'region', known }))
  })
}

interface LobbyPlace {
  readonly path: Path
  readonly modes: ReadonlyMap<string, Mode>
  readonly regionIds: readonly string[]
}

function checkLobby(lobby: LobbyEntry, { path, modes, regionIds }: LobbyPlace): Problem[] {
  const mode = modeOfLobby(lobby, modes)
  const id = lobby.region_id
  const unknownRegion = checkReference({ path: [...path, 'region_id'], id, owner: 'region', known: regionIds })
  if (!mode) return [...modeProblem(lobby, { path, modes }), ...unknownRegion]
  const regionProblem = unknownRegion.length > 0 ? unknownRegion : checkEnabled(id, { path, mode })
  return [...regionProblem, ...checkSeats(lobby, { path, mode })]
}

function modeProblem({ game_mode_id }: LobbyEntry, { path, modes }: Pick<LobbyPlace, 'path' | 'modes'>): Problem[] {
  const at = [...path, 'game_mode_id']
  if (game_mode_id === undefined)
    return [problem(at, 'is missing, and the namespace has no game mode to be the default.')]
  return checkReference({ path: at, id: game_mode_id, owner: 'game mode of the namespace', known: [...modes.keys()] })
}

interface InMode {
  readonly path: Path
  readonly mode: Mode
}

function checkEnabled(id: string | undefined, { path, mode }: InMode): Problem[] {
  const { regions, game_mode_id } = mode
  const at = [...path, 'region_id']
  if (id === undefined)
    return regions.length > 0 ? [] : [problem(at, `is missing, and game mode ${game_mode_id} enables no region.`)]
  if (regions.includes(id)) return []
  return [problem(at, `is ${quoted(id)}, which game mode ${game_mode_id} does not enable.${knownChoices(id, regions)}`)]
}

function checkPlayers({ path, given, modes }: PlacedNamespace): Problem[] {
  const unknown = Object.keys(given.players?.modes ?? {}).filter(id => !modes.has(id))
  return unknown.map(id => {
    const at = [...path, 'players', 'modes', id]
    return {
      path: at,
      at: 'key',
      text: `${pathText(at)} is no game mode of the namespace.${knownChoices(id, [...modes.keys()])}`,
    }
  })
}

function checkRush({ path, given: { players } }: PlacedNamespace): Problem[] {
  const isTooMuch = players !== undefined && isRush(simulationOf(players, 0))
  return isTooMuch ? [problem([...path, 'players'], `asks for too many at once: ${rush}.`)] : []
}

function checkGenerate({ path, given, modes }: PlacedNamespace): Problem[] {
  const count = given.generate?.lobbies ?? 0
  const usable = [...modes.values()].some(mode => mode.regions.length > 0)
  if (count === 0 || usable) return []
  const said = `is ${count}, but no game mode of the namespace enables a region. Add one to game_modes.`
  return [problem([...path, 'generate', 'lobbies'], said)]
}
