import { ApiError } from '../contract/errors.js'
import { utf8Length } from '../contract/formats.js'
import { type Limit, limits } from '../contract/limits.js'
import type { Join } from '../contract/lobbies.js'
import type { OperationInput } from '../contract/operations.js'
import { keepDigits, writeJson } from '../lib/json.js'
import { lazyFor } from '../lib/lazy.js'
import { didYouMean, quoted } from '../lib/messages.js'
import { lifetimeMs, mockServerMs } from '../store/columns.js'
import { maxPlayersColumns } from '../store/inputs.js'
import { type FindObstacle, findObstacle, freeSeats, modeKey, seatsTaken } from '../store/lobby-rules.js'
import type { GameModeRow, LobbyRow, PlayerRow } from '../store/matchmaker-rows.js'
import type { LobbyTables, Tables } from '../store/model.js'
import { createRow, fullestGroup } from '../store/models.js'
import { matchmakerDefaults, type RowInputs } from '../store/rows.js'
import { freshToken } from '../store/tokens.js'
import { readyWithinMs, startMissingServer } from './game-server.js'
import { cannedJoin, findLobbyById, joinOutput, seatPorts } from './lobbies.js'
import { compareDistances } from './regions.js'
import type { Client, Resolver, WriteCall } from './resolver.js'

interface Place {
  readonly mode: GameModeRow
  readonly region_id: string
  /** Its group in the index `fullest` of lobbies. */
  readonly group: string
}

type SeatCall = Pick<WriteCall<'lobbies.find'>, 'client' | 'tables' | 'random' | 'now'>

type FindInput = OperationInput<'lobbies.find'>

type FindCall = Pick<WriteCall<'lobbies.find'>, 'client' | 'input' | 'tables' | 'starter' | 'outageOf'>

/** Takes a seat in the fullest lobby that fits, or in a new one (PROTOCOL.md C). */
export const findLobby: Resolver<'lobbies.find'> = call => {
  const { caller, input } = call
  if (caller.kind === 'development') return cannedJoin(caller, call)
  const choice = chooseForFind(caller.namespaceId, call)
  return reserveSeat('lobby_id' in choice ? choice : createLobbyRow(choice, input, call), call)
}

/** Returns the lobby that find takes, or the place of a new one. Changes nothing. Throws `ApiError`. */
export function chooseForFind(namespaceId: string, call: FindCall): LobbyRow | Place {
  const { client, input, tables } = call
  const modes = findableModes(input, namespaceId, tables)
  checkTags(input.tags, modes)
  checkMaxPlayers(input.max_players, modes)
  const all = findPlaces(modes, input.regions, tables)
  checkAddress(namespaceId, client, tables)
  const places = upPlaces(all, call)
  const lobby = fullestLobby(places, call)
  if (lobby) return lobby
  if (input.prevent_auto_create_lobby) throw noneAvailable(all)
  // A new lobby gets the first mode, in the first requested region or else in the nearest one.
  const [first] = places
  if (!first) throw regionDown(all, call)
  const inMode = places.filter(({ mode }) => mode === first.mode)
  const place = input.regions ? first : nearestPlace(inMode, input, tables)
  checkNewLobby(place.mode, input, call)
  return place
}

/** Takes a seat in one lobby (PROTOCOL.md C). */
export const joinLobby: Resolver<'lobbies.join'> = call => {
  const { caller, client, input, tables } = call
  if (caller.kind === 'development') return cannedJoin(caller, call)
  const lobby = findLobbyById(caller.namespaceId, input.lobby_id, tables)
  checkJoinable(lobby, call)
  checkAddress(caller.namespaceId, client, tables)
  return reserveSeat(lobby, call)
}

/** Creates a lobby, and takes a seat in it (PROTOCOL.md C). */
export const createLobby: Resolver<'lobbies.create'> = call => {
  const { caller, client, input, tables } = call
  if (caller.kind === 'development') return cannedJoin(caller, call)
  const mode = findMode(input.game_mode, caller.namespaceId, tables)
  if (mode.disabled?.includes('create'))
    throw new ApiError(
      'MATCHMAKER_CUSTOM_LOBBIES_DISABLED',
      `game mode ${mode.game_mode_id} does not allow creating lobbies: remove create from its "disabled" list in the scenario`,
    )
  checkTags(input.tags, [mode])
  checkMaxPlayers(input.max_players, [mode])
  checkLobbyConfig(input.lobby_config)
  const regions = input.region === undefined ? undefined : [input.region]
  const places = findPlaces([mode], regions, tables)
  checkAddress(caller.namespaceId, client, tables)
  const up = upPlaces(places, call)
  if (up.length === 0) throw regionDown(places, call)
  const place = nearestPlace(up, input, tables)
  checkNewLobby(mode, input, call)
  const lobby = keepDigits({ ...input, publicity: input.publicity ?? 'private' }, input)
  return reserveSeat(createLobbyRow(place, lobby, call), call)
}

