import * as z from 'zod'
import { exact } from '../contract/exact.js'
import { Instant } from '../contract/instant.js'
import { PlayerRow } from '../store/player-row.js'
import { msOf } from './time.js'
import { Token } from './token.js'

const { session_ms } = PlayerRow.options[0].shape

/** A player of a lobby, beyond those whom its `total_player_count` only counts. */
export const PlayerEntry = exact({
  token: Token.optional(),
  status: z
    .enum(['reserved', 'connected', 'expired', 'removed'])
    .optional()
    .meta({ description: 'Whether it has a seat, and has connected. Default: connected.', default: 'connected' }),
  address: z
    .string()
    .optional()
    .meta({ description: 'Where it comes from. Default: 127.0.0.1.', default: '127.0.0.1', examples: ['203.0.113.7'] }),
  session_ms: session_ms.meta({
    description: 'For how long a simulated player plays, in ms.',
    examples: [720_000],
  }),
  expires_at: Instant.optional().describe('When a reserved seat is freed. Default: never.'),
  connects_at: Instant.optional().describe('When the mock connects a reserved player. Default: never.'),
  leaves_at: Instant.optional().describe('When the mock has a connected player leave. Default: never.'),
  removes_at: Instant.optional().describe('When a player with a seat is removed because of its age. Default: never.'),
  forgotten_at: Instant.optional().describe('When a player who is gone is forgotten. Default: never.'),
})
export type PlayerEntry = z.output<typeof PlayerEntry>

/** How many of them have a seat in that way. */
export function countOf(players: readonly PlayerEntry[] | undefined, status: 'reserved' | 'connected'): number {
  return (players ?? []).filter(player => (player.status ?? 'connected') === status).length
}

/** A player with its defaults, all columns but its own token and its lobby's. What is absent stays undefined. */
export function playerOf(entry: PlayerEntry) {
  const { status = 'connected', address = '127.0.0.1', session_ms } = entry
  const removes_at = msOf(entry.removes_at)
  if (status === 'reserved') {
    const expires_at = msOf(entry.expires_at)
    return { status, address, session_ms, expires_at, connects_at: msOf(entry.connects_at), removes_at }
  }
  if (status === 'connected') return { status, address, session_ms, leaves_at: msOf(entry.leaves_at), removes_at }
  return { status, address, session_ms, forgotten_at: msOf(entry.forgotten_at) }
}
