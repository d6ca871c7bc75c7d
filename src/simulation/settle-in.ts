import { freshToken } from '../store/fresh.js'
import type { Random } from '../store/random.js'
import { type LobbyRow, mostConcurrent, type SimulationRow } from '../store/rows.js'
import { addressOf } from './address.js'
import { sessionMs, stepMs } from './session.js'
import type { DueTurn } from './timetable.js'

/** A turn in which players settle in, the chance of the simulation, and that of the world. */
interface Settling extends DueTurn {
  readonly random: Random
  readonly worldRandom: Random
}

/** Has those who are only counted in the lobbies of a namespace be players who play on for a while, and then leave: as many at most as a simulation may send. Answers how many. */
export function settleIn(simulation: SimulationRow, settling: Settling): number {
  const { namespace_id } = simulation
  const { reads, writes, now, random, worldRandom } = settling
  writes.put('simulations', Object.freeze({ ...simulation, settled: true }))
  let nth = 0
  for (const lobby of reads.lobbies.findMany(q => q.where({ namespace_id }))) {
    const { lobby_id, total_player_count } = lobby
    if (lobby.status === 'stopped' || lobby.run_by === 'server') continue
    const known = connectedIn(lobby, settling)
    if (known === total_player_count) continue
    // Each is counted again as it comes.
    const settlers = Math.min(total_player_count - known, mostConcurrent - nth)
    writes.put('lobbies', Object.freeze({ ...lobby, total_player_count: total_player_count - settlers }))
    for (let i = 0; i < settlers; i++) {
      const session_ms = sessionMs(simulation, random)
      // Some have come just now, and some are about to go.
      const left = Math.max(1, Math.ceil((session_ms * random.float()) / stepMs)) * stepMs
      const [player_token, address] = [
        freshToken('player', { random: worldRandom, tables: reads }),
        addressOf(now, nth),
      ]
      const player = { player_token, lobby_id, namespace_id, address, session_ms, leaves_at: now + left }
      writes.put('players', Object.freeze({ ...player, status: 'connected' }))
      nth += 1
    }
  }
  return nth
}

function connectedIn({ lobby_id }: LobbyRow, { reads }: DueTurn): number {
  return reads.players.findMany(q => q.where({ lobby_id })).filter(({ status }) => status === 'connected').length
}