function findableModes({ game_modes }: FindInput, namespaceId: string, tables: LobbyTables): GameModeRow[] {
  if (game_modes.length === 0)
    throw new ApiError('MATCHMAKER_NO_GAME_MODE_PROVIDED', 'game_modes is empty: name at least one')
  const modes = [...new Set(game_modes)].map(id => findMode(id, namespaceId, tables))
  const disabled = modes.find(mode => mode.disabled?.includes('find'))
  if (!disabled) return modes
  throw new ApiError(
    'MATCHMAKER_FIND_DISABLED',
    `game mode ${disabled.game_mode_id} does not allow finding lobbies: remove find from its "disabled" list in the scenario`,
  )
}

function findMode(id: string, namespace_id: string, { gameModes }: LobbyTables): GameModeRow {
  const mode = gameModes.get(modeKey({ namespace_id, game_mode_id: id }))
  if (mode) return mode
  const known = gameModes.inIndex('namespace_id', { namespace_id }).map(({ game_mode_id }) => game_mode_id)
  const hint = known.length === 0 ? ' Add one to game_modes in the scenario, or load another scenario.' : ''
  throw new ApiError(
    'MATCHMAKER_GAME_MODE_NOT_FOUND',
    `the namespace has no game mode ${quoted(id)}.${didYouMean(id, known)}${hint}`,
  )
}

/** Lists the requested regions that each mode enables, by mode. Throws `ApiError` if there are none. */
function findPlaces(
  modes: readonly GameModeRow[],
  requested: readonly string[] | undefined,
  tables: LobbyTables,
): readonly [Place, ...Place[]] {
  const regions = requested && [...new Set(requested)]
  for (const id of regions ?? []) checkRegion(id, tables)
  const [first, ...others] = modes.flatMap(mode => {
    const enabled = placesOf(mode)
    return regions ? regions.flatMap(id => enabled.get(id) ?? []) : [...enabled.values()]
  })
  if (first) return [first, ...others]
  const names = modes.map(mode => `${mode.game_mode_id} (${mode.regions.join(', ') || 'none'})`)
  const wanted = regions === undefined ? 'any region' : `${regions.map(quoted).join(', ') || 'no region'}`
  throw new ApiError(
    'MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE',
    `the request asks for ${wanted}, but the game modes enable: ${names.join('; ')}`,
  )
}

function upPlaces(places: readonly Place[], { outageOf }: Pick<FindCall, 'outageOf'>): readonly Place[] {
  return places.some(({ region_id }) => outageOf(region_id) !== undefined)
    ? places.filter(({ region_id }) => outageOf(region_id) === undefined)
    : places
}

/** The failure of a new lobby in a region that is down: as in the service, it stops before it is ready. */
function regionDown([{ region_id }]: readonly [Place, ...Place[]], { outageOf }: Pick<FindCall, 'outageOf'>): ApiError {
  return new ApiError(
    'MATCHMAKER_LOBBY_STOPPED',
    `${region_id} is down, so a new lobby there stops before it is ready: ask for another region, or end fault ${outageOf(region_id)}`,
  )
}

/** Lists the places of a mode by region. Once for each mode, because building the groups took a sixth of the time of a find. */
const placesOf = lazyFor((mode: GameModeRow): ReadonlyMap<string, Place> => {
  const { namespace_id, game_mode_id, regions } = mode
  const groupOf = (region_id: string) => fullestGroup({ namespace_id, game_mode_id, region_id })
  return new Map(regions.map(region_id => [region_id, { mode, region_id, group: groupOf(region_id) }]))
})

function checkRegion(id: string, { regions }: LobbyTables): void {
  if (regions.get(id)) return
  const known = regions.all().map(({ region_id }) => region_id)
  throw new ApiError('MATCHMAKER_REGION_NOT_FOUND', `there is no region ${quoted(id)}.${didYouMean(id, known)}`)
}

