import * as z from 'zod'
import { lazy } from '../lib/lazy.js'
import { Json, record, Uint32 } from './formats.js'
import { operation } from './operation.js'

const serverErrors = ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'MATCHMAKER_LOBBY_STOPPED'] as const
const player_token = lazy(() =>
  z.string().meta({
    description:
      'The token of the player, from find, join or create. With the token of a lobby it is `player.…`, with a development token `dev_player.…`.',
  }),
)
const playerTokenErrors = ['TOKEN_ERROR', 'MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY'] as const
const tokenCheckNote =
  'The `player_token` is checked before the lobby. Another kind is `CLAIMS_MISSING_ENTITLEMENT`, an unknown one `TOKEN_ERROR`.'

const takeoverNote = 'An accepted call with the token of a lobby hands it over to its server.'

/** The calls of a game server about its lobby and its players. */
export const gameServerOperations = {
  'lobbies.ready': operation(
    'POST /matchmaker/lobbies/ready',
    {
      summary: 'Reports that the lobby is ready for players.',
      auth: 'lobby',
      kind: 'write',
      errors: serverErrors,
      source: 'client',
      fidelity: [takeoverNote, 'A second call changes nothing.'],
    },
    () => ({ output: z.object({}) }),
  ),
  'lobbies.setClosed': operation(
    'PUT /matchmaker/lobbies/closed',
    {
      summary: 'Closes or opens the lobby. Players can join a closed lobby only by its id.',
      auth: 'lobby',
      kind: 'write',
      errors: [...serverErrors, 'API_BAD_BODY'],
      source: 'client',
      fidelity: [takeoverNote],
    },
    () => ({ body: z.object({ is_closed: z.boolean() }), output: z.object({}) }),
  ),
  'lobbies.setState': operation(
    'PUT /matchmaker/lobbies/state',
    {
      summary: 'Sets the state of the lobby: any JSON. An empty body clears it.',
      auth: 'lobby',
      kind: 'write',
      errors: [...serverErrors, 'API_BAD_BODY'],
      source: 'client',
      fidelity: [takeoverNote, 'Text that is no JSON is `API_BAD_BODY`. The real service answers 500.'],
    },
    () => ({ jsonBody: Json, output: z.object({}) }),
  ),
  'lobbies.getState': operation(
    'GET /matchmaker/lobbies/{lobby_id}/state',
    {
      summary: 'Returns the state of a lobby: any JSON, or null.',
      auth: 'lobby',
      // It reads, but it can hand the lobby over to its server.
      kind: 'write',
      errors: [...serverErrors, 'MATCHMAKER_LOBBY_NOT_FOUND'],
      source: 'client',
      fidelity: [takeoverNote, 'With the token of a lobby, it reads the state of every lobby of the namespace.'],
    },
    () => ({
      params: z.object({ lobby_id: z.string().meta({ description: 'The id of a lobby of the namespace.' }) }),
      output: z.unknown(),
    }),
  ),
  'players.connected': operation(
    'POST /matchmaker/players/connected',
    {
      summary: 'Reports that a player has connected.',
      auth: 'lobby',
      kind: 'write',
      errors: [
        ...serverErrors,
        'API_BAD_BODY',
        ...playerTokenErrors,
        'MATCHMAKER_PLAYER_ALREADY_CONNECTED',
        'MATCHMAKER_PLAYER_REGISTRATION_EXPIRED',
        'MATCHMAKER_PLAYER_REMOVED',
      ],
      source: 'client',
      fidelity: [
        takeoverNote,
        tokenCheckNote,
        'A player of another lobby is removed from there, and the answer is `MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY`. No other error changes data.',
        'A player who left, or whose seat expired, is known for another hour.',
      ],
    },
    () => ({ body: z.object({ player_token: player_token() }), output: z.object({}) }),
  ),
  'players.disconnected': operation(
    'POST /matchmaker/players/disconnected',
    {
      summary: 'Reports that a player has left the lobby.',
      auth: 'lobby',
      kind: 'write',
      errors: [...serverErrors, 'API_BAD_BODY', ...playerTokenErrors],
      source: 'client',
      fidelity: [
        takeoverNote,
        tokenCheckNote,
        'A player of another lobby is removed from there. The real service refuses.',
        'A reserved player loses the seat. For one who has left, nothing changes.',
      ],
    },
    () => ({ body: z.object({ player_token: player_token() }), output: z.object({}) }),
  ),
  'players.getStatistics': operation(
    'GET /matchmaker/players/statistics',
    {
      summary: 'Counts the seats in use: in total, by game mode, and by region.',
      auth: 'public',
      kind: 'read',
      errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT'],
      source: 'client',
      fidelity: [
        'The answer has every game mode with all its regions.',
        'Counts are at most 4294967295, the most that clients can read.',
        'The mock ignores `exclude_outdated`: it has no lobbies of older versions.',
      ],
    },
    () => ({
      output: z.object({
        player_count: Uint32,
        game_modes: record(z.object({ player_count: Uint32, regions: record(z.object({ player_count: Uint32 })) })),
      }),
    }),
  ),
}
