import { didYouMean } from '../lib/did-you-mean.js'
import { quoted } from '../lib/quote.js'
import {
  type DeviceLinkRow,
  type GameModeRow,
  type GameRow,
  isSeated,
  type LobbyRow,
  type NamespaceRow,
  type PlayerRow,
  type SettingsRow,
  type SimulationRow,
  type TokenRow,
} from './rows.js'
import type { ReadTables } from './table.js'

/** What does not fit between a row that was put and the others: a sentence for a message, or `undefined`. */
type Check<Row> = (row: Row, tables: ReadTables) => string | undefined

/** The default namespace is there. */
export const checkSettings: Check<SettingsRow> = ({ default_namespace_id }, tables) =>
  reference({ default_namespace_id }, namespacesOf(tables))

/** No other game has its name. */
export const checkGame: Check<GameRow> = ({ game_id, name_id }, { games }) => {
  const other = games.findMany(q => q.where({ name_id })).find(game => game.game_id !== game_id)
  return other && `name_id is ${quoted(name_id)}, as that of ${other.game_id} is`
}

/** Its game is there, no other namespace of the game has its name, and nothing else has its domains. */
export const checkNamespace: Check<NamespaceRow> = (row, tables) => {
  const { namespace_id, game_id, name_id, domains, development } = row
  const namesakes = tables.namespaces.findMany(q => q.where({ game_id, name_id }))
  const other = namesakes.find(namespace => namespace.namespace_id !== namespace_id)
  return (
    reference({ game_id }, gamesOf(tables)) ??
    (other && `name_id is ${quoted(name_id)}, as that of ${other.namespace_id} is`) ??
    repeated({ domains }) ??
    checkDomains(row, tables) ??
    repeated(portLabels({ development }))
  )
}

const checkDomains: Check<NamespaceRow> = ({ namespace_id, domains }, { namespaces }) => {
  if (domains.length === 0) return undefined
  const own = new Set(domains)
  for (const other of namespaces.all()) {
    const domain = other.namespace_id === namespace_id ? undefined : other.domains.find(one => own.has(one))
    if (domain !== undefined) return `domains has ${quoted(domain)}, as those of ${other.namespace_id} have`
  }
  return undefined
}

/** Its namespace and its regions are there, none of its lobbies runs in a region that it lacks, and each port has a label of its own. */
export const checkGameMode: Check<GameModeRow> = ({ namespace_id, game_mode_id, regions, ports }, tables) => {
  const known = {
    has: (id: string) => tables.regions.get(id) !== undefined,
    ids: () => tables.regions.all().map(({ region_id }) => region_id),
  }
  const enabled = new Set(regions)
  const stranded = tables.lobbies
    .findMany(q => q.where({ namespace_id, game_mode_id }))
    .find(lobby => !enabled.has(lobby.region_id))
  return (
    reference({ namespace_id }, namespacesOf(tables)) ??
    reference({ regions: regions.find(id => !known.has(id)) }, known) ??
    (stranded && `regions lacks ${quoted(stranded.region_id)}, where lobby ${stranded.lobby_id} runs`) ??
    repeated({ 'ports.lobby_ports': ports?.lobby_ports.map(port => port.label) ?? [] })
  )
}

/** Its namespace and its game mode are there, and the mode enables its region. */
export const checkLobby: Check<LobbyRow> = ({ namespace_id, game_mode_id, region_id }, tables) => {
  const mode = tables.gameModes.get(`${namespace_id}/${game_mode_id}`)
  // Most do, and messages take longer to make.
  if (mode?.regions.includes(region_id) && tables.namespaces.get(namespace_id)) return undefined
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

/** Its lobby is there, in its namespace, and has not stopped where the player has a seat; and nothing else has its token. */
export const checkPlayer: Check<PlayerRow> = (player, { lobbies, tokens, deviceLinks }) => {
  const { player_token, lobby_id, namespace_id } = player
  const lobby = lobbies.get(lobby_id)
  if (!lobby) return `lobby_id is ${quoted(lobby_id)}, which does not exist`
  if (lobby.namespace_id !== namespace_id)
    return `namespace_id is ${quoted(namespace_id)}, and its lobby is in ${quoted(lobby.namespace_id)}`
  if (lobby.status === 'stopped' && isSeated(player)) return `lobby ${lobby_id}, where it has a seat, has stopped`
  const isBearer = tokens.get(player_token) ?? deviceLinks.get(player_token)
  return isBearer && 'player_token is that of something else already'
}

/** Its namespace is there, and has the game modes that are wanted. */
export const checkSimulation: Check<SimulationRow> = ({ namespace_id, modes }, tables) => {
  const known = {
    has: (id: string) => tables.gameModes.get(`${namespace_id}/${id}`) !== undefined,
    ids: () => tables.gameModes.findMany(q => q.where({ namespace_id })).map(mode => mode.game_mode_id),
  }
  const unknown = Object.keys(modes ?? {}).find(id => !known.has(id))
  return reference({ namespace_id }, namespacesOf(tables)) ?? reference({ modes: unknown }, known)
}

/** The game that it is, or will be, completed for is there, and nothing else has its id or its token. */
export const checkDeviceLink: Check<DeviceLinkRow> = (link, tables) => {
  const { device_link_id, device_link_token } = link
  const namesakes = tables.deviceLinks.findMany(q => q.where({ device_link_id }))
  const bearer = tables.tokens.get(device_link_token)
  return (
    reference({ [link.status === 'complete' ? 'game_id' : 'completes.game_id']: gameIdOf(link) }, gamesOf(tables)) ??
    (namesakes.length > 1 ? `device_link_id is ${quoted(device_link_id)}, as that of another link is` : undefined) ??
    (bearer && `device_link_token is a ${bearer.kind} token already`) ??
    (tables.players.get(device_link_token) && 'device_link_token is that of a player already')
  )
}

/** The game or the namespace whose it is is there, it is not that of a device link, and no two ports have one label. */
export const checkToken: Check<TokenRow> = (row, tables) => {
  const lost =
    row.kind === 'cloud'
      ? reference({ game_id: row.game_id }, gamesOf(tables))
      : reference({ namespace_id: row.namespace_id }, namespacesOf(tables))
  return (
    lost ??
    (tables.deviceLinks.get(row.token) && 'token is that of a device link already') ??
    (tables.players.get(row.token) && 'token is that of a player already') ??
    (row.kind === 'development' ? repeated(portLabels(row)) : undefined)
  )
}

/** The game that a device link is, or will be, completed for. */
export function gameIdOf(link: DeviceLinkRow): string | undefined {
  return link.status === 'complete' ? link.game_id : link.completes?.game_id
}

/** The labels of the ports of a game server, as `repeated` takes them. */
function portLabels({ development }: Pick<NamespaceRow, 'development'>): Readonly<Record<string, readonly string[]>> {
  return { 'development.lobby_ports': development?.lobby_ports.map(port => port.label) ?? [] }
}

/** What is named twice in a list, given as `{ column: names }`. */
function repeated(column: Readonly<Record<string, readonly string[]>>): string | undefined {
  for (const [name, values] of Object.entries(column)) {
    const seen = new Set<string>()
    const twice = values.find(value => seen.size === seen.add(value).size)
    if (twice !== undefined) return `${name} has ${quoted(twice)} twice`
  }
  return undefined
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
  why = 'which does not exist',
): string | undefined {
  for (const [name, id] of Object.entries(column)) {
    if (id === undefined || known.has(id)) continue
    return `${name} is ${quoted(id)}, ${why}.${didYouMean(id, known.ids())}`
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