/** Finds the lobby with the fewest free seats. On a tie, the nearest region wins, then the first requested mode, then the oldest lobby. */
function fullestLobby(places: readonly Place[], { client, input, tables, starter }: FindCall): LobbyRow | undefined {
  const compare = preference(input, tables)
  const player = { isSimulated: client.sessionMs !== undefined, starter }
  const fits = (lobby: LobbyRow) => findObstacle(lobby, input, player) === undefined
  let best: LobbyRow | undefined
  for (const { group } of places) {
    const lobby = tables.lobbies.firstInIndex('fullest', group, fits)
    if (lobby && (!best || compare(lobby, best) < 0)) best = lobby
  }
  return best
}

function preference(input: FindInput, tables: LobbyTables): (one: LobbyRow, other: LobbyRow) => number {
  const compare = compareDistances(input, tables)
  return (one, other) => freeSeats(one) - freeSeats(other) || compare(one.region_id, other.region_id)
}

/** A lobby in a requested mode and region, and why find did not choose it. */
export interface FindCandidate {
  readonly lobby: LobbyRow
  /** `undefined` for the lobby that find chooses. */
  readonly lostBy: FindObstacle | 'seats' | 'distance' | 'order' | undefined
}

/** The lobbies that a find compares. */
export interface FindCandidates {
  /** First the lobby that `findLobby` chooses, then the others that it could choose in their order, then the rest. */
  readonly first: readonly FindCandidate[]
  /** The number of other lobbies with as few free seats as the chosen one. */
  readonly ties: number
}

const mostCandidates = 50

/** Lists the first running lobbies in the requested modes and regions. Throws `ApiError` for a request that find refuses. */
export function findCandidates(
  namespaceId: string,
  { input, tables, starter }: Pick<FindCall, 'input' | 'starter'> & { readonly tables: LobbyTables },
): FindCandidates {
  const places = findPlaces(findableModes(input, namespaceId, tables), input.regions, tables)
  const orders = new Map(places.map(({ group }, order) => [group, order]))
  const orderOf = (lobby: LobbyRow) => orders.get(fullestGroup(lobby)) ?? -1
  const prefer = preference(input, tables)
  const compare = (one: LobbyRow, other: LobbyRow) => prefer(one, other) || orderOf(one) - orderOf(other)
  const fitting: LobbyRow[] = []
  const rest: FindCandidate[] = []
  const seats = new Map<number, number>()
  for (const lobby of tables.lobbies.all()) {
    if (lobby.namespace_id === namespaceId && lobby.status !== 'stopped' && orderOf(lobby) !== -1) {
      const lostBy = findObstacle(lobby, input, { starter })
      if (lostBy === undefined) {
        insertSorted(fitting, lobby, compare)
        seats.set(freeSeats(lobby), (seats.get(freeSeats(lobby)) ?? 0) + 1)
      } else if (rest.length < mostCandidates) rest.push({ lobby, lostBy })
    }
  }
  const [best, ...others] = fitting
  if (!best) return { first: rest, ties: 0 }
  const losers = others.map((lobby): FindCandidate => {
    if (freeSeats(lobby) > freeSeats(best)) return { lobby, lostBy: 'seats' }
    return { lobby, lostBy: prefer(best, lobby) < 0 ? 'distance' : 'order' }
  })
  const first = [{ lobby: best, lostBy: undefined }, ...losers, ...rest].slice(0, mostCandidates)
  return { first, ties: (seats.get(freeSeats(best)) ?? 1) - 1 }
}

/** Inserts a lobby into a sorted list, behind equal ones. Beyond the most candidates, the last one goes. */
function insertSorted(sorted: LobbyRow[], lobby: LobbyRow, compare: (one: LobbyRow, other: LobbyRow) => number): void {
  const behind = sorted.findLastIndex(other => compare(other, lobby) <= 0)
  sorted.splice(behind + 1, 0, lobby)
  if (sorted.length > mostCandidates) sorted.pop()
}

/** Returns the place that is nearest to the client, and the first of those that are as near. There is at least one. */
function nearestPlace(places: readonly Place[], input: Pick<FindInput, 'x-coords'>, tables: LobbyTables): Place {
  const compare = compareDistances(input, tables)
  return places.reduce((best, place) => (compare(place.region_id, best.region_id) < 0 ? place : best))
}

function noneAvailable(places: readonly Place[]): ApiError {
  const modes = [...new Set(places.map(({ mode }) => mode.game_mode_id))]
  const regions = [...new Set(places.map(({ region_id }) => region_id))]
  return new ApiError(
    'MATCHMAKER_NO_AVAILABLE_LOBBIES',
    `no matching lobby has a free seat (game modes ${modes.join(', ')}; regions ${regions.join(', ')}), and prevent_auto_create_lobby forbids a new one: leave it out, or free a seat`,
  )
}

