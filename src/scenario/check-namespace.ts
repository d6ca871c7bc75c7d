import { type Path, quoted } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'
import { isRush, rush } from '../store/simulation-row.js'
import { checkSeats, checkStatus } from './check-seats.js'
import type { Mode } from './game-mode.js'
import type { PlacedNamespace } from './layout.js'
import { type LobbyEntry, modeOfLobby } from './lobby.js'
import { keyProblem, type Problem, problem, type Reliance } from './problem.js'
import { checkReference, type KnownIds } from './reference.js'
import { simulationOf } from './simulation.js'

/** What does not fit in a namespace. `regionIds` are those of the scenario. */
export function checkNamespace(namespace: PlacedNamespace, regionIds: KnownIds): Problem[] {
  const { path, given } = namespace
  return [
    ...checkModes(namespace, regionIds),
    ...(given.lobbies ?? []).flatMap((lobby, i) =>
      checkLobby(lobby, { path: [...path, 'lobbies', i], namespace, regionIds }),
    ),
    ...(given.lobbies ?? []).flatMap((lobby, i) => checkStatus(lobby, [...path, 'lobbies', i])),
    ...checkPlayers(namespace),
    ...checkRush(namespace),
    ...checkGenerate(namespace),
  ]
}

function checkModes({ path, given }: PlacedNamespace, known: KnownIds): Problem[] {
  return (given.game_modes ?? []).flatMap((mode, i) => {
    const ids = typeof mode === 'string' ? [] : (mode.regions ?? [])
    const at = [...path, 'game_modes', i, 'regions']
    return ids.flatMap((id, j) =>
      checkReference({ path: [...at, j], id, owner: 'region', known, reliesOn: { entries: [['regions']] } }),
    )
  })
}

interface LobbyPlace {
  readonly path: Path
  readonly namespace: PlacedNamespace
  readonly regionIds: KnownIds
}

function checkLobby(lobby: LobbyEntry, { path, namespace, regionIds }: LobbyPlace): Problem[] {
  const mode = modeOfLobby(lobby, namespace.modes)
  const id = lobby.region_id
  const unknownRegion = checkReference({
    path: [...path, 'region_id'],
    id,
    owner: 'region',
    known: regionIds,
    reliesOn: { entries: [['regions']] },
  })
  if (!mode) return [...modeProblem(lobby, { path, namespace }), ...unknownRegion]
  const regionProblem = unknownRegion.length > 0 ? unknownRegion : checkEnabled(id, { path, mode, namespace })
  return [...regionProblem, ...checkSeats(lobby, { path, mode, reliesOn: onMode(mode, namespace, [path]) })]
}

function modeProblem(
  { game_mode_id }: LobbyEntry,
  { path, namespace }: Pick<LobbyPlace, 'path' | 'namespace'>,
): Problem[] {
  const at = [...path, 'game_mode_id']
  const entries = [[...namespace.path, 'game_modes']]
  if (game_mode_id === undefined) {
    const said = 'is missing, and the namespace has no game mode to be the default.'
    return [problem(at, said, { whole: [at], entries })]
  }
  const owner = 'game mode of the namespace'
  return checkReference({ path: at, id: game_mode_id, owner, known: namespace.modes, reliesOn: { entries } })
}

interface InMode {
  readonly path: Path
  readonly mode: Mode
  readonly namespace: PlacedNamespace
}

/** What a problem relies on that concerns parts of a lobby and its game mode. */
function onMode({ game_mode_id }: Mode, namespace: PlacedNamespace, parts: readonly Path[]): Reliance {
  const modes = [...namespace.path, 'game_modes']
  const i = (namespace.given.game_modes ?? []).findIndex(
    entry => (typeof entry === 'string' ? entry : entry.game_mode_id) === game_mode_id,
  )
  return { whole: [...parts, [...modes, i]], entries: [modes, ['regions']] }
}

function checkEnabled(id: string | undefined, { path, mode, namespace }: InMode): Problem[] {
  const { regions, game_mode_id } = mode
  const at = [...path, 'region_id']
  if (id === undefined ? regions.length > 0 : regions.includes(id)) return []
  const said = () =>
    id === undefined
      ? `is missing, and game mode ${game_mode_id} enables no region.`
      : `is ${quoted(id)}, which game mode ${game_mode_id} does not enable.${knownChoices(id, regions)}`
  return [problem(at, said, onMode(mode, namespace, [[...path, 'game_mode_id'], at]))]
}

function checkPlayers({ path, given, modes }: PlacedNamespace): Problem[] {
  const unknown = Object.keys(given.players?.modes ?? {}).filter(id => !modes.has(id))
  return unknown.map(id =>
    keyProblem(
      [...path, 'players', 'modes', id],
      () => `is no game mode of the namespace.${knownChoices(id, [...modes.keys()])}`,
      { entries: [[...path, 'game_modes']] },
    ),
  )
}

function checkRush({ path, given: { players } }: PlacedNamespace): Problem[] {
  const isTooMuch = players !== undefined && isRush(simulationOf(players, 0))
  if (!isTooMuch) return []
  const at = [...path, 'players']
  return [problem(at, `asks for too many at once: ${rush}.`, { whole: [at] })]
}

function checkGenerate({ path, given, modes }: PlacedNamespace): Problem[] {
  const count = given.generate?.lobbies ?? 0
  const usable = [...modes.values()].some(mode => mode.regions.length > 0)
  if (count === 0 || usable) return []
  const said = `is ${count}, but no game mode of the namespace enables a region. Add one to game_modes.`
  return [problem([...path, 'generate', 'lobbies'], said, { whole: [[...path, 'game_modes'], ['regions']] })]
}
