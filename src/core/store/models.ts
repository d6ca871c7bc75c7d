import { quoted } from '../lib/messages.js'
import { lifetimeMs } from './columns.js'
import { findObstacle, freeSeats, isSeated, modeKey, seatsTaken } from './lobby-rules.js'
import {
  completeRegion,
  completeSimulation,
  GameModeRow,
  gameModeDefaults,
  LobbyRow,
  lobbyDefaults,
  maxPlayersDefaults,
  nextLobbyJobAt,
  nextPlayerJobAt,
  PlayerRow,
  playerDefaults,
  RegionRow,
  runBy,
  SimulationRow,
} from './matchmaker-rows.js'
import {
  type DefaultsContext,
  type Model,
  type Models,
  nestedReference,
  newRow,
  reference,
  type Tables,
  unknownReference,
} from './model.js'
import { defaultNamespaceId } from './namespaces.js'
import {
  DeviceLinkRow,
  deviceLinkDefaults,
  GameRow,
  matchmakerDefaults,
  NamespaceRow,
  namespaceDefaults,
  nextLinkJobAt,
  type RowInputs,
  type Rows,
  SettingsRow,
  schemasOf,
  type TableName,
  TokenRow,
} from './rows.js'
import { checkLobbyChange, countSeats, updatePlayers } from './seats.js'
import type { TreeTable } from './table.js'
import { groupOf } from './table-state.js'
import { freshId, freshToken, tokenLabel } from './tokens.js'

/** The columns of the index `fullest`. The region is first, so that most keys differ in their first letters. */
const fullestColumns = ['region_id', 'game_mode_id', 'namespace_id'] as const

/** Returns the group of the index `fullest` with the lobbies of a game mode in a region. */
export function fullestGroup(place: Pick<LobbyRow, 'region_id' | 'game_mode_id' | 'namespace_id'>): string {
  return groupOf(fullestColumns, place)
}

/** The schemas of a model, without references, indexes, sums and views. */
function plain<Schema extends Parameters<typeof schemasOf>[0]>(row: Schema) {
  return { indexes: {}, unique: {}, sums: {}, views: {}, references: [], ...schemasOf(row) }
}

