import * as z from 'zod'
import { quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import { lifetimeMs } from './columns.js'
import {
  catalogue,
  GameModeRow,
  isSeated,
  LobbyRow,
  lobbyDefaults,
  maxPlayersDefaults,
  mostPlayers,
  nextStepAt,
  PlayerRow,
  playerDefaults,
  RegionRow,
  regionDefaults,
  runBy,
  type SeatedPlayer,
  SimulationRow,
  seatsTaken,
  simulationDefaults,
  tooManyPlayers,
  withoutSeat,
} from './matchmaker-rows.js'
import {
  type DefaultsContext,
  type Model,
  type Models,
  nestedReference,
  parseRow,
  type RowChange,
  reference,
  type Tables,
  unknownReference,
} from './model.js'
import { defaultNamespaceId } from './namespaces.js'
import {
  DeviceLinkRow,
  deviceLinkDefaults,
  GameRow,
  inMemory,
  matchmakerDefaults,
  NamespaceRow,
  namespaceDefaults,
  type RowInputs,
  type Rows,
  SettingsRow,
  type TableName,
  TokenRow,
} from './rows.js'
import type { Table } from './table.js'
import { groupOf } from './table-state.js'
import { freshId, freshToken, tokenLabel } from './tokens.js'

/** The columns of the index `fullest`. The region is first: keys of different groups then differ in their first letters. */
const fullestColumns = ['region_id', 'game_mode_id', 'namespace_id'] as const

/** The group of the index `fullest` with the lobbies of a game mode in a region. */
export function fullestGroup(place: Pick<LobbyRow, 'region_id' | 'game_mode_id' | 'namespace_id'>): string {
  return groupOf(fullestColumns, place)
}

const plain = { indexes: {}, unique: {}, sums: {}, views: {}, references: [] }

/** The models of a world. Change sets list tables in this order. */
export const models: Models = {
  settings: {
    ...plain,
    schema: inMemory(SettingsRow),
    key: ['settings_id'],
    singular: 'settings',
    references: [reference(['default_namespace_id'], 'namespaces')],
    withDefaults: input => input,
    undeletable: 'the world needs it: update it instead',
  },
  games: {
    ...plain,
    schema: inMemory(GameRow),
    key: ['game_id'],
    singular: 'game',
    unique: { name_id: { column: 'name_id', values: ({ name_id }) => [name_id] } },
    withDefaults: (input, { random, tables, now }) => ({
      game_id: freshId(random, id => tables.games.get(id) !== undefined),
      display_name: input.name_id,
      created_at: now,
      developer_group_id: random.uuid(),
      ...input,
    }),
  },
  regions: {
    ...plain,
    schema: inMemory(RegionRow),
    key: ['region_id'],
    singular: 'region',
    indexes: { names: { columns: [] } },
    /** The regions in answers about a game, all in one group. */
    views: {
      names: {
        group: () => '',
        columns: ['region_id', 'region_uuid', 'provider_display_name', 'region_display_name'],
      },
    },
    withDefaults: (input, { random }) => ({
      ...regionDefaults,
      region_display_name: input.region_id,
      region_uuid: catalogue.find(({ region_id }) => region_id === input.region_id)?.region_uuid ?? random.uuid(),
      ...input,
    }),
  },
  namespaces: {
    ...plain,
    schema: inMemory(NamespaceRow),
    key: ['namespace_id'],
    singular: 'namespace',
    label: ({ name_id }) => name_id,
    references: [reference(['game_id'], 'games')],
    indexes: { game_id: { columns: ['game_id'] } },
    unique: {
      name_id: { values: ({ name_id }) => [name_id], within: 'game_id' },
      domains: { values: ({ domains }) => domains },
    },
    /** The namespaces in answers about their game. */
    views: {
      game_id: {
        group: ({ game_id }) => game_id,
        columns: ['namespace_id', 'created_at', 'display_name', 'version_id', 'name_id'],
      },
    },
    withDefaults: (input, { random, tables, now }) => ({
      namespace_id: freshId(random, id => tables.namespaces.get(id) !== undefined),
      game_id: tables.games.first()?.game_id,
      display_name: input.name_id,
      created_at: now,
      version_id: random.uuid(),
      ...namespaceDefaults,
      lobby_count_max: matchmakerDefaults.lobby_count_max,
      ...input,
    }),
    check: ({ after: { development } }) => repeatedPort('development.lobby_ports', development),
  },
  gameModes: {
    ...plain,
    schema: inMemory(GameModeRow),
    key: ['namespace_id', 'game_mode_id'],
    singular: 'game mode',
    label: ({ game_mode_id }) => game_mode_id,
    references: [
      reference(['namespace_id'], 'namespaces'),
      nestedReference('regions', ['regions'], 'regions', ({ regions }) => regions),
    ],
    indexes: { namespace_id: { columns: ['namespace_id'] } },
    withDefaults: (input, { tables }) => ({
      namespace_id: defaultNamespaceId(tables),
      ...maxPlayersDefaults,
      regions: tables.regions.all().map(region => region.region_id),
      listable: true,
      ...input,
    }),
    check: ({ before, after }, tables) =>
      (before && lobbyOutsideRegions(after, tables)) ?? repeatedPort('ports.lobby_ports', after.ports),
  },
  lobbies: {
    ...plain,
    schema: inMemory(LobbyRow),
    key: ['lobby_id'],
    singular: 'lobby',
    references: [reference(['namespace_id'], 'namespaces'), reference(['namespace_id', 'game_mode_id'], 'gameModes')],
    indexes: {
      namespace_id: { columns: ['namespace_id'] },
      /** Lobbies for find, the one with the fewest free seats first. */
      fullest: {
        columns: fullestColumns,
        rank(lobby) {
          if (lobby.status === 'stopped' || lobby.is_closed || lobby.publicity !== 'public') return undefined
          const free = lobby.max_players_normal - seatsTaken(lobby)
          return free > 0 ? free : undefined
        },
      },
      nextJobAt: { columns: [], rank: nextLobbyJobAt },
    },
    sums: {
      /** Taken seats: of reserved and of connected players. */
      players: { columns: ['namespace_id'], amount: seatsTaken, isWatched: true },
      running: { columns: ['namespace_id'], amount: ({ status }) => (status === 'stopped' ? 0 : 1) },
    },
    withDefaults(input, { tables, random }) {
      const namespace_id = input.namespace_id ?? defaultNamespaceId(tables)
      const modes = tables.gameModes.inIndex('namespace_id', { namespace_id: namespace_id ?? '' })
      const mode =
        input.game_mode_id === undefined ? modes[0] : modes.find(one => one.game_mode_id === input.game_mode_id)
      // The check of references reports an unknown mode.
      const { max_players_normal, max_players_direct, max_players_party } = mode ?? maxPlayersDefaults
      return {
        lobby_id: freshId(random, id => tables.lobbies.get(id) !== undefined),
        namespace_id,
        game_mode_id: mode?.game_mode_id,
        region_id: mode?.regions[0] ?? tables.regions.first()?.region_id,
        max_players_normal,
        max_players_direct,
        max_players_party,
        total_player_count: 0,
        reserved_player_count: 0,
        ...lobbyDefaults,
        run_by: runBy(input.status, { servers: tables.settings.get('settings')?.servers }),
        ...input,
      }
    },
    refuse: refuseLobbyChange,
    afterWrite: updatePlayers,
    check({ after: { namespace_id, game_mode_id, region_id } }, tables) {
      const regions = tables.gameModes.get(`${namespace_id}/${game_mode_id}`)?.regions ?? []
      if (regions.includes(region_id)) return undefined
      return unknownReference('region_id', region_id, regions, 'which the game mode does not enable')
    },
  },
  players: {
    ...plain,
    schema: inMemory(PlayerRow),
    key: ['player_token'],
    singular: 'player',
    references: [reference(['lobby_id'], 'lobbies', 'cascade')],
    indexes: { lobby_id: { columns: ['lobby_id'] }, nextJobAt: { columns: [], rank: nextPlayerJobAt } },
    sums: {
      /** Players with a seat, by address. */
      seats: { columns: ['namespace_id', 'address'], amount: player => (isSeated(player) ? 1 : 0) },
      connected: { columns: ['lobby_id'], amount: ({ status }) => (status === 'connected' ? 1 : 0) },
    },
    withDefaults: (input, { tables, random }) => ({
      player_token: freshToken('player', { random, tables }),
      // The check of references reports an unknown lobby.
      namespace_id: tables.lobbies.get(input.lobby_id)?.namespace_id ?? defaultNamespaceId(tables),
      ...playerDefaults,
      ...input,
    }),
    afterWrite: countSeats,
    check({ after }, { lobbies, tokens, deviceLinks }) {
      const { player_token, lobby_id, namespace_id } = after
      const lobby = lobbies.get(lobby_id)
      if (lobby && lobby.namespace_id !== namespace_id)
        return `namespace_id is ${quoted(namespace_id)}, but its lobby is in ${quoted(lobby.namespace_id)}`
      if (lobby?.status === 'stopped' && isSeated(after))
        return `status is ${after.status}, but lobby ${lobby_id} has stopped: stopped lobbies have no seats`
      const isTaken = tokens.get(player_token) ?? deviceLinks.get(player_token)
      return isTaken && 'player_token is taken by a bearer token or a device link: choose another'
    },
  },
  simulations: {
    ...plain,
    schema: inMemory(SimulationRow),
    key: ['namespace_id'],
    singular: 'simulation',
    references: [
      reference(['namespace_id'], 'namespaces', 'cascade'),
      nestedReference('modes', ['namespace_id', 'modes'], 'gameModes', ({ namespace_id, modes = {} }) =>
        Object.keys(modes).map(id => `${namespace_id}/${id}`),
      ),
    ],
    indexes: { nextJobAt: { columns: [], rank: ({ next_step_at }) => next_step_at } },
    withDefaults(input, { tables, now }) {
      const row = {
        namespace_id: defaultNamespaceId(tables),
        ...simulationDefaults,
        began_at: now,
        ...input,
      }
      const next_step_at = nextStepAt(row, now)
      return next_step_at === undefined ? row : { ...row, next_step_at, ...input }
    },
  },
  deviceLinks: {
    ...plain,
    schema: inMemory(DeviceLinkRow),
    key: ['device_link_token'],
    singular: 'device link',
    label: ({ device_link_id }) => device_link_id,
    references: [
      nestedReference('game_id', ['status', 'game_id'], 'games', link =>
        link.status === 'complete' ? [link.game_id] : [],
      ),
      nestedReference('completes.game_id', ['completes'], 'games', link =>
        link.status === 'pending' && link.completes ? [link.completes.game_id] : [],
      ),
    ],
    unique: { device_link_id: { column: 'device_link_id', values: link => [link.device_link_id] } },
    indexes: { nextJobAt: { columns: [], rank: nextLinkJobAt } },
    withDefaults: (input, { random, tables, now }) => ({
      device_link_token: freshToken('device', { random, tables }),
      device_link_id: freshId(random, id => tables.deviceLinks.withUnique('device_link_id', id) !== undefined),
      expires_at: now + lifetimeMs.deviceLink,
      ...deviceLinkDefaults,
      ...(input.status === 'complete' && input.cloud_token === undefined
        ? { cloud_token: freshToken('cloud', { random, tables }) }
        : {}),
      ...input,
    }),
    check({ after: { device_link_token } }, { tokens, players }) {
      const bearer = tokens.get(device_link_token)
      if (bearer) return `device_link_token is taken by a ${bearer.kind} token: choose another`
      return players.get(device_link_token) && 'device_link_token is taken by a player: choose another'
    },
  },
  tokens: {
    ...plain,
    schema: inMemory(TokenRow),
    key: ['token'],
    singular: 'token',
    label: ({ kind }) => kind,
    references: [reference(['game_id'], 'games'), reference(['namespace_id'], 'namespaces')],
    indexes: {
      namespace_id: { columns: ['namespace_id'], rank: token => (token.kind === 'cloud' ? undefined : 0) },
      game_id: { columns: ['game_id'], rank: token => (token.kind === 'cloud' ? 0 : undefined) },
    },
    withDefaults: (input, { random, tables, now }) => ({
      token: freshToken(tokenLabel(input, tables), { random, tables }),
      expires_at: now + lifetimeMs.token,
      ...input,
    }),
    check({ after }, { deviceLinks, players }) {
      if (deviceLinks.get(after.token)) return 'token is taken by a device link: choose another'
      if (players.get(after.token)) return 'token is taken by a player: choose another'
      return after.kind === 'development' ? repeatedPort('development.lobby_ports', after.development) : undefined
    },
  },
}

/** The names of all tables, in the order of `models`. */
export const tableNames = Object.keys(models) as TableName[] // the type of `models` has these keys and no other

/** Returns the fields that rows of a table may have. */
export function fieldsOf(name: TableName): readonly string[] {
  const schema: unknown = models[name].schema
  const shapes = schema instanceof z.ZodUnion ? schema.options.map(shapeOf) : [shapeOf(schema)]
  return [...new Set(shapes.flatMap(shape => Object.keys(shape)))]
}

function shapeOf(schema: unknown): object {
  return schema instanceof z.ZodObject ? schema.shape : {}
}

/** Returns the function that computes the id of a row: the values of its key, joined by `/`. */
export function idOf<Name extends TableName>(name: Name): (row: Rows[Name]) => string {
  const [first, ...others] = models[name].key
  if (others.length === 0) return row => row[first] as string // keys are texts
  return row => others.reduce((id, column) => `${id}/${row[column]}`, String(row[first]))
}

/** When the next job of a lobby is due, in ms since the epoch (PROTOCOL.md C). */
function nextLobbyJobAt(lobby: LobbyRow): number | undefined {
  if (lobby.status === 'stopped') return lobby.forgotten_at
  if (lobby.status === 'ready') return lobby.stops_at
  return earliest(lobby.ready_by, lobby.stops_at)
}

function nextPlayerJobAt(player: PlayerRow): number | undefined {
  if (player.status === 'reserved') return earliest(player.connects_at, earliest(player.expires_at, player.removes_at))
  return player.status === 'connected' ? earliest(player.leaves_at, player.removes_at) : player.forgotten_at
}

/** When the mock completes a link. A link that expires before has no job (PROTOCOL.md B8). */
function nextLinkJobAt(link: DeviceLinkRow): number | undefined {
  if (link.status !== 'pending' || !link.completes) return undefined
  const { at } = link.completes
  return link.expires_at !== undefined && link.expires_at <= at ? undefined : at
}

function earliest(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

/** Finds a lobby in a region that its mode no longer enables. */
function lobbyOutsideRegions(
  { namespace_id, game_mode_id, regions }: GameModeRow,
  { lobbies }: Tables,
): string | undefined {
  const enabled = new Set(regions)
  const outside = lobbies
    .inIndex('namespace_id', { namespace_id })
    .find(lobby => lobby.game_mode_id === game_mode_id && !enabled.has(lobby.region_id))
  return (
    outside && `regions lacks ${quoted(outside.region_id)}, but lobby ${outside.lobby_id} runs there: delete it first`
  )
}

function repeatedPort(column: string, server: NamespaceRow['development']): string | undefined {
  const seen = new Set<string>()
  for (const { label } of server?.lobby_ports ?? []) {
    if (seen.has(label)) return `${column} has ${quoted(label)} twice`
    seen.add(label)
  }
  return undefined
}

/** Refuses changes of the counts of a lobby that contradict its players. */
function refuseLobbyChange({ before, after }: RowChange<LobbyRow>, { players }: Tables): string | undefined {
  if (!after) return undefined
  if (before && before.namespace_id !== after.namespace_id)
    return `namespace_id cannot change to ${after.namespace_id}: create another lobby there`
  if (after.status === 'stopped' && after.total_player_count > (before?.total_player_count ?? 0))
    return `total_player_count is ${after.total_player_count}, but a stopped lobby has no players`
  const reserved = before?.reserved_player_count ?? 0
  if (after.reserved_player_count !== reserved)
    return `reserved_player_count is ${after.reserved_player_count}, but its players have ${reserved} reserved seats: create or delete players instead`
  if (!before || after.total_player_count >= before.total_player_count || after.status === 'stopped') return undefined
  const connected = players.sum('connected', after.lobby_id)
  if (after.total_player_count >= connected) return undefined
  return `total_player_count is ${after.total_player_count}, but ${connected} of its players are connected: delete players instead`
}

/** Keeps the seat counts of a lobby equal to its players. Throws `UsageError` if the lobby has no free seat. */
function countSeats({ before, after }: RowChange<PlayerRow>, tables: Tables): void {
  const left = before && isSeated(before) ? before : undefined
  const taken = after && isSeated(after) ? after : undefined
  if (left?.lobby_id !== taken?.lobby_id) {
    if (left) changeSeats(left.lobby_id, { left }, tables)
    if (taken) changeSeats(taken.lobby_id, { taken }, tables)
  } else if (left && taken && left.status !== taken.status) changeSeats(taken.lobby_id, { left, taken }, tables)
}

/** Counts one player less, one player more, or one whose status changes. */
function changeSeats(
  lobby_id: string,
  { left, taken }: { readonly left?: SeatedPlayer; readonly taken?: SeatedPlayer },
  { lobbies }: Tables,
): void {
  const lobby = lobbies.get(lobby_id)
  // The check of references reports a player without a lobby.
  if (!lobby) return
  const counted = { ...lobby }
  if (left) addSeat(counted, left, -1)
  if (taken) addSeat(counted, taken, 1)
  const [before, after] = [seatsTaken(lobby), seatsTaken(counted)]
  if (after > before && after > mostPlayers(counted))
    throw new UsageError(`lobby ${lobby_id}: ${tooManyPlayers(counted)}`)
  lobbies.put(Object.freeze(counted))
}

function addSeat(lobby: LobbyRow, { status }: SeatedPlayer, amount: 1 | -1): void {
  if (status === 'reserved') lobby.reserved_player_count += amount
  else lobby.total_player_count += amount
}

/** Updates the players of a lobby that becomes ready or stops. A deleted lobby cascades to its players. */
function updatePlayers({ before, after }: RowChange<LobbyRow>, tables: Tables, now: number): void {
  if (!before && after) countEarlierSeats(after, tables)
  if (before?.status === 'starting' && after?.status === 'ready') startSeatExpiry(after, tables, now)
  if (before && after?.status === 'stopped' && before.status !== 'stopped') removePlayers(after, tables, now)
}

/** Counts players that the same transaction created before their lobby. */
function countEarlierSeats({ lobby_id }: LobbyRow, tables: Tables): void {
  for (const player of tables.players.inIndex('lobby_id', { lobby_id }))
    if (isSeated(player)) changeSeats(lobby_id, { taken: player }, tables)
}

/** Starts the expiry of seats that were reserved while the lobby was starting (PROTOCOL.md C, Waiting). */
function startSeatExpiry({ lobby_id }: LobbyRow, { players }: Tables, now: number): void {
  for (const player of players.inIndex('lobby_id', { lobby_id })) {
    // Players of a scenario have no `removes_at`. They keep the times that the scenario gives.
    if (player.status !== 'reserved' || player.expires_at !== undefined || player.removes_at === undefined) continue
    players.put(Object.freeze({ ...player, expires_at: now + lifetimeMs.seat }))
  }
}

/** Removes the players of a stopped lobby. An hour later, the mock deletes both (PROTOCOL.md C). */
function removePlayers({ lobby_id }: LobbyRow, { players, lobbies }: Tables, now: number): void {
  for (const player of players.inIndex('lobby_id', { lobby_id }))
    if (isSeated(player)) players.put(withoutSeat(player, 'removed', now))
  const lobby = lobbies.get(lobby_id)
  if (lobby?.status !== 'stopped') return
  const { forgotten_at = now + lifetimeMs.retention } = lobby
  lobbies.put(Object.freeze({ ...lobby, total_player_count: 0, forgotten_at }))
}

/** Creates a row with its defaults, inside a transaction. Throws `UsageError`. */
export function createRow<Name extends TableName>(
  name: Name,
  input: RowInputs[Name],
  context: DefaultsContext,
): Rows[Name] {
  const model: Model = models[name]
  const row = parseRow(model.schema, model.withDefaults(input, context), `${name}.create`)
  const table: Table<object> = context.tables[name]
  table.put(row)
  return row as Rows[Name] // the schema of that model has checked it
}
