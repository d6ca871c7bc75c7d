import { findLobby } from '../behaviour/lobbies-find.js'
import { connect } from '../behaviour/players.js'
import { ApiError } from '../contract/errors.js'
import { Random } from '../store/random.js'
import type { GameModeRow, SimulationRow } from '../store/rows.js'
import type { ReadTables } from '../store/table.js'
import type { LiveWorld } from '../store/world.js'
import { addressOf } from './address.js'
import { poisson, weighted } from './chance.js'
import { activity } from './day.js'
import { serveLobby } from './lobby-server.js'
import { sessionMs, stepMs } from './session.js'
import { settleIn } from './settle-in.js'
import type { DueTurn, Timetable } from './timetable.js'

/** A game mode in a region, and how often it is wanted there at some time. */
interface Wanted {
  readonly mode: GameModeRow
  readonly region_id: string
  readonly weight: number
}

/**
 * Sends players to namespaces, more where it is evening and fewer where it is early morning. What happens in a step is
 * decided by the seed and by how many steps have passed, so that a day is the same whoever looks at it.
 */
export function simulationTimetable(world: LiveWorld): Timetable<SimulationRow> {
  return {
    isForgetful: true,
    dueAt({ began_at, concurrent, settled }, after) {
      if (settled && concurrent === 0) return undefined
      return began_at + stepMs * Math.max(1, Math.floor((after - began_at) / stepMs) + 1)
    },
    happen(simulation, turn) {
      const { namespace_id, concurrent, session_ms, began_at } = simulation
      const step = Math.round((turn.now - began_at) / stepMs)
      const random = new Random(world.seed, `players:${namespace_id}:${step}`)
      const settlers = simulation.settled ? 0 : settleIn(simulation, { ...turn, random, worldRandom: world.random })
      const wanted = wantedIn(simulation, turn)
      const mean = ((concurrent * stepMs) / session_ms) * wanted.reduce((sum, { weight }) => sum + weight, 0)
      const count = poisson(mean, random)
      for (let i = 0; i < count; i++) {
        const address = addressOf(turn.now, settlers + i)
        come({ simulation, wanted, random, address, world }, turn)
      }
    },
  }
}

/** The weights of all add up to 1 on average over a day. */
function wantedIn({ namespace_id, modes: weights }: SimulationRow, { reads, now }: DueTurn): Wanted[] {
  const modes = reads.gameModes
    .findMany(q => q.where({ namespace_id }))
    .filter(mode => mode.regions.length > 0 && !mode.disabled?.includes('find'))
  const weightOf = ({ game_mode_id }: GameModeRow) => {
    if (!weights) return 1
    // A mode may be called as what each object has.
    return Object.hasOwn(weights, game_mode_id) ? (weights[game_mode_id] ?? 0) : 0
  }
  const total = modes.reduce((sum, mode) => sum + weightOf(mode), 0)
  if (total === 0) return []
  return modes.flatMap(mode =>
    mode.regions.map(region_id => {
      const weight = (weightOf(mode) / total / mode.regions.length) * activity(now, longitudeOf(region_id, reads))
      return { mode, region_id, weight }
    }),
  )
}

function longitudeOf(regionId: string, { regions }: ReadTables): number {
  return regions.get(regionId)?.datacenter_coord.longitude ?? 0
}

interface Arrival {
  readonly simulation: SimulationRow
  readonly wanted: readonly Wanted[]
  readonly random: Random
  readonly address: string
  readonly world: LiveWorld
}

/** A player finds a seat as everyone does, or goes away where there is none. */
function come({ simulation, wanted, random, address, world }: Arrival, turn: DueTurn): void {
  const chosen = weighted(wanted, random)
  if (!chosen) return
  const client = { address, isLocal: false, sessionMs: sessionMs(simulation, random) }
  const { namespace_id: namespaceId } = simulation
  try {
    const { reads, writes, now } = turn
    const found = findLobby({
      caller: { kind: 'public', namespaceId },
      client,
      input: { game_modes: [chosen.mode.game_mode_id], regions: [chosen.region_id] },
      reads,
      writes,
      hasPassed: world.view.hasPassed,
      seed: world.seed,
      random: world.random,
      now,
    })
    const lobby = reads.lobbies.get(found.lobby.lobby_id)
    const player = reads.players.get(found.player.token)
    if (!lobby || player?.status !== 'reserved') return
    connect(player, { lobby, writes, now })
    serveLobby(lobby, { ...turn, player })
  } catch (error) {
    // It has found no seat: all are taken, and no further lobby may be made.
    if (!(error instanceof ApiError)) throw error
  }
}
