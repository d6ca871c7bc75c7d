import * as z from 'zod'
import type * as types from '../generated/operations.js'
import { lazy } from '../lib/lazy.js'
import { component, typeTexts } from '../lib/schemas.js'
import { booleanInQuery, Int32, Json, PortRange, record, Uint32 } from './formats.js'
import { limits } from './limits.js'
import { operation } from './operation.js'
import { CoordinatesHeader, Region } from './regions.js'

/** A game mode. Its `game_mode_id` is a short identifier without special characters. */
export const GameMode = component('GameMode', 'A game mode of a namespace.', () => ({
  game_mode_id: z.string(),
}))
export type GameMode = types.GameMode

export const Lobby = component(
  'Lobby',
  'An open lobby. `total_player_count` counts connected players. `state` is there only with `include_state=true`.',
  () => ({
    region_id: z.string(),
    game_mode_id: z.string(),
    lobby_id: z.string(),
    // The most players: through find, through join by its id, and as a party.
    max_players_normal: Uint32,
    max_players_direct: Uint32,
    max_players_party: Uint32,
    total_player_count: Uint32,
    state: record(z.unknown()).optional(),
  }),
)
export type Lobby = types.Lobby

export const JoinPort = component(
  'JoinPort',
  'The address of a port of a lobby: a `port` with its `host`, or an inclusive `port_range`.',
  () => ({
    hostname: z.string(),
    host: z.string().meta({ description: '`hostname:port`. Absent if there is a `port_range`.' }).optional(),
    port: Int32.optional(),
    port_range: PortRange.optional(),
    is_tls: z.boolean(),
  }),
)
export type JoinPort = types.JoinPort

const ports = lazy(() => record(JoinPort()).meta({ description: 'The ports by label.' }))
const player = lazy(() =>
  z.object({
    token: z.string().meta({
      description: 'The token of the player. The player sends it to the game server, which reports it as connected.',
    }),
  }),
)

/** A seat in a lobby. `ports` and `player` are there twice, because old clients read them inside `lobby`. */
export const Join = component(
  'Join',
  'A seat in a lobby: the address of its server, and the token of the player.',
  () => ({
    lobby: z.object({
      lobby_id: z.string(),
      region: z.object({ region_id: z.string(), display_name: z.string() }),
      ports: ports(),
      player: player(),
    }),
    ports: ports(),
    player: player(),
  }),
)
export type Join = types.Join

const headers = lazy(() => z.object({ 'x-coords': CoordinatesHeader().optional() }))

// JSON Schema counts characters. The resolver counts bytes, and has an error code for each limit.
const tags = lazy(() =>
  record(z.string().meta({ maxLength: limits.tagBytes.most })).meta({
    description: 'At most 8 tags. A name has up to 128 bytes, a value up to 512.',
    maxProperties: limits.tags.most,
    propertyNames: { type: 'string', maxLength: limits.tagNameBytes.most },
  }),
)
const max_players = lazy(() =>
  Int32.meta({
    description:
      'The most players of the lobby. It is at least 1, and at most the larger of the normal and the direct maximum of the game mode. Default: the maximum of the game mode.',
    // The schema takes less: that has an error code of its own, and a development token gets no error.
    minimum: 1,
  }),
)

/** Proofs that a person plays. The mock ignores them. */
const proofs = lazy(() => ({ captcha: z.unknown().optional(), verification_data: z.unknown().optional() }))

const noProofNote = 'The mock ignores `captcha` and `verification_data`.'
const optionsNote =
  'Game modes allow `tags` and `max_players`, unless the scenario says `taggable: false` or `dynamic_max_players: false`. In the real service the version decides.'
const sameAsFindNote = 'The limit per address and the simulated game server work as in `lobbies.find`.'
const simulatedServerNotes = [
  'By default the mock simulates the game server: the lobby is ready at once. A player connects after 2 s, and leaves after 30 min.',
  'The first accepted call with the token of a lobby hands it over to its server. Players that the mock had connected become reserved again, for 2 min.',
  'With `servers: manual`, as in the real service, it answers when the server calls `lobbies.ready`. After `ready_within`, a reset or a shutdown the answer is `MATCHMAKER_LOBBY_STOPPED`.',
]

const seatErrors = [
  'CLAIMS_MISSING_ENTITLEMENT',
  'API_BAD_BODY',
  'MATCHMAKER_LOBBY_FULL',
  'MATCHMAKER_LOBBY_STOPPED',
  'MATCHMAKER_PLAYER_REMOVED',
  'MATCHMAKER_TOO_MANY_PLAYERS_FROM_SOURCE',
] as const
const newLobbyErrors = [
  ...seatErrors,
  'API_BAD_HEADERS',
  'MATCHMAKER_GAME_MODE_NOT_FOUND',
  'MATCHMAKER_REGION_NOT_FOUND',
  'MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE',
  'MATCHMAKER_TOO_MANY_TAGS',
  'MATCHMAKER_TAG_NAME_TOO_LONG',
  'MATCHMAKER_TAG_TOO_LONG',
  'MATCHMAKER_TAGS_DISABLED',
  'MATCHMAKER_DYNAMIC_MAX_PLAYERS_INVALID',
  'MATCHMAKER_DYNAMIC_MAX_PLAYERS_DISABLED',
  'MATCHMAKER_TOO_MANY_LOBBIES',
] as const

