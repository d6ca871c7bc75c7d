import * as z from 'zod'
import { Json, record } from '../lib/json.js'
import { Uint32 } from './formats.js'
import type { OperationSpec } from './operation.js'
import { CoordinatesHeader, Region } from './regions.js'

/** A game mode as `lobbies.list` shows it. `game_mode_id` is a short identifier without special characters. */
export const GameMode = z
  .object({ game_mode_id: z.string() })
  .meta({ id: 'GameMode', description: 'A game mode of a namespace.' })
export type GameMode = z.output<typeof GameMode>

/** The most players a lobby takes: by find, by join with its id, and as a party. */
export const MaxPlayers = z.object({
  max_players_normal: Uint32,
  max_players_direct: Uint32,
  max_players_party: Uint32,
})

/** A lobby as `lobbies.list` shows it. `total_player_count` counts connected players; `state` comes only when asked for. */
export const Lobby = z
  .object({
    region_id: z.string(),
    game_mode_id: z.string(),
    lobby_id: z.string(),
    ...MaxPlayers.shape,
    total_player_count: Uint32,
    state: record(z.unknown()).optional(),
  })
  .meta({
    id: 'Lobby',
    description:
      'An open lobby. `total_player_count` counts connected players; `state` comes only with `include_state=true`.',
  })
export type Lobby = z.output<typeof Lobby>

const Int32 = z.int32().meta({ format: 'int32' })

/** Where a port of a lobby is reached: one `port` with its `host`, or a `port_range`, inclusive. */
export const JoinPort = z
  .object({
    hostname: z.string(),
    host: z.string().meta({ description: '`hostname:port`. Absent with a range.' }).optional(),
    port: Int32.optional(),
    port_range: z.object({ min: Int32, max: Int32 }).optional(),
    is_tls: z.boolean(),
  })
  .meta({
    id: 'JoinPort',
    description: 'Where a port of a lobby is reached: one `port` with its `host`, or a `port_range`, inclusive.',
  })
export type JoinPort = z.output<typeof JoinPort>

const ports = record(JoinPort).meta({ description: 'By their labels.' })
const player = z.object({
  token: z.string().meta({ description: 'What the player hands the game server, which tells with it who has come.' }),
})

/** A seat in a lobby: where to go, and the token of the player to go with. `ports` and `player` are there twice, as old clients want them. */
export const Join = z
  .object({
    lobby: z.object({
      lobby_id: z.string(),
      region: z.object({ region_id: z.string(), display_name: z.string() }),
      ports,
      player,
    }),
    ports,
    player,
  })
  .meta({ id: 'Join', description: 'A seat in a lobby: where to go, and the token of the player to go with.' })
export type Join = z.output<typeof Join>

/** Where the client is. */
const headers = z.object({ 'x-coords': CoordinatesHeader.optional() })

// The limits of the document are in characters. The behaviour counts bytes, and has an error code for each limit.
const tags = record(z.string().meta({ maxLength: 512 })).meta({
  description: 'At most 8: names of up to 128 bytes, values of up to 512.',
  maxProperties: 8,
  propertyNames: { type: 'string', maxLength: 128 },
})
const max_players = Uint32.meta({
  description:
    'The most players of the lobby: at least 1, and at most the larger of the normal and the direct maximum of its game mode. Default: as its game mode says.',
  // 0 has an error code of its own, which a development token does not get.
  minimum: 1,
})

/** By what a client would prove that a person plays, and who that is. Nobody looks at it. */
const proofs = { captcha: z.unknown().optional(), verification_data: z.unknown().optional() }

const unproven = 'Whatever `captcha` and `verification_data` say is taken: the mock asks for neither.'
const optedIn =
  'Game modes take `tags` and `max_players` unless the scenario says `taggable: false` or `dynamic_max_players: false`: the real service takes them only where a version says so.'
const counted = 'Whose players are counted, and who plays the server of the lobby: as with `lobbies.find`.'
const played =
  "A lobby is ready as soon as it is there, a player with a seat is connected after 2 s and leaves after 30 min, as if a game server ran, until the first call of its own server that is not refused, with the token of the lobby: from then on only that server's calls count. Whom the mock has connected by then has a seat reserved again, for 2 min, until that server says that it is connected. With `servers: manual` in the scenario it is as in the real service: the seat is reserved at once, and the answer comes when the lobby's server has called `lobbies.ready`. If the server does not call within 5 min, the lobby stops. Then, and on a reset or a shutdown, the answer is `MATCHMAKER_LOBBY_STOPPED`. If the client disconnects first, its seat is free again."

