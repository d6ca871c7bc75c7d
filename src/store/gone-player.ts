import { lifetimeMs } from './lifetime.js'
import type { PlayerRow } from './player-row.js'

/** A player who has left its seat, of whom is known for a while that it had one. */
export function removed(player: PlayerRow, now: number): PlayerRow {
  return gone(player, { status: 'removed', now })
}

/** The same of one who has not come in time. */
export function expired(player: PlayerRow, now: number): PlayerRow {
  return gone(player, { status: 'expired', now })
}

function gone(
  { player_token, lobby_id, namespace_id, address }: PlayerRow,
  { status, now }: { readonly status: 'removed' | 'expired'; readonly now: number },
): PlayerRow {
  return Object.freeze({ player_token, lobby_id, namespace_id, address, status, forgotten_at: now + lifetimeMs.gone })
}
