import { quoted } from '../contract/issue.js'
import { knownChoices } from '../contract/nearest.js'
import type { DeviceLinkRow, GameModeRow, LobbyRow, NamespaceRow, SettingsRow, TokenRow } from './rows.js'
import type { ReadTables } from './table.js'

/** What does not fit between a row that was put and the others: a sentence for a message, or `undefined`. */
type Check<Row> = (row: Row, tables: ReadTables) => string | undefined

/** The default namespace is there. */
export const checkSettings: Check<SettingsRow> = ({ default_namespace_id }, tables) =>
  reference({ default_namespace_id }, namespacesOf(tables))

/** Its game is there, and no other namespace of the game has its name. */
export const checkNamespace: Check<NamespaceRow> = ({ namespace_id, game_id, name_id }, tables) => {
  const namesakes = tables.namespaces.findMany(q => q.where({ game_id, name_id }))
  const other = namesakes.find(namespace => namespace.namespace_id !== namespace_id)
  return (
    reference({ game_id }, gamesOf(tables)) ??
    (other && `name_id is ${quoted(name_id)}, as that of ${other.namespace_id} is`)
  )
}

/** Its namespace and its regions are there, and none of its lobbies runs in a region that it lacks. */
export const checkGameMode: Check<GameModeRow> = ({ namespace_id, game_mode_id, regions }, tables) => {
  const known = {
    has: (id: string) => tables.regions.get(id) !== undefined,
    ids: () => tables.regions.all().map(({ region_id }) => region_id),
  }
  const stranded = tables.lobbies
    .findMany(q => q.where({ namespace_id, game_mode_id }))
    .find(lobby => !regions.includes(lobby.region_id))
  return (
    reference({ namespace_id }, namespacesOf(tables)) ??
    regions.map(id => reference({ regions: id }, known)).find(problem => problem !== undefined) ??
    (stranded && `regions lacks ${quoted(stranded.region_id)}, where lobby ${stranded.lobby_id} runs`)
  )
}

/** Its namespace and its game mode are there, and the mode enables its region. */
export const checkLobby: Check<LobbyRow> = ({ namespace_id, game_mode_id, region_id }, tables) => {
  const mode = tables.gameModes.get(`${namespace_id}/${game_mode_id}`)
  const modes = {
    has: () => mode !== undefined,
    ids: () => tables.gameModes.findMany(q => q.where({ namespace_id })).map(row => row.game_mode_id),
  }
  const regions = { has: (id: string) => mode?.regions.includes(id) ?? false, ids: () => mode?.regions ?? [] }
  return (
    reference({ namespace_id }, namespacesOf(tables)) ??
    reference({ game_mode_id }, modes) ??
    reference({ region_id }, regions, 'which the game mode does not enable')
  )
}

/** The game that it is, or will be, completed for is there. */
export const checkDeviceLink: Check<DeviceLinkRow> = (link, tables) =>
  reference({ [link.status === 'complete' ? 'game_id' : 'completes.game_id']: gameOf(link) }, gamesOf(tables))

/** The game or the namespace whose it is is there. */
export const checkToken: Check<TokenRow> = (token, tables) =>
  token.kind === 'cloud'
    ? reference({ game_id: token.game_id }, gamesOf(tables))
    : reference({ namespace_id: token.namespace_id }, namespacesOf(tables))

/** The game that a device link is, or will be, completed for. */
export function gameOf(link: DeviceLinkRow): string | undefined {
  return link.status === 'complete' ? link.game_id : link.completes?.game_id
}

/** What a reference may lead to. Their ids are asked for only where it leads to none of them. */
interface Known {
  has(id: string): boolean
  ids(): readonly string[]
}

/** What is wrong with a reference, given as `{ column: id }`. */
function reference(
  column: Readonly<Record<string, string | undefined>>,
  known: Known,
  why = 'which nothing has',
): string | undefined {
  for (const [name, id] of Object.entries(column)) {
    if (id === undefined || known.has(id)) continue
    return `${name} is ${quoted(id)}, ${why}.${knownChoices(id, known.ids())}`
  }
  return undefined
}

function gamesOf({ games }: ReadTables): Known {
  return { has: id => games.get(id) !== undefined, ids: () => games.all().map(({ game_id }) => game_id) }
}

function namespacesOf({ namespaces }: ReadTables): Known {
  return {
    has: id => namespaces.get(id) !== undefined,
    ids: () => namespaces.all().map(({ namespace_id }) => namespace_id),
  }
}