/** What a client asks of the matchmaker about lobbies. */
export const lobbyOperations = {
  'lobbies.list': {
    method: 'GET',
    path: '/matchmaker/lobbies/list',
    summary: 'Lists the open lobbies of a namespace, with its game modes and regions.',
    auth: 'namespace',
    kind: 'read',
    query: z.object({
      include_state: z
        .enum(['true', 'false'])
        .default('false')
        .transform(text => text === 'true')
        .meta({ description: 'Whether each lobby carries its state.' }),
    }),
    headers,
    output: z.object({ game_modes: z.array(GameMode), lobbies: z.array(Lobby), regions: z.array(Region) }),
    errors: ['CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_QUERY', 'API_BAD_HEADERS'],
    source: 'interface',
    fidelity: [
      'Every open lobby is listed, also an empty one: the real service hides an empty lobby unless it is the only one of its mode. `hide_empty_lobbies: true` in the scenario does the same.',
      'Where no token and no known Origin is sent (curl, a native client), the default namespace of the scenario answers if it is tokenless: the real service refuses.',
      'An Origin is matched by its host name alone, with any scheme and port: games under development run on http and odd ports.',
      'The distance is the WGS84 geodesic from `x-coords`, else from the `client` of the scenario, else 0: nothing looks up where an address is.',
    ],
  },
  'lobbies.find': {
    method: 'POST',
    path: '/matchmaker/lobbies/find',
    summary: 'Takes a seat in the fullest lobby that fits, or in a new one.',
    auth: 'namespace',
    kind: 'write',
    waitsForLobby: true,
    headers,
    body: z.object({
      game_modes: z
        .array(z.string())
        .meta({ description: 'At least one. A new lobby is of the first that has a region.', minItems: 1 }),
      regions: z.array(z.string()).meta({ description: 'Default: all that the game modes enable.' }).optional(),
      prevent_auto_create_lobby: z.boolean().optional(),
      tags: tags.optional(),
      max_players: max_players.optional(),
      ...proofs,
    }),
    output: Join,
    errors: [
      'CLAIMS_MISSING_ENTITLEMENT',
      'API_BAD_HEADERS',
      'API_BAD_BODY',
      'MATCHMAKER_NO_GAME_MODE_PROVIDED',
      'MATCHMAKER_GAME_MODE_NOT_FOUND',
      'MATCHMAKER_FIND_DISABLED',
      'MATCHMAKER_REGION_NOT_FOUND',
      'MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE',
      'MATCHMAKER_TOO_MANY_TAGS',
      'MATCHMAKER_TAG_NAME_TOO_LONG',
      'MATCHMAKER_TAG_TOO_LONG',
      'MATCHMAKER_TAGS_DISABLED',
      'MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID',
      'MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED',
      'MATCHMAKER_LOBBY_FULL',
      'MATCHMAKER_LOBBY_STOPPED',
      'MATCHMAKER_PLAYER_REMOVED',
      'MATCHMAKER_NO_AVAILABLE_LOBBIES',
      'MATCHMAKER_TOO_MANY_LOBBIES',
      'MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE',
    ],
    source: 'client',
    fidelity: [
      played,
      'The fullest lobby is the one with the fewest free seats; of several, one in the nearest region; of those, one of the mode that was asked for first; and of those the oldest.',
      'Where no `regions` are asked for, all that the game modes enable are searched, and a new lobby is made in the nearest: the real service looks in the nearest alone, and nothing here looks up where an address is. An empty list of `regions` is `MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE`.',
      'With `tags`, a lobby is found that has all of them; with `max_players`, one that takes exactly as many. A new lobby gets both.',
      optedIn,
      'A player from a loopback address without `x-forwarded-for` is counted only once the scenario or an mm-config call has set `max_players`: on one machine everybody has the same address.',
      unproven,
    ],
  },
  'lobbies.join': {
    method: 'POST',
    path: '/matchmaker/lobbies/join',
    summary: 'Takes a seat in one lobby.',
    auth: 'namespace',
    kind: 'write',
    waitsForLobby: true,
    body: z.object({ lobby_id: z.string(), ...proofs }),
    output: Join,
    errors: [
      'CLAIMS_MISSING_ENTITLEMENT',
      'API_BAD_BODY',
      'MATCHMAKER_LOBBY_NOT_FOUND',
      'MATCHMAKER_LOBBY_STOPPED',
      'MATCHMAKER_PLAYER_REMOVED',
      'MATCHMAKER_JOIN_DISABLED',
      'MATCHMAKER_LOBBY_FULL',
      'MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE',
    ],
    source: 'client',
    fidelity: [
      'A closed lobby is not found and not listed, but a player who has its id gets in, as in the real service. `MATCHMAKER_LOBBY_CLOSED` comes from faults only.',
      'That a lobby has stopped is known for an hour; then it is not found.',
      counted,
      unproven,
    ],
  },
  'lobbies.create': {
    method: 'POST',
    path: '/matchmaker/lobbies/create',
    summary: 'Makes a lobby, and takes a seat in it.',
    auth: 'namespace',
    kind: 'write',
    waitsForLobby: true,
    headers,
    body: z.object({
      game_mode: z.string(),
      region: z.string().meta({ description: 'Default: the nearest that the game mode enables.' }).optional(),
      publicity: z
        .enum(['public', 'private'])
        .meta({ description: 'Default: private. A public one is found and listed.' })
        .optional(),
      tags: tags.optional(),
      max_players: max_players.optional(),
      lobby_config: Json.meta({ description: 'For the game server: the environment of its server has it.' }).optional(),
      ...proofs,
    }),
    output: Join,
    errors: [
      'CLAIMS_MISSING_ENTITLEMENT',
      'API_BAD_HEADERS',
      'API_BAD_BODY',
      'MATCHMAKER_GAME_MODE_NOT_FOUND',
      'MATCHMAKER_CUSTOM_LOBBIES_DISABLED',
      'MATCHMAKER_REGION_NOT_FOUND',
      'MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE',
      'MATCHMAKER_TOO_MANY_TAGS',
      'MATCHMAKER_TAG_NAME_TOO_LONG',
      'MATCHMAKER_TAG_TOO_LONG',
      'MATCHMAKER_TAGS_DISABLED',
      'MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID',
      'MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED',
      'MATCHMAKER_LOBBY_FULL',
      'MATCHMAKER_LOBBY_STOPPED',
      'MATCHMAKER_PLAYER_REMOVED',
      'MATCHMAKER_TOO_MANY_LOBBIES',
      'MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE',
    ],
    source: 'client',
    fidelity: [
      'Game modes allow it unless the scenario says `disabled: [create]`: the real service allows it only where a version says so.',
      'Without `publicity` the lobby is private. `publicity: "public"` is allowed: the real service allows it only where a version says so. A public lobby is found and listed like any other.',
      optedIn,
      counted,
      unproven,
    ],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
