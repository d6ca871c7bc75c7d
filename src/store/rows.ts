import * as z from 'zod'
import { Coordinates } from '../contract/coordinates.js'
import { Json } from '../contract/json.js'
import { Lobby, MaxPlayers } from '../contract/lobby.js'
import { Port } from '../contract/port.js'
import { Region } from '../contract/region.js'
import { Uint32 } from '../contract/uint32.js'

/** Ids stand in paths and are joined by `/`. */
const Id = z.string().regex(/^[^/\s]{1,128}$/, 'expected 1 to 128 characters without white space or /')
/** Milliseconds since the epoch, on the world's clock. */
const Time = z.int()

/** What holds for the whole world. There is one row. */
export const SettingsRow = z.object({
  settings_id: z.literal('settings'),
  cdn_domain: z.string().min(1),
  default_namespace_id: Id.optional(),
  hide_empty_lobbies: z.boolean(),
  /** Where the player sits. Without it, and without `x-coords`, distances are 0. */
  client: Coordinates.optional(),
  /** Where the links that are handed out point; no slash at its end. */
  public_url: z.string(),
})
export type SettingsRow = z.output<typeof SettingsRow>

export const GameRow = z.object({ game_id: Id, name_id: z.string(), display_name: z.string() })
export type GameRow = z.output<typeof GameRow>

export const NamespaceRow = z.object({
  namespace_id: Id,
  game_id: Id,
  name_id: z.string(),
  display_name: z.string(),
  /** Whether lobbies.list needs no token. */
  tokenless: z.boolean(),
  /** Host names whose pages belong to the namespace. */
  domains: z.array(z.string()),
  lobby_count_max: Uint32,
  /** From one client address. Absent until a scenario or an mm-config sets it: then 8, and loopback addresses are not counted. */
  max_players: Uint32.optional(),
  development: z.object({ hostname: z.string(), lobby_ports: z.array(Port) }).optional(),
})
export type NamespaceRow = z.output<typeof NamespaceRow>

export const GameModeRow = z.object({
  namespace_id: Id,
  game_mode_id: Id,
  ...MaxPlayers.shape,
  /** Ids of the regions that the mode enables. */
  regions: z.array(z.string()),
  /** Whether its lobbies are listed. */
  listable: z.boolean(),
})
export type GameModeRow = z.output<typeof GameModeRow>

export const RegionRow = Region.omit({ datacenter_distance_from_client: true }).extend({ region_id: Id })
export type RegionRow = z.output<typeof RegionRow>

export const LobbyRow = Lobby.extend({
  lobby_id: Id,
  namespace_id: Id,
  state: Json.optional(),
  publicity: z.enum(['public', 'private']),
  is_closed: z.boolean(),
}).refine(lobby => lobby.total_player_count <= mostPlayers(lobby), {
  path: ['total_player_count'],
  error: issue =>
    `expected at most ${mostPlayers(issue.input as z.output<typeof MaxPlayers>)}, the most that the lobby takes`,
})
export type LobbyRow = z.output<typeof LobbyRow>

/** The most players that a lobby takes, in whichever way they come. */
export function mostPlayers(lobby: z.output<typeof MaxPlayers>): number {
  return Math.max(lobby.max_players_normal, lobby.max_players_direct, lobby.max_players_party)
}

const linkFields = {
  device_link_token: Id,
  device_link_id: Id,
  /** Absent where the link never expires. */
  expires_at: Time.optional(),
}
export const DeviceLinkRow = z.discriminatedUnion('status', [
  z.object({
    ...linkFields,
    status: z.literal('pending'),
    /** When, and for which game, the world completes the link by itself. */
    completes: z.object({ at: Time, game_id: Id }).optional(),
  }),
  z.object({ ...linkFields, status: z.literal('complete'), game_id: Id, cloud_token: Id }),
])
export type DeviceLinkRow = z.output<typeof DeviceLinkRow>

const tokenFields = { token: Id, expires_at: Time.optional() }
export const TokenRow = z.discriminatedUnion('kind', [
  z.object({ ...tokenFields, kind: z.enum(['development', 'public']), namespace_id: Id }),
  z.object({ ...tokenFields, kind: z.literal('cloud'), game_id: Id }),
])
export type TokenRow = z.output<typeof TokenRow>
