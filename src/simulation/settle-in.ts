import type { LobbyRow } from '../store/lobby-row.js'
import type { Random } from '../store/random.js'
import type { SimulationRow } from '../store/simulation-row.js'
import type { DueTurn } from './agenda.js'
import { sessionMs, stepMs } from './session.js'

/** A turn in which players settle in, the chance of the simulation, and that of the world. */
interface Settling extends DueTurn {
  readonly random: Random
  readonly tokens: Random
}

/** The most players who settle in: those beyond stay counted. As many as a simulation may send. */
const mostSettlers = 100_000

/** Has those who are only counted in the lobbies of a namespace be players who play on for a while, and then leave: 100,000 at most. */
export function settleIn(simulation: SimulationRow, settling: Settling): void {
  const { namespace_id } = simulation
  const { reads, writes, now, random, tokens } = settling
  writes.put('simulations', Object.freeze({ ...simulation, settled: true }))
  let nth = 0
  for (const lobby of reads.lobbies.findMany(q => q.where({ namespace_id }))) {
    const { lobby_id, total_player_count } = lobby
    if (lobby.status === 'stopped' || lobby.run_by === 'server') continue
    const known = connectedIn(lobby, settling)
    if (known === total_player_count) continue
    // Each is counted again as it comes.
    const settlers = Math.min(total_player_count - known, mostSettlers - nth)
    writes.put('lobbies', Object.freeze({ ...lobby, total_player_count: total_player_count - settlers }))
    for (let i = 0; i < settlers; i++) {
      const session_ms = sessionMs(simulation, random)
      // Some have come just now, and some are about to go.
      const left = Math.max(1, Math.ceil((session_ms * random.float()) / stepMs)) * stepMs
      nth += 1
      const player = { player_token: tokens.token('player'), lobby_id, namespace_id, session_ms, leaves_at: now + left }
      writes.put(
        'players',
        Object.freeze({ ...player, address: `2001:db8::ffff:0:${nth.toString(16)}`, status: 'connected' }),
      )
    }
  }
}

function connectedIn({ lobby_id }: LobbyRow, { reads }: DueTurn): number {
  return reads.players.findMany(q => q.where({ lobby_id })).filter(({ status }) => status === 'connected').length
}
