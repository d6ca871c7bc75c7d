import type * as z from 'zod'
import { defaultNamespaceId } from './default-namespace.js'
import { type Filling, fillLobby, fillPlayer } from './filling.js'
import {
  checkDeviceLink,
  checkGame,
  checkGameMode,
  checkLobby,
  checkNamespace,
  checkPlayer,
  checkSettings,
  checkSimulation,
  checkToken,
  gameIdOf,
} from './fit.js'
import { freshId, freshToken } from './fresh.js'
import {
  DeviceLinkRow,
  GameModeRow,
  GameRow,
  type Inputs,
  inMemory,
  LobbyRow,
  matchmakerDefaults,
  maxPlayersDefaults,
  NamespaceRow,
  namespaceDefaults,
  PlayerRow,
  RegionRow,
  type Rows,
  regionDefaults,
  SettingsRow,
  SimulationRow,
  simulationDefaults,
  type TableName,
  type TokenInput,
  TokenRow,
} from './rows.js'
import { countSeats, followLobby, miscounted } from './seats.js'
import type { ReadTables } from './table.js'
import { lifetimeMs } from './time.js'
import type { Following, RowChange } from './writes.js'

type Column<Name extends TableName> = keyof Rows[Name] & string

/** What a kind of record is: its shape, what names it, and how it hangs together with the others. */
export interface Model<Name extends TableName> {
  readonly schema: z.ZodType<Rows[Name]>
  /** The columns that name a row; its id is their values, joined by `/`. */
  readonly key: readonly [Column<Name>, ...Column<Name>[]]
  /** Columns by whose value rows are looked up. */
  readonly indexes: readonly string[]
  fill(input: Inputs[Name], filling: Filling): unknown
  /** What speaks against what somebody makes of a row by hand. */
  refuses?(change: RowChange<Rows[Name]>, tables: ReadTables): string | undefined
  /** Changes what else changes with a row, in the same turn. */
  follow?(change: RowChange<Rows[Name]>, turn: Following): void
  /** What does not fit between a row that was put and the others. */
  check?(row: Rows[Name], tables: ReadTables): string | undefined
  /** What still needs a row that was deleted. */
  neededBy?(row: Rows[Name], tables: ReadTables): string | undefined
}

