import * as z from 'zod'
import { Coordinates } from '../contract/coordinates.js'
import { DisplayName } from '../contract/display-name.js'
import { exact } from '../contract/exact.js'
import { HostName } from '../contract/host-name.js'
import { Identifier } from '../contract/identifier.js'
import { Json } from '../contract/json.js'
import { Lobby, MaxPlayers } from '../contract/lobby.js'
import { Port } from '../contract/port.js'
import { Region } from '../contract/region.js'
import { Uint32 } from '../contract/uint32.js'
import { Time } from './time.js'

/** Ids stand in paths and are joined by `/`. */
const Id = z.string().regex(/^[^/\s]{1,128}$/, 'expected 1 to 128 characters without white space or /')
/** What a token is written with: tokens are opaque, and a real one is longer than any id (PROTOCOL.md B1). */
export const tokenPattern = /^[!-~]+$/
const Token = z.string().regex(tokenPattern, 'expected visible ASCII without white space')

/** What holds for the whole world. There is one row. */
export const SettingsRow = exact({
  settings_id: z.literal('settings'),
  cdn_domain: HostName,
  default_namespace_id: Id.optional(),
  hide_empty_lobbies: z.boolean(),
  /** Where the player sits. Without it, and without `x-coords`, distances are 0. */
  client: Coordinates.optional(),
  /** Where the links that are handed out point; no slash at its end. */
  public_url: z.string(),
})
export type SettingsRow = z.output<typeof SettingsRow>

/** A game, by the names that people and host names give it. */
export const GameRow = exact({
  game_id: Id,
  name_id: Identifier,
  display_name: DisplayName,
  created_at: Time,
  /** Of the people who make the game. */
  developer_group_id: Id,
})
export type GameRow = z.output<typeof GameRow>

/** A port of the game server of a development token: what it does not have is absent. */
export const LobbyPort = Port.extend({
  label: Identifier,
  target_port: Port.shape.target_port.unwrap().unwrap().optional(),
  port_range: Port.shape.port_range.unwrap().unwrap().optional(),
})
export type LobbyPort = z.output<typeof LobbyPort>

/** Where the game server of a development token runs. */
export const Development = z.object({ hostname: z.string(), lobby_ports: z.array(LobbyPort) })
export type Development = z.output<typeof Development>

/** A namespace of a game: who may call it, from where, and how much it bears. */
export const NamespaceRow = exact({
  namespace_id: Id,
  game_id: Id,
  name_id: Identifier,
  display_name: DisplayName,
  created_at: Time,
  /** Of the game, which it runs. */
  version_id: Id,
  /** Whether lobbies.list needs no token. */
  tokenless: z.boolean(),
  /** Host names whose pages belong to the namespace. */
  domains: z.array(HostName),
  lobby_count_max: Uint32,
  /** From one client address. Absent until a scenario or an mm-config sets it: then 8, and loopback addresses are not counted. */
  max_players: Uint32.optional(),
  /** Of its development tokens that have none of their own. */
  development: Development.optional(),
})
export type NamespaceRow = z.output<typeof NamespaceRow>

/** A game mode of a namespace. Its id is unique in the namespace only. */
export const GameModeRow = exact({
  namespace_id: Id,
  game_mode_id: Id,
  ...MaxPlayers.shape,
  /** Ids of the regions that the mode enables. */
  regions: z.array(z.string()),
  /** Whether its lobbies are listed. */
  listable: z.boolean(),
})
export type GameModeRow = z.output<typeof GameModeRow>

/** A region, as the contract shows it but for the distance, which depends on who asks. */
export const RegionRow = exact({ ...Region.omit({ datacenter_distance_from_client: true }).shape, region_id: Id })
export type RegionRow = z.output<typeof RegionRow>

/** A lobby, listed or not, which takes no more players than it may. */
export const LobbyRow = exact({
  ...Lobby.shape,
  lobby_id: Id,
  namespace_id: Id,
  state: Json.optional(),
  publicity: z.enum(['public', 'private']),
  is_closed: z.boolean(),
}).refine(lobby => lobby.total_player_count <= mostPlayers(lobby), {
  path: ['total_player_count'],
  // What is refined has the shape already.
  error: issue =>
    `expected at most ${mostPlayers(issue.input as z.output<typeof MaxPlayers>)}, the most that the lobby takes`,
})
export type LobbyRow = z.output<typeof LobbyRow>

/** The most players that a lobby takes, in whichever way they come. */
export function mostPlayers(lobby: z.output<typeof MaxPlayers>): number {
  return Math.max(lobby.max_players_normal, lobby.max_players_direct, lobby.max_players_party)
}

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
    exact({
      ...linkFields,
      status: z.literal('pending'),
      /** When, and for which game, the world completes the link by itself. */
      completes: z.object({ at: Time, game_id: Id }).optional(),
    }),
    exact({ ...linkFields, status: z.literal('complete'), game_id: Id, cloud_token: Token }),
  ],
  { error: 'expected pending or complete' },
)
export type DeviceLinkRow = z.output<typeof DeviceLinkRow>

const tokenFields = { token: Token, expires_at: Time.optional() }
/** A bearer that the world knows, and whose it is. One without `expires_at` never expires. */
export const TokenRow = z.discriminatedUnion(
  'kind',
  [
    exact({
      ...tokenFields,
      kind: z.literal('development'),
      namespace_id: Id,
      /** Absent where it is that of the namespace. */
      development: Development.optional(),
    }),
    exact({ ...tokenFields, kind: z.literal('public'), namespace_id: Id }),
    exact({ ...tokenFields, kind: z.literal('cloud'), game_id: Id }),
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
  lobbies: Partial<LobbyRow>
  deviceLinks: Partial<DeviceLinkRow>
  tokens: TokenInput
}

/** A token to be minted says its kind and whose it is. */
export type TokenInput = TokenRow extends infer Row
  ? Row extends TokenRow
    ? Omit<Row, 'token'> & { token?: string }
    : never
  : never

/** What the tables of a world are called. */
export type TableName = keyof Rows
