import * as z from 'zod'
import { Uint32 } from '../contract/formats.js'
import { Lobby, type MaxPlayers } from '../contract/lobbies.js'
import { Json, record } from '../lib/json.js'
import { Id } from './id.js'
import { Time } from './time.js'

/** The columns of a lobby in whichever state it is. */
export const lobbyFields = {
  ...Lobby.shape,
  lobby_id: Id,
  namespace_id: Id,
  state: Json.optional(),
  publicity: z.enum(['public', 'private']),
  is_closed: z.boolean(),
  /** Seats of players who have not connected yet. They are counted with the records of the players. */
  reserved_player_count: Uint32,
  tags: record(z.string()).optional(),
  /** What whoever created it wants its server to know. */
  lobby_config: Json.optional(),
  /** Who plays its game server. */
  run_by: z.enum(['mock', 'server']),
}

/** When a lobby stops because of its age. Absent where it does not. */
const stops_at = Time.optional()

/** A lobby, which takes no more players than it may: starting, ready, or stopped (PROTOCOL.md C). */
export const LobbyRow = z
  .discriminatedUnion(
    'status',
    [
      z.strictObject({
        ...lobbyFields,
        status: z.literal('starting'),
        // One that the mock plays is ready at once.
        run_by: z.literal('server', { error: 'expected server: a lobby that is starting waits for its own' }),
        /** When it stops, unless its server has called ready. Absent: never, as where a scenario lists it. */
        ready_by: Time.optional(),
        stops_at,
      }),
      z.strictObject({ ...lobbyFields, status: z.literal('ready'), stops_at }),
      z.strictObject({
        ...lobbyFields,
        status: z.literal('stopped'),
        /** When nothing is known of it any more. Absent: never. */
        forgotten_at: Time.optional(),
      }),
    ],
    { error: 'expected starting, ready or stopped' },
  )
  .refine(lobby => seatsTaken(lobby) <= mostPlayers(lobby), {
    path: ['total_player_count'],
    // What is refined has the shape already.
    error: issue => tooManyPlayers(issue.input as z.output<typeof MaxPlayers>),
  })
export type LobbyRow = z.output<typeof LobbyRow>

/** A lobby that has not stopped. */
export type RunningLobby = Exclude<LobbyRow, { status: 'stopped' }>

/** Who plays the server of a lobby of which nothing is said. One that is starting waits for its own. */
export function runBy(
  status: LobbyRow['status'] | undefined,
  { servers }: { readonly servers: 'auto' | 'manual' | undefined },
): LobbyRow['run_by'] {
  return status === 'starting' || servers === 'manual' ? 'server' : 'mock'
}

/** Says how many players a lobby takes. */
export function tooManyPlayers(lobby: z.output<typeof MaxPlayers>): string {
  return `expected at most ${mostPlayers(lobby)}, the most that the lobby takes`
}

/** The most players that a lobby takes, in whichever way they come. */
export function mostPlayers(lobby: z.output<typeof MaxPlayers>): number {
  return Math.max(lobby.max_players_normal, lobby.max_players_direct, lobby.max_players_party)
}

/** How many seats of a lobby are taken, by players who are connected and by those who may connect yet. */
export function seatsTaken(lobby: {
  readonly total_player_count: number
  readonly reserved_player_count: number
}): number {
  return lobby.total_player_count + lobby.reserved_player_count
}