function checkJoinable(
  lobby: LobbyRow,
  { tables: { gameModes }, starter, outageOf }: Pick<WriteCall<'lobbies.join'>, 'tables' | 'starter' | 'outageOf'>,
): void {
  const { lobby_id, region_id, game_mode_id, max_players_direct } = lobby
  if (lobby.status === 'stopped') {
    const end = outageOf(region_id) === undefined ? starter.endText(lobby_id) : `its region ${region_id} is down`
    const because = end === undefined ? '' : `, and ${end}`
    throw new ApiError(
      'MATCHMAKER_LOBBY_STOPPED',
      `lobby ${lobby_id} has stopped${because}: GET /matchmaker/lobbies/list shows the open ones`,
    )
  }
  if (gameModes.get(modeKey(lobby))?.disabled?.includes('join')) {
    throw new ApiError(
      'MATCHMAKER_JOIN_DISABLED',
      `game mode ${game_mode_id} does not allow joining lobbies by id: remove join from its "disabled" list in the scenario`,
    )
  }
  if (lobby.run_by === 'none' && !starter.starts(lobby)) {
    throw new ApiError(
      'MATCHMAKER_LOBBY_STOPPED',
      `lobby ${lobby_id} has no game server, and no command starts one: add servers.command to the scenario, or set run_by to server`,
    )
  }
  if (seatsTaken(lobby) >= max_players_direct) {
    throw new ApiError(
      'MATCHMAKER_LOBBY_FULL',
      `lobby ${lobby_id} is full: ${seatsTaken(lobby)} of ${max_players_direct} seats are taken. Disconnect a player, or find or create another lobby`,
    )
  }
}

/** Simulated players may not use this share of the lobbies of a namespace. */
const shareForClients = 1 / 8

function checkNewLobby(
  { namespace_id, game_mode_id, max_players_normal }: GameModeRow,
  { max_players = max_players_normal }: { readonly max_players?: number | undefined },
  { client, tables: { namespaces, lobbies } }: Pick<SeatCall, 'client' | 'tables'>,
): void {
  const most = namespaces.get(namespace_id)?.lobby_count_max ?? 0
  const running = lobbies.sum('running', namespace_id)
  const limit = client.sessionMs === undefined ? most : most - Math.floor(most * shareForClients)
  if (running >= limit) {
    const advice = running === 0 ? 'raise lobby_count_max' : 'stop one, or raise lobby_count_max'
    throw new ApiError(
      'MATCHMAKER_TOO_MANY_LOBBIES',
      `the namespace has ${running} of at most ${most} lobbies: ${advice} in mm-config`,
    )
  }
  if (max_players > 0) return
  throw new ApiError(
    'MATCHMAKER_LOBBY_FULL',
    `a lobby of game mode ${game_mode_id} has 0 seats: send max_players, or raise it in the scenario`,
  )
}

function createLobbyRow(
  { mode, region_id }: Place,
  input: Partial<Pick<OperationInput<'lobbies.create'>, 'publicity' | 'tags' | 'max_players' | 'lobby_config'>>,
  { client, tables, random, now }: SeatCall,
): LobbyRow {
  const { namespace_id, game_mode_id } = mode
  const { publicity = 'public', tags = {}, max_players, lobby_config } = input
  // A lobby that simulated players create has a simulated server.
  const settings = tables.settings.get('settings')
  const isSimulated = client.sessionMs !== undefined || (mode.servers ?? settings?.servers) !== 'manual'
  const columns: RowInputs['lobbies'] = {
    namespace_id,
    game_mode_id,
    region_id,
    ...maxPlayersColumns(max_players),
    publicity,
    ...(Object.keys(tags).length > 0 ? { tags } : {}),
    lobby_config,
    stops_at: now + lifetimeMs.lobby,
    ...(isSimulated
      ? { run_by: 'mock' }
      : { run_by: 'server', status: 'starting', ready_by: now + readyWithinMs(mode, tables) }),
  }
  return createRow('lobbies', keepDigits(columns, input), { tables, random, now })
}

