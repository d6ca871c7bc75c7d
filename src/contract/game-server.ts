import * as z from 'zod'
import { Json, record } from '../lib/json.js'
import { Uint32 } from './formats.js'
import type { OperationSpec } from './operation.js'

const done = z.object({})
const serverErrors = ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT', 'MATCHMAKER_LOBBY_STOPPED'] as const
const lobby_id = z.string().meta({ description: 'The id of a lobby of the namespace.' })
const player_token = z.string().meta({
  description:
    'The token of the player, as find, join or create answered it: `player.…` with the token of a lobby, `dev_player.…` with a development token.',
})
const playerTokenErrors = ['TOKEN_ERROR', 'MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY'] as const
const checked =
  'The mock checks a `player_token` before the state of the lobby. A valid token of another kind gives `CLAIMS_MISSING_ENTITLEMENT`, a string that is no token of the world `TOKEN_ERROR`.'

const takesOver =
  'With the token of a lobby, and unless it is refused, it hands the lobby over to its server: see `lobbies.find`.'

/** What a lobby's game server says of its lobby and of its players. */
export const gameServerOperations = {
  'lobbies.ready': {
    method: 'POST',
    path: '/matchmaker/lobbies/ready',
    summary: 'The lobby is ready for players.',
    auth: 'lobby',
    kind: 'write',
    output: done,
    errors: serverErrors,
    source: 'client',
    fidelity: [takesOver, 'To call it again changes nothing.'],
  },
  'lobbies.setClosed': {
    method: 'PUT',
    path: '/matchmaker/lobbies/closed',
    summary: 'Closes or opens the lobby. A closed lobby is not found or listed, but can be joined by its id.',
    auth: 'lobby',
    kind: 'write',
    body: z.object({ is_closed: z.boolean() }),
    output: done,
    errors: [...serverErrors, 'API_BAD_BODY'],
    source: 'client',
    fidelity: [takesOver],
  },
  'lobbies.setState': {
    method: 'PUT',
    path: '/matchmaker/lobbies/state',
    summary: 'Sets what the lobby says of itself: any JSON. An empty body clears it.',
    auth: 'lobby',
    kind: 'write',
    jsonBody: Json,
    output: done,
    errors: [...serverErrors, 'API_BAD_BODY'],
    source: 'client',
    fidelity: [takesOver],
  },
  'lobbies.getState': {
    method: 'GET',
    path: '/matchmaker/lobbies/{lobby_id}/state',
    summary: 'What a lobby says of itself: any JSON, or null.',
    auth: 'lobby',
    // A call like any other of a lobby's server, which takes over with its first.
    kind: 'write',
    params: z.object({ lobby_id }),
    output: z.unknown(),
    errors: [...serverErrors, 'MATCHMAKER_LOBBY_NOT_FOUND'],
    source: 'client',
    fidelity: [takesOver, 'The token of a lobby reads the state of each lobby of its namespace.'],
  },
  'players.connected': {
    method: 'POST',
    path: '/matchmaker/players/connected',
    summary: 'A player who has a seat in the lobby has come.',
    auth: 'lobby',
    kind: 'write',
    body: z.object({ player_token }),
    output: done,
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
      takesOver,
      checked,
      'A player of another lobby is removed from there, and the call is refused with `MATCHMAKER_PLAYER_IN_DIFFERENT_LOBBY`: the only refusal that changes something.',
      'A player who has left, or whose seat has expired, is remembered for an hour; then its token is unknown.',
      'A player who took a seat by a call is removed 8 hours later; one whom the scenario lists stays.',
    ],
  },
  'players.disconnected': {
    method: 'POST',
    path: '/matchmaker/players/disconnected',
    summary: 'A player has left the lobby.',
    auth: 'lobby',
    kind: 'write',
    body: z.object({ player_token }),
    output: done,
    errors: [...serverErrors, 'API_BAD_BODY', ...playerTokenErrors],
    source: 'client',
    fidelity: [
      takesOver,
      checked,
      'A player of another lobby is removed from there, as by `players.connected`: the real service refuses, and leaves it there.',
      'A player who has not connected yet gives its seat back; of one who is gone already nothing changes, and it is no error.',
    ],
  },
  'players.getStatistics': {
    method: 'GET',
    path: '/matchmaker/players/statistics',
    summary: 'Counts the taken seats, reserved or connected: in total, by game mode, and by region.',
    auth: 'public',
    kind: 'read',
    output: z.object({
      player_count: Uint32,
      game_modes: record(z.object({ player_count: Uint32, regions: record(z.object({ player_count: Uint32 })) })),
    }),
    errors: ['API_UNAUTHORIZED', 'CLAIMS_MISSING_ENTITLEMENT'],
    source: 'client',
    fidelity: [
      'Every game mode is there with all its regions, also where nobody plays.',
      'No count is above 4294967295, the most that clients can read.',
    ],
  },
} as const satisfies { readonly [id: string]: OperationSpec }