/** The models of a world, in the order in which one leans on another. */
export const models: { readonly [Name in TableName]: Model<Name> } = {
  settings: {
    schema: inMemory(SettingsRow),
    key: ['settings_id'],
    indexes: [],
    fill: input => input,
    check: checkSettings,
    neededBy: () => 'the world needs it: update it instead',
  },
  games: {
    schema: inMemory(GameRow),
    key: ['game_id'],
    indexes: ['name_id'],
    fill: (input, { random, tables, now }) => ({
      game_id: freshId(random, id => tables.games.get(id) !== undefined),
      display_name: input.name_id,
      created_at: now,
      developer_group_id: random.uuid(),
      ...input,
    }),
    check: checkGame,
    neededBy: ({ game_id }, { namespaces, tokens, deviceLinks }) =>
      use('namespace', namespaces.findFirst(q => q.where({ game_id }))?.name_id) ??
      use('token', tokens.findFirst(q => q.where({ game_id }))?.kind) ??
      use('device link', deviceLinks.all().find(link => gameIdOf(link) === game_id)?.device_link_id),
  },
  regions: {
    schema: inMemory(RegionRow),
    key: ['region_id'],
    indexes: [],
    fill: (input, { random }) => ({
      ...regionDefaults,
      region_display_name: input.region_id,
      region_uuid: random.uuid(),
      ...input,
    }),
    neededBy: ({ region_id }, { gameModes }) =>
      use('game mode', gameModes.all().find(mode => mode.regions.includes(region_id))?.game_mode_id),
  },
  namespaces: {
    schema: inMemory(NamespaceRow),
    key: ['namespace_id'],
    indexes: ['game_id'],
    fill: (input, { random, tables, now }) => ({
      namespace_id: freshId(random, id => tables.namespaces.get(id) !== undefined),
      game_id: tables.games.all()[0]?.game_id,
      display_name: input.name_id,
      created_at: now,
      version_id: random.uuid(),
      ...namespaceDefaults,
      lobby_count_max: matchmakerDefaults.lobby_count_max,
      ...input,
    }),
    check: checkNamespace,
    // Who comes to a namespace that is gone comes no more.
    follow: ({ before, after }, turn) => {
      if (before && !after) turn.delete('simulations', before.namespace_id)
    },
    neededBy: ({ namespace_id }, { gameModes, tokens, settings }) =>
      use('game mode', gameModes.findFirst(q => q.where({ namespace_id }))?.game_mode_id) ??
      use('token', tokens.findFirst(q => q.where({ namespace_id }))?.kind) ??
      use('settings', settings.findFirst(q => q.where({ default_namespace_id: namespace_id }))?.settings_id),
  },
  gameModes: {
    schema: inMemory(GameModeRow),
    key: ['namespace_id', 'game_mode_id'],
    indexes: ['namespace_id'],
    fill: (input, { tables }) => ({
      namespace_id: defaultNamespaceId(tables),
      ...maxPlayersDefaults,
      regions: tables.regions.all().map(region => region.region_id),
      listable: true,
      ...input,
    }),
    check: checkGameMode,
    neededBy: ({ namespace_id, game_mode_id }, { lobbies, simulations }) => {
      const { modes = {} } = simulations.get(namespace_id) ?? {}
      return (
        use('lobby', lobbies.findFirst(q => q.where({ namespace_id, game_mode_id }))?.lobby_id) ??
        use('simulation', Object.hasOwn(modes, game_mode_id) ? namespace_id : undefined)
      )
    },
  },
  lobbies: {
    schema: inMemory(LobbyRow),
    key: ['lobby_id'],
    indexes: ['namespace_id'],
    fill: fillLobby,
    refuses: miscounted,
    follow: followLobby,
    check: checkLobby,
  },
  players: {
    schema: inMemory(PlayerRow),
    key: ['player_token'],
    indexes: ['lobby_id'],
    fill: fillPlayer,
    follow: countSeats,
    check: checkPlayer,
  },
  simulations: {
    schema: inMemory(SimulationRow),
    key: ['namespace_id'],
    indexes: [],
    fill: (input, { tables, now }) => ({
      namespace_id: defaultNamespaceId(tables),
      ...simulationDefaults,
      began_at: now,
      ...input,
    }),
    check: checkSimulation,
  },
  deviceLinks: {
    schema: inMemory(DeviceLinkRow),
    key: ['device_link_token'],
    indexes: ['device_link_id'],
    fill: (input, { random, tables, now }) => ({
      device_link_token: freshToken('device', { random, tables }),
      device_link_id: freshId(
        random,
        id => tables.deviceLinks.findFirst(q => q.where({ device_link_id: id })) !== undefined,
      ),
      expires_at: now + lifetimeMs.deviceLink,
      status: 'pending',
      ...input,
    }),
    check: checkDeviceLink,
  },
  tokens: {
    schema: inMemory(TokenRow),
    key: ['token'],
    indexes: ['namespace_id', 'game_id'],
    fill: (input, { random, tables, now }) => ({
      token: freshToken(tokenLabel(input, tables), { random, tables }),
      expires_at: now + lifetimeMs.token,
      ...input,
    }),
    check: checkToken,
  },
}

/** The id of a row of that table: the values of its key, joined by `/`. */
export function idOf<Name extends TableName>(name: Name): (row: Rows[Name]) => string {
  const [first, ...others] = models[name].key
  return row => others.reduce((id, column) => `${id}/${row[column]}`, String(row[first]))
}

/** The names of all tables, in the order in which one leans on another. */
export const tableNames = Object.keys(models) as TableName[] // the type of `models` has these keys and no other

/** The first part of a token, for people to read: `dev_<name_id>`, `pub_<name_id>`, `cloud` (PROTOCOL.md B1). */
export function tokenLabel(token: TokenInput, { namespaces }: Pick<ReadTables, 'namespaces'>): string {
  if (token.kind === 'cloud') return 'cloud'
  return namespaceLabel(token.kind, namespaces.get(token.namespace_id)?.name_id ?? '')
}

/** The first part of a token of a namespace. */
export function namespaceLabel(kind: 'development' | 'public', nameId: string): string {
  return `${kind === 'development' ? 'dev' : 'pub'}_${nameId.replaceAll('-', '_')}`
}

function use(what: string, id: string | undefined): string | undefined {
  return id === undefined ? undefined : `${what} ${id} still needs it: delete that in the same turn, or leave this`
}