/** Reserves a seat for a new player (PROTOCOL.md C). Starts a game server. Connects a simulated player. */
function reserveSeat(found: LobbyRow, { client, tables, random, now }: SeatCall): Join {
  const lobby = startMissingServer(found, tables, now)
  const { lobby_id, namespace_id, region_id } = lobby
  const { address, sessionMs: session_ms } = client
  const token = freshToken('player', { random, tables })
  // Written without spreads, which cost more than the rest of the function.
  if (session_ms === undefined) {
    const player: Extract<PlayerRow, { status: 'reserved' }> = {
      player_token: token,
      lobby_id,
      namespace_id,
      address,
      status: 'reserved',
    }
    // The seats of a starting lobby begin to expire when it is ready.
    if (lobby.status !== 'starting') player.expires_at = now + lifetimeMs.seat
    if (lobby.run_by === 'mock') player.connects_at = now + mockServerMs.connects
    player.removes_at = now + lifetimeMs.player
    tables.players.put(Object.freeze(player))
  } else {
    const seat = { player_token: token, lobby_id, namespace_id, address }
    tables.players.put(Object.freeze({ ...seat, session_ms, status: 'connected', leaves_at: now + session_ms }))
  }
  const display_name = tables.regions.get(region_id)?.region_display_name ?? region_id
  return joinOutput(lobby_id, { region_id, display_name }, seatPorts(lobby, tables, client.host), token)
}

/** Throws `ApiError` if no more players may come from the client's address (PROTOCOL.md B6). */
function checkAddress(namespace_id: string, { address, isLocal }: Client, { namespaces, players }: Tables): void {
  const limit = namespaces.get(namespace_id)?.max_players
  // On one machine, all players have the same address.
  if (limit === undefined && isLocal) return
  const most = limit ?? matchmakerDefaults.max_players
  const taken = players.sum('seats', `${namespace_id} ${address}`)
  if (taken < most) return
  const advice =
    taken === 0 ? 'raise max_players in mm-config' : 'raise max_players in mm-config, or disconnect a player'
  throw new ApiError(
    'MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE',
    `${address} has ${taken} of at most ${most} players in the namespace: ${advice}`,
  )
}

/**
 * Throws `ApiError` if a game mode does not allow `max_players` (PROTOCOL.md C). Allowed is 1 to the larger of the normal and
 * the direct maximum. With `dynamic_max_players: false`, no number is allowed.
 */
function checkMaxPlayers(max_players: number | undefined, modes: readonly GameModeRow[]): void {
  if (max_players === undefined) return
  if (max_players < 1) throw invalidMaxPlayers(`max_players is ${max_players}: send at least 1`)
  for (const { game_mode_id, dynamic_max_players, max_players_normal, max_players_direct } of modes) {
    if (dynamic_max_players === false)
      throw new ApiError(
        'MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED',
        `game mode ${game_mode_id} does not allow max_players: leave it out, or remove "dynamic_max_players: false" from the scenario`,
      )
    const most = Math.max(max_players_normal, max_players_direct)
    if (max_players > most)
      throw invalidMaxPlayers(`max_players is ${max_players}: send at most ${most} for game mode ${game_mode_id}`)
  }
}

function invalidMaxPlayers(message: string): ApiError {
  return new ApiError('MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID', message)
}

type Tags = Readonly<Record<string, string>>

/** Throws `ApiError` if there are too many tags, one is too long, or a game mode takes none (PROTOCOL.md C). */
function checkTags(tags: Tags = {}, modes: readonly GameModeRow[]): void {
  const entries = Object.entries(tags)
  if (entries.length === 0) return
  const { most, code } = limits.tags
  if (entries.length > most) throw new ApiError(code, `there are ${entries.length} tags: send at most ${most}`)
  for (const [name, value] of entries) {
    checkBytes(`tag ${quoted(name)}`, name, limits.tagNameBytes)
    checkBytes(`the value of tag ${quoted(name)}`, value, limits.tagBytes)
  }
  const tagless = modes.find(mode => mode.taggable === false)
  if (tagless)
    throw new ApiError(
      'MATCHMAKER_TAGS_DISABLED',
      `game mode ${tagless.game_mode_id} takes no tags: leave tags out, or remove "taggable: false" from the scenario`,
    )
}

/** Throws `ApiError` if the JSON of a lobby's config is too long (PROTOCOL.md C). Null is no config. */
function checkLobbyConfig(config: unknown): void {
  if (config !== undefined && config !== null) checkBytes('lobby_config', writeJson(config), limits.lobbyConfigBytes)
}

function checkBytes(subject: string, text: string, { most, code }: Limit): void {
  const bytes = utf8Length(text)
  if (bytes > most) throw new ApiError(code, `${subject} has ${bytes} bytes: send at most ${most}`)
}
