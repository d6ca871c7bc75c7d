import { quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
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
  removed,
  runBy,
  SimulationRow,
  seatsTaken,
  simulationDefaults,
  tooManyPlayers,
} from './matchmaker-rows.js'
import {
  type DefaultsContext,
  type Model,
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
import { lifetimeMs } from './time.js'
import { freshId, freshToken, tokenLabel } from './tokens.js'

const plain = { indexes: {}, unique: {}, sums: {}, views: {}, references: [] }

/** The models of a world, in the order in which one refers to another. */
export const models: { readonly [Name in TableName]: Model<Name> } = {
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
    /** The regions as games show them, all in one group without a name. */
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
    /** The namespaces as their game lists them. */
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
      (before && strandedLobby(after, tables)) ?? repeatedPort('ports.lobby_ports', after.ports),
  },
  lobbies: {
    ...plain,
    schema: inMemory(LobbyRow),
    key: ['lobby_id'],
    singular: 'lobby',
    references: [reference(['namespace_id'], 'namespaces'), reference(['namespace_id', 'game_mode_id'], 'gameModes')],
    indexes: {
      namespace_id: { columns: ['namespace_id'] },
      /** Lobbies that find may choose, the one with the fewest free seats first. */
      fullest: {
        columns: ['namespace_id', 'game_mode_id', 'region_id'],
        rank(lobby) {
          if (lobby.status === 'stopped' || lobby.is_closed || lobby.publicity !== 'public') return undefined
          const free = lobby.max_players_normal - seatsTaken(lobby)
          return free > 0 ? free : undefined
        },
      },
      nextJobAt: { columns: [], rank: nextLobbyJobAt },
    },
    sums: {
      /** Seats that are taken, reserved or connected. */
      players: { columns: ['namespace_id'], amount: seatsTaken, isWatched: true },
      running: { columns: ['namespace_id'], amount: ({ status }) => (status === 'stopped' ? 0 : 1) },
    },
    withDefaults(input, { tables, random }) {
      const namespace_id = input.namespace_id ?? defaultNamespaceId(tables)
      const modes = tables.gameModes.inIndex('namespace_id', { namespace_id: namespace_id ?? '' })
      const mode =
        input.game_mode_id === undefined ? modes[0] : modes.find(one => one.game_mode_id === input.game_mode_id)
      // An unknown mode is found when references are checked.
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
    afterWrite: followLobby,
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
      /** Players with a seat, by the address that they come from. */
      seats: { columns: ['namespace_id', 'address'], amount: player => (isSeated(player) ? 1 : 0) },
      connected: { columns: ['lobby_id'], amount: ({ status }) => (status === 'connected' ? 1 : 0) },
    },
    withDefaults: (input, { tables, random }) => ({
      player_token: freshToken('player', { random, tables }),
      // An unknown lobby is found when references are checked.
      namespace_id: tables.lobbies.get(input.lobby_id)?.namespace_id ?? defaultNamespaceId(tables),
      ...playerDefaults,
      ...input,
    }),
    afterWrite: countSeats,
    check({ after }, { lobbies, tokens, deviceLinks }) {
      const { player_token, lobby_id, namespace_id } = after
      const lobby = lobbies.get(lobby_id)
      if (lobby && lobby.namespace_id !== namespace_id)
        return `namespace_id is ${quoted(namespace_id)}, and its lobby is in ${quoted(lobby.namespace_id)}`
      if (lobby?.status === 'stopped' && isSeated(after)) return `lobby ${lobby_id}, where it has a seat, has stopped`
      const isTaken = tokens.get(player_token) ?? deviceLinks.get(player_token)
      return isTaken && 'player_token is that of something else already'
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
      nestedReference('game_id', ['status', 'game_id' as never], 'games', link =>
        link.status === 'complete' ? [link.game_id] : [],
      ),
      nestedReference('completes.game_id', ['completes' as never], 'games', link =>
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
      if (bearer) return `device_link_token is a ${bearer.kind} token already`
      return players.get(device_link_token) && 'device_link_token is that of a player already'
    },
  },
  tokens: {
    ...plain,
    schema: inMemory(TokenRow),
    key: ['token'],
    singular: 'token',
    label: ({ kind }) => kind,
    references: [reference(['game_id' as never], 'games'), reference(['namespace_id' as never], 'namespaces')],
    indexes: {
      namespace_id: { columns: ['namespace_id' as never], rank: token => (token.kind === 'cloud' ? undefined : 0) },
      game_id: { columns: ['game_id' as never], rank: token => (token.kind === 'cloud' ? 0 : undefined) },
    },
    withDefaults: (input, { random, tables, now }) => ({
      token: freshToken(tokenLabel(input, tables), { random, tables }),
      expires_at: now + lifetimeMs.token,
      ...input,
    }),
    check({ after }, { deviceLinks, players }) {
      if (deviceLinks.get(after.token)) return 'token is that of a device link already'
      if (players.get(after.token)) return 'token is that of a player already'
      return after.kind === 'development' ? repeatedPort('development.lobby_ports', after.development) : undefined
    },
  },
}

/** The names of all tables, in the order in which one refers to another. */
export const tableNames = Object.keys(models) as TableName[] // the type of `models` has these keys and no other

/** Makes the id of a row of a table: the values of its key, joined by `/`. */
export function idOf<Name extends TableName>(name: Name): (row: Rows[Name]) => string {
  const [first, ...others] = models[name].key
  if (others.length === 0) return row => row[first] as string // keys are texts
  return row => others.reduce((id, column) => `${id}/${row[column]}`, String(row[first]))
}

/** The first time when something happens to a lobby by itself, in ms since the epoch (PROTOCOL.md C). */
function nextLobbyJobAt(lobby: LobbyRow): number | undefined {
  if (lobby.status === 'stopped') return lobby.forgotten_at
  if (lobby.status === 'ready') return lobby.stops_at
  return earliest(lobby.ready_by, lobby.stops_at)
}

/** The same of a player. */
function nextPlayerJobAt(player: PlayerRow): number | undefined {
  if (player.status === 'reserved') return earliest(player.connects_at, earliest(player.expires_at, player.removes_at))
  return player.status === 'connected' ? earliest(player.leaves_at, player.removes_at) : player.forgotten_at
}

/** When a link completes by itself, unless it has expired by then (PROTOCOL.md B8). */
function nextLinkJobAt(link: DeviceLinkRow): number | undefined {
  if (link.status !== 'pending' || !link.completes) return undefined
  const { at } = link.completes
  return link.expires_at !== undefined && link.expires_at <= at ? undefined : at
}

function earliest(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return Math.min(one, other)
}

/** A lobby in a region that its mode no longer enables. */
function strandedLobby({ namespace_id, game_mode_id, regions }: GameModeRow, { lobbies }: Tables): string | undefined {
  const enabled = new Set(regions)
  const stranded = lobbies
    .inIndex('namespace_id', { namespace_id })
    .find(lobby => lobby.game_mode_id === game_mode_id && !enabled.has(lobby.region_id))
  return stranded && `regions lacks ${quoted(stranded.region_id)}, where lobby ${stranded.lobby_id} runs`
}

function repeatedPort(column: string, server: NamespaceRow['development']): string | undefined {
  const seen = new Set<string>()
  for (const { label } of server?.lobby_ports ?? []) {
    if (seen.has(label)) return `${column} has ${quoted(label)} twice`
    seen.add(label)
  }
  return undefined
}

/** Refuses changes by hand that disagree with the players of a lobby. */
function refuseLobbyChange({ before, after }: RowChange<LobbyRow>, { players }: Tables): string | undefined {
  if (!after) return undefined
  if (before && before.namespace_id !== after.namespace_id)
    return `namespace_id cannot become ${after.namespace_id}: create another lobby there`
  if (after.status === 'stopped' && after.total_player_count > (before?.total_player_count ?? 0))
    return `total_player_count is ${after.total_player_count}, and nobody is in a lobby that has stopped`
  const reserved = before?.reserved_player_count ?? 0
  if (after.reserved_player_count !== reserved)
    return `reserved_player_count is ${after.reserved_player_count}, and its players have ${reserved}: create or delete players instead`
  if (!before || after.total_player_count >= before.total_player_count || after.status === 'stopped') return undefined
  const connected = players.sum('connected', after.lobby_id)
  if (after.total_player_count >= connected) return undefined
  return `total_player_count is ${after.total_player_count}, and ${connected} of its players are connected: delete some instead`
}

/** Counts the seats of a lobby with its players. Throws `UsageError` where the lobby has no seat left. */
function countSeats({ before, after }: RowChange<PlayerRow>, tables: Tables): void {
  if (before?.lobby_id === after?.lobby_id && before?.status === after?.status) return
  if (before && isSeated(before)) addSeats(before, -1, tables)
  if (after && isSeated(after)) addSeats(after, 1, tables)
}

function addSeats({ lobby_id, status }: PlayerRow, amount: 1 | -1, { lobbies }: Tables): void {
  const lobby = lobbies.get(lobby_id)
  // A player without a lobby is found when references are checked.
  if (!lobby) return
  const counted = { ...lobby }
  if (status === 'reserved') counted.reserved_player_count += amount
  else counted.total_player_count += amount
  if (amount > 0 && seatsTaken(counted) > mostPlayers(counted))
    throw new UsageError(`lobby ${lobby_id}: ${tooManyPlayers(counted)}`)
  lobbies.put(Object.freeze(counted))
}

/** Changes the players of a lobby that becomes ready or stops. Those of a deleted lobby are deleted by reference. */
function followLobby({ before, after }: RowChange<LobbyRow>, tables: Tables, now: number): void {
  if (!before && after) countEarlierSeats(after, tables)
  if (before?.status === 'starting' && after?.status === 'ready') startSeats(after, tables, now)
  if (before && after?.status === 'stopped' && before.status !== 'stopped') removePlayers(after, tables, now)
}

/** Counts players who were created before their lobby, in the same transaction. */
function countEarlierSeats({ lobby_id }: LobbyRow, tables: Tables): void {
  for (const player of tables.players.inIndex('lobby_id', { lobby_id }))
    if (isSeated(player)) addSeats(player, 1, tables)
}

/** Seats that calls took while the lobby was starting expire counted from now (PROTOCOL.md C, Waiting). */
function startSeats({ lobby_id }: LobbyRow, { players }: Tables, now: number): void {
  for (const player of players.inIndex('lobby_id', { lobby_id })) {
    // A player of the scenario has no age, and keeps the times that the scenario gives.
    if (player.status !== 'reserved' || player.expires_at !== undefined || player.removes_at === undefined) continue
    players.put(Object.freeze({ ...player, expires_at: now + lifetimeMs.seat }))
  }
}

/** Removes the players of a stopped lobby. The mock forgets both after a while (PROTOCOL.md C). */
function removePlayers({ lobby_id }: LobbyRow, { players, lobbies }: Tables, now: number): void {
  for (const player of players.inIndex('lobby_id', { lobby_id }))
    if (isSeated(player)) players.put(removed(player, now))
  const lobby = lobbies.get(lobby_id)
  if (lobby?.status !== 'stopped') return
  const { forgotten_at = now + lifetimeMs.gone } = lobby
  lobbies.put(Object.freeze({ ...lobby, total_player_count: 0, forgotten_at }))
}

/** Creates a row with its defaults, inside a transaction, and returns it as it is then. Throws `UsageError`. */
export function createRow<Name extends TableName>(
  name: Name,
  input: RowInputs[Name],
  context: DefaultsContext,
): Rows[Name] {
  const model = models[name] as Model<Name> // one name for both
  const row = parseRow<Rows[Name]>(model.schema, model.withDefaults(input, context), `${name}.create`)
  const table = context.tables[name] as unknown as Table<Rows[Name]>
  table.put(row)
  return row
}
