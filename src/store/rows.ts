import * as z from 'zod'
import { DisplayName, HostName, Identifier, Uint32, Uuid } from '../contract/formats.js'
import { MaxPlayers } from '../contract/lobbies.js'
import { Port } from '../contract/namespace-tokens.js'
import { Coordinates, Region } from '../contract/regions.js'
import { Id, Token } from './id.js'
import type { LobbyRow } from './lobby-row.js'
import type { PlayerRow } from './player-row.js'
import type { SimulationRow } from './simulation-row.js'
import { Time } from './time.js'

/** What holds for the whole world. There is one row. */
export const SettingsRow = z.strictObject({
  settings_id: z.literal('settings'),
  cdn_domain: HostName,
  default_namespace_id: Id.optional(),
  hide_empty_lobbies: z.boolean(),
  /** Who plays the game servers of lobbies: the mock, until a server calls, or only servers. */
  servers: z.enum(['auto', 'manual']),
  /** Where the player sits. Without it, and without `x-coords`, distances are 0. */
  client: Coordinates.optional(),
  /** Where the links that are handed out point; no slash at its end. */
  public_url: z.string(),
})
export type SettingsRow = z.output<typeof SettingsRow>

/** A game, by the names that people and host names give it. */
export const GameRow = z.strictObject({
  game_id: Id,
  name_id: Identifier,
  display_name: DisplayName,
  created_at: Time,
  /** Of the people who make the game. */
  developer_group_id: Id,
})
export type GameRow = z.output<typeof GameRow>

/** A port of a game server, whose label is an identifier. */
export const LobbyPort = Port.extend({ label: Identifier })
export type LobbyPort = z.output<typeof LobbyPort>

/** Where a game server runs, and the ports that it opens. */
export const ServerPorts = z.object({ hostname: z.string(), lobby_ports: z.array(LobbyPort) })
export type ServerPorts = z.output<typeof ServerPorts>

/** A namespace of a game: who may call it, from where, and how much it bears. */
export const NamespaceRow = z.strictObject({
  namespace_id: Id,
  game_id: Id,
  name_id: Identifier,
  display_name: DisplayName,
  created_at: Time,
  /** Of the game, which it runs. */
  version_id: Id,
  /** Whether clients need no token to list, find, join and create lobbies, and to list regions. */
  tokenless: z.boolean(),
  /** Host names whose pages belong to the namespace. */
  domains: z.array(HostName),
  lobby_count_max: Uint32,
  /** From one client address. Absent until a scenario or an mm-config sets it: then 8, and loopback addresses are not counted. */
  max_players: Uint32.optional(),
  /** Of its development tokens that have none of their own, and of the servers of its modes that have none. */
  development: ServerPorts.optional(),
})
export type NamespaceRow = z.output<typeof NamespaceRow>

/** A game mode of a namespace. Its id is unique in the namespace only. */
export const GameModeRow = z.strictObject({
  namespace_id: Id,
  game_mode_id: Id,
  ...MaxPlayers.shape,
  /** Ids of the regions that the mode enables. */
  regions: z.array(z.string()),
  /** Whether its lobbies are listed. */
  listable: z.boolean(),
  /** How lobbies of the mode are not to be had. Absent: in any way. */
  disabled: z.array(z.enum(['find', 'join', 'create'])).optional(),
  /** Whether find and create may say how many players a lobby takes. Absent: true. */
  dynamic_max_players: z.boolean().optional(),
  /** Whether find and create may name tags. Absent: true. */
  taggable: z.boolean().optional(),
  /** Where its game servers run. Absent: as the namespace says. */
  ports: ServerPorts.optional(),
})
export type GameModeRow = z.output<typeof GameModeRow>

/** A region, as the contract shows it but for the distance, which depends on who asks. */
export const RegionRow = z.strictObject({
  ...Region.omit({ datacenter_distance_from_client: true }).shape,
  region_id: Id,
  /** Its id on the cloud side, where `region_id` is called `region_name_id` (PROTOCOL.md D). */
  region_uuid: Uuid,
})
export type RegionRow = z.output<typeof RegionRow>

const linkFields = {
  device_link_token: Token,
  device_link_id: Id,
  /** Absent where the link never expires. */
  expires_at: Time.optional(),
}
/** A device link: pending, or complete with the cloud token that the device gets (PROTOCOL.md B8). */
export const DeviceLinkRow = z.discriminatedUnion(
  'status',
  [
    z.strictObject({
      ...linkFields,
      status: z.literal('pending'),
      /** When, and for which game, the world completes the link by itself. */
      completes: z.object({ at: Time, game_id: Id }).optional(),
    }),
    z.strictObject({ ...linkFields, status: z.literal('complete'), game_id: Id, cloud_token: Token }),
  ],
  { error: 'expected pending or complete' },
)
export type DeviceLinkRow = z.output<typeof DeviceLinkRow>

const tokenFields = { token: Token, expires_at: Time.optional() }
/** A bearer that the world knows, and whose it is. One without `expires_at` never expires. */
export const TokenRow = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      ...tokenFields,
      kind: z.literal('development'),
      namespace_id: Id,
      /** Absent where it is that of the namespace. */
      development: ServerPorts.optional(),
    }),
    z.strictObject({ ...tokenFields, kind: z.literal('public'), namespace_id: Id }),
    z.strictObject({ ...tokenFields, kind: z.literal('cloud'), game_id: Id }),
  ],
  { error: 'expected development, public or cloud' },
)
export type TokenRow = z.output<typeof TokenRow>

/** What each table keeps. */
export interface Rows {
  settings: SettingsRow
  games: GameRow
  regions: RegionRow
  namespaces: NamespaceRow
  gameModes: GameModeRow
  lobbies: LobbyRow
  players: PlayerRow
  simulations: SimulationRow
  deviceLinks: DeviceLinkRow
  tokens: TokenRow
}

/** What `create` takes: what is absent is filled in. */
export interface Inputs {
  settings: SettingsRow
  games: Partial<GameRow> & Pick<GameRow, 'name_id'>
  regions: Partial<RegionRow> & Pick<RegionRow, 'region_id'>
  namespaces: Partial<NamespaceRow> & Pick<NamespaceRow, 'name_id'>
  gameModes: Partial<GameModeRow> & Pick<GameModeRow, 'game_mode_id'>
  lobbies: LobbyInput
  players: PlayerInput
  simulations: Partial<SimulationRow>
  deviceLinks: Partial<DeviceLinkRow>
  tokens: TokenInput
}

/** A lobby to be made; it is ready where nobody says otherwise. */
type LobbyInput = AnyOf<LobbyRow>

/** A player to be made says its lobby; it is connected where nobody says otherwise. */
type PlayerInput = AnyOf<PlayerRow> & Pick<PlayerRow, 'lobby_id'>

/** Columns of any kind of a union. */
type AnyOf<Row> = { readonly [Column in Row extends unknown ? keyof Row : never]?: ColumnOf<Row, Column> | undefined }
type ColumnOf<Row, Column> = Row extends unknown ? (Column extends keyof Row ? Row[Column] : never) : never

/** A token to be minted says its kind and whose it is. */
export type TokenInput = TokenRow extends infer Row
  ? Row extends TokenRow
    ? Omit<Row, 'token'> & { token?: string }
    : never
  : never

/** What the tables of a world are called. */
export type TableName = keyof Rows