export const lobbyOperations = {
  'lobbies.list': operation(
    'GET /matchmaker/lobbies/list',
    {
      summary: 'Lists the open lobbies of a namespace, its game modes and regions.',
      auth: 'namespace',
      kind: 'read',
      errors: ['CLAIMS_MISSING_ENTITLEMENT', 'API_BAD_QUERY', 'API_BAD_HEADERS'],
      source: 'interface',
      fidelity: [
        'It lists empty lobbies too. The real service hides them, as `hide_empty_lobbies: true` does.',
        'Without a token and a known Origin, a tokenless default namespace answers. The real service refuses.',
        'Only the host name of an Origin counts, not its scheme and port.',
        'The distance is the WGS84 geodesic from `x-coords`, else from the `client` of the scenario, else 0.',
        'A malformed `x-coords` is `API_BAD_HEADERS`, and ignored by the real service.',
        'With `include_state=true`, a state that is no object is absent, in the real service not.',
      ],
    },
    () => ({
      query: z.object({
        include_state: z
          .enum(['true', 'false'])
          .optional()
          .transform(text => text === 'true')
          .register(typeTexts, { type: 'boolean' })
          .meta({ ...booleanInQuery, description: '`true` adds the state to each lobby. Default: false.' }),
      }),
      headers: headers(),
      output: z.object({ game_modes: z.array(GameMode()), lobbies: z.array(Lobby()), regions: z.array(Region()) }),
    }),
  ),
  'lobbies.find': operation(
    'POST /matchmaker/lobbies/find',
    {
      summary: 'Reserves a seat in the fullest lobby that fits, or in a new one.',
      auth: 'namespace',
      kind: 'write',
      waitsForLobby: true,
      errors: [
        ...newLobbyErrors,
        'MATCHMAKER_NO_GAME_MODE_PROVIDED',
        'MATCHMAKER_FIND_DISABLED',
        'MATCHMAKER_NO_AVAILABLE_LOBBIES',
      ],
      source: 'client',
      fidelity: [
        ...simulatedServerNotes,
        'The lobby with the fewest free seats wins, then the nearest region, the first of the requested modes, the oldest lobby.',
        'Without `regions`, the mock searches all that the game modes enable, and creates in the nearest. The real service searches only the nearest.',
        'If the game modes enable none of the `regions`, it answers `MATCHMAKER_REGION_NOT_ENABLED_FOR_GAME_MODE`, in the real service `MATCHMAKER_AUTO_CREATE_FAILED`.',
        'It finds a lobby with all `tags`, and with exactly these `max_players`. A new lobby gets both.',
        optionsNote,
        'The limit of players per address counts loopback without `x-forwarded-for` only if the scenario or mm-config has set it.',
        noProofNote,
      ],
    },
    () => ({
      headers: headers(),
      body: z.object({
        game_modes: z
          .array(z.string())
          .meta({ description: 'At least one. A new lobby gets the first of them that has a region.', minItems: 1 }),
        regions: z
          .array(z.string())
          .meta({ description: 'Default: all regions that the game modes enable.' })
          .optional(),
        prevent_auto_create_lobby: z.boolean().optional(),
        tags: tags().optional(),
        max_players: max_players().optional(),
        ...proofs(),
      }),
      output: Join(),
    }),
  ),
  'lobbies.join': operation(
    'POST /matchmaker/lobbies/join',
    {
      summary: 'Reserves a seat in a lobby.',
      auth: 'namespace',
      kind: 'write',
      waitsForLobby: true,
      errors: [...seatErrors, 'MATCHMAKER_LOBBY_NOT_FOUND', 'MATCHMAKER_JOIN_DISABLED'],
      source: 'client',
      fidelity: [
        'A player can join a closed lobby, as in the real service. `MATCHMAKER_LOBBY_CLOSED` comes from faults only.',
        'A stopped lobby is known for another hour. Then it is `MATCHMAKER_LOBBY_NOT_FOUND`, as an id that is no UUID.',
        sameAsFindNote,
        noProofNote,
      ],
    },
    () => ({ body: z.object({ lobby_id: z.string(), ...proofs() }), output: Join() }),
  ),
  'lobbies.create': operation(
    'POST /matchmaker/lobbies/create',
    {
      summary: 'Creates a lobby, and reserves a seat in it.',
      auth: 'namespace',
      kind: 'write',
      waitsForLobby: true,
      errors: [...newLobbyErrors, 'MATCHMAKER_CUSTOM_LOBBIES_DISABLED', 'MATCHMAKER_CUSTOM_LOBBY_CONFIG_INVALID'],
      source: 'client',
      fidelity: [
        'Game modes allow it and `publicity: "public"`, unless the scenario says `disabled: [create]`. In the real service the version decides.',
        'The real service may refuse `publicity` with `MATCHMAKER_CUSTOM_LOBBY_CONFIG_INVALID`.',
        optionsNote,
        sameAsFindNote,
        noProofNote,
      ],
    },
    () => ({
      headers: headers(),
      body: z.object({
        game_mode: z.string(),
        region: z.string().meta({ description: 'Default: the nearest region that the game mode enables.' }).optional(),
        publicity: z
          .enum(['public', 'private'])
          .meta({ description: 'Default: private. `lobbies.find` and `lobbies.list` see only public lobbies.' })
          .optional(),
        tags: tags().optional(),
        max_players: max_players().optional(),
        lobby_config: Json.meta({
          description: 'Any JSON for the game server, which finds it in its environment. At most 16 KiB.',
        }).optional(),
        ...proofs(),
      }),
      output: Join(),
    }),
  ),
}