/** The models of a world. */
export const models: Models = {
  settings: {
    ...plain(SettingsRow),
    key: ['settings_id'],
    singular: 'settings',
    references: [reference(['default_namespace_id'], 'namespaces')],
    withDefaults: input => input,
    undeletable: 'the world needs it: update it instead',
  },
  games: {
    ...plain(GameRow),
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
    ...plain(RegionRow),
    key: ['region_id'],
    singular: 'region',
    unique: { region_uuid: { column: 'region_uuid', values: ({ region_uuid }) => [region_uuid] } },
    indexes: { names: { columns: [] } },
    /** The regions in answers about a game. All are in one group. */
    views: {
      names: {
        group: () => '',
        columns: ['region_id', 'region_uuid', 'provider_display_name', 'region_display_name'],
      },
    },
    withDefaults: (input, { random }) => completeRegion(input, () => random.uuid()),
  },
  namespaces: {
    ...plain(NamespaceRow),
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
  },
  gameModes: {
    ...plain(GameModeRow),
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
      ...gameModeDefaults,
      regions: tables.regions.all().map(region => region.region_id),
      ...input,
    }),
    check: ({ before, after }, tables) => before && lobbyOutsideRegions(after, tables),
  },
  lobbies: {
    ...plain(LobbyRow),
    key: ['lobby_id'],
    singular: 'lobby',
    references: [
      reference(['namespace_id'], 'namespaces'),
      reference(['namespace_id', 'game_mode_id'], 'gameModes'),
      reference(['region_id'], 'regions'),
    ],
    indexes: {
      namespace_id: { columns: ['namespace_id'] },
      /** The lobbies that find may choose. The one with the fewest free seats is first. */
      fullest: {
        columns: fullestColumns,
        rank(lobby) {
          return findObstacle(lobby) === undefined ? freeSeats(lobby) : undefined
        },
      },
      /** The lobbies that a process of the mock serves. */
      served: {
        columns: [],
        rank: ({ run_by, status }) => (run_by === 'command' && status !== 'stopped' ? 0 : undefined),
      },
      nextJobAt: { columns: [], rank: nextLobbyJobAt },
    },
    sums: {
      /** The seats of reserved and of connected players. */
      players: { columns: ['namespace_id'], amount: seatsTaken, isWatched: true },
      reserved: { columns: ['namespace_id'], amount: lobby => lobby.reserved_player_count },
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
        run_by: runBy(input.status, { servers: mode?.servers ?? tables.settings.get('settings')?.servers }),
        ...input,
      }
    },
    checkPublicChange: checkLobbyChange,
    afterWrite: updatePlayers,
    check({ after }, tables) {
      const regions = tables.gameModes.get(modeKey(after))?.regions ?? []
      if (regions.includes(after.region_id)) return undefined
      return unknownReference('region_id', after.region_id, regions, 'which the game mode does not enable')
    },
  },
  players: {
    ...plain(PlayerRow),
    key: ['player_token'],
    singular: 'player',
    references: [reference(['lobby_id'], 'lobbies', 'cascade')],
    indexes: { lobby_id: { columns: ['lobby_id'] }, nextJobAt: { columns: [], rank: nextPlayerJobAt } },
    sums: {
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
    check({ after }, { lobbies }) {
      const { lobby_id, namespace_id } = after
      const lobby = lobbies.get(lobby_id)
      if (lobby && lobby.namespace_id !== namespace_id)
        return `namespace_id is ${quoted(namespace_id)}, but its lobby is in ${quoted(lobby.namespace_id)}`
      if (lobby?.status === 'stopped' && isSeated(after))
        return `status is ${after.status}, but lobby ${lobby_id} has stopped: stopped lobbies have no seats`
      return undefined
    },
  },
  simulations: {
    ...plain(SimulationRow),
    key: ['namespace_id'],
    singular: 'simulation',
    references: [
      reference(['namespace_id'], 'namespaces', 'cascade'),
      nestedReference('modes', ['namespace_id', 'modes'], 'gameModes', ({ namespace_id, modes = {} }) =>
        Object.keys(modes).map(id => `${namespace_id}/${id}`),
      ),
    ],
    indexes: { nextJobAt: { columns: [], rank: ({ next_step_at }) => next_step_at } },
    withDefaults: (input, { tables, now }) => ({
      namespace_id: defaultNamespaceId(tables),
      ...completeSimulation(input, now),
    }),
  },
  deviceLinks: {
    ...plain(DeviceLinkRow),
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
    /** The end of a link shows at its time only, and its id never. */
    shown: ['status', 'cloud_token'],
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
  },
  tokens: {
    ...plain(TokenRow),
    key: ['token'],
    singular: 'bearer token',
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
  },
}

/** Returns the fields that rows of a table may have. */
export function fieldsOf(name: TableName): readonly string[] {
  return Object.keys(models[name].columns)
}

/** Returns the function that computes the id of a row: the values of its key, joined by `/`. */
export function idOf<Name extends TableName>(name: Name): (row: Rows[Name]) => string {
  const [first, ...others] = models[name].key
  if (others.length === 0) return row => row[first] as string // keys are texts
  return row => others.reduce((id, column) => `${id}/${row[column]}`, String(row[first]))
}

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

/** Creates a row with its defaults, inside a transaction. Throws `UsageError`. */
export function createRow<Name extends TableName>(
  name: Name,
  input: RowInputs[Name],
  context: DefaultsContext,
): Rows[Name] {
  const model: Model = models[name]
  const row = newRow(model, input, context, `${name}.create`)
  const table: TreeTable<object> = context.tables[name]
  table.put(row)
  return row as Rows[Name] // the schema of that model has checked it
}
