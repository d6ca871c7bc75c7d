import type { Random } from '../store/random.js'
import type { SimulationRow } from '../store/simulation-row.js'
import type { DueTurn } from './agenda.js'
import { sessionMs, stepMs } from './session.js'

/** Has those who are only counted in the lobbies of a namespace be players who play on for a while, and then leave. */
export async function settleIn(
  simulation: SimulationRow,
  { tables, now, random }: DueTurn & { readonly random: Random },
): Promise<void> {
  const { namespace_id } = simulation
  let nth = 0
  for (const { lobby_id, status, run_by, total_player_count } of tables.lobbies.findMany(q =>
    q.where({ namespace_id }),
  )) {
    if (status === 'stopped' || run_by === 'server') continue
    const known = tables.players
      .findMany(q => q.where({ lobby_id }))
      .filter(player => player.status === 'connected').length
    const counted = total_player_count - known
    if (counted <= 0) continue
    await tables.lobbies.update(q => q.where({ lobby_id }), {
      data: lobby => void Object.assign(lobby, { total_player_count: known }),
    })
    for (let i = 0; i < counted; i++) {
      const session_ms = sessionMs(simulation, random)
      // Some have come just now, and some are about to go.
      const left = Math.max(1, Math.ceil((session_ms * random.float()) / stepMs)) * stepMs
      nth += 1
      const address = `2001:db8::ffff:${nth.toString(16)}`
      await tables.players.create({
        lobby_id,
        namespace_id,
        address,
        session_ms,
        status: 'connected',
        leaves_at: now + left,
      })
    }
  }
}
