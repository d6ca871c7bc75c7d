import { ApiError } from '../contract/errors.js'
import { closeLobby, stopLobby } from '../operations/game-server.js'
import { findLobby } from '../operations/matchmaking.js'
import {
  type GameModeRow,
  type LobbyRow,
  mostConcurrent,
  nextStepAt,
  type PlayerRow,
  type SimulationRow,
  seatsTaken,
  sessionLimits,
  simulationStepMs,
} from '../store/matchmaker-rows.js'
import type { Tables } from '../store/model.js'
import { Random } from '../store/random.js'
import { freshToken } from '../store/tokens.js'
import type { View } from '../store/world.js'

/** A job's transaction. `now` is its time, in ms since the epoch. */
export interface JobContext extends View {
  readonly random: Random
  readonly now: number
}

/** A game mode in a region, and how often players want it there at some time. */
interface Demand {
  readonly mode: GameModeRow
  readonly region_id: string
  readonly weight: number
}

/** So many players settle in one job, so that no job takes long. */
const settlersPerJob = 500

/**
 * Lets players come to a namespace: more where it is evening, fewer where it is early morning. The seed and the number of
 * the step decide what happens, so that a day is the same however it is watched.
 */
export function runSimulationStep(simulation: SimulationRow, context: JobContext): void {
  const { namespace_id, concurrent, session_ms, began_at } = simulation
  const { tables, now, seed } = context
  const settling = simulation.settled ? { settled: true, count: 0 } : settlePlayers(simulation, context)
  const settled = { ...simulation, settled: settling.settled }
  // More players settle in the next job, which is due at once.
  if (!settling.settled) return
  const { next_step_at: _, ...others } = settled
  const next_step_at = nextStepAt(settled, now)
  tables.simulations.put(Object.freeze(next_step_at === undefined ? others : { ...others, next_step_at }))
  const random = new Random(seed, `players:${namespace_id}:${Math.round((now - began_at) / simulationStepMs)}`)
  const demands = demandsOf(simulation, context)
  const mean = ((concurrent * simulationStepMs) / session_ms) * demands.reduce((sum, { weight }) => sum + weight, 0)
  const count = poisson(mean, random)
  for (let i = 0; i < count; i++) {
    const demand = weighted(demands, random)
    if (demand) addPlayer(simulation, demand, addressOf(now, settling.count + i), random, context)
  }
}

/** The weights of all add up to 1 on average over a day. */
function demandsOf({ namespace_id, modes: weights }: SimulationRow, { tables, now }: JobContext): Demand[] {
  const modes = tables.gameModes
    .inIndex('namespace_id', { namespace_id })
    .filter(mode => mode.regions.length > 0 && !mode.disabled?.includes('find'))
  const weightOf = ({ game_mode_id }: GameModeRow) => {
    if (!weights) return 1
    // A mode may have the name of a property that every object has.
    return Object.hasOwn(weights, game_mode_id) ? (weights[game_mode_id] ?? 0) : 0
  }
  const total = modes.reduce((sum, mode) => sum + weightOf(mode), 0)
  if (total === 0) return []
  const activities = new Map<string, number>()
  const activityIn = (region_id: string) => {
    const known = activities.get(region_id)
    if (known !== undefined) return known
    const activity = activityAt(now, tables.regions.get(region_id)?.datacenter_coord.longitude ?? 0)
    activities.set(region_id, activity)
    return activity
  }
  return modes.flatMap(mode => {
    const weight = weightOf(mode) / total / mode.regions.length
    return mode.regions.map(region_id => ({ mode, region_id, weight: weight * activityIn(region_id) }))
  })
}

/** Lets a player find a seat as everyone does. A player who finds none goes away. */
function addPlayer(
  simulation: SimulationRow,
  { mode, region_id }: Demand,
  address: string,
  random: Random,
  context: JobContext,
): void {
  const { tables, now, seed, hasPassed } = context
  const client = { address, isLocal: false, sessionMs: drawSession(simulation, random) }
  try {
    const found = findLobby({
      caller: { kind: 'public', namespaceId: simulation.namespace_id },
      client,
      input: { game_modes: [mode.game_mode_id], regions: [region_id] },
      tables,
      hasPassed,
      seed,
      random: context.random,
      now,
    })
    if (found instanceof ApiError) return
    const lobby = tables.lobbies.get(found.lobby.lobby_id)
    const player = tables.players.get(found.player.token)
    if (lobby && player) serveLobby(lobby, player, tables, now)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

/**
 * Turns players whom lobbies only count into players who play on for a while and leave: some hundreds at once, at most as
 * many in all as a simulation may have. Returns whether all are settled, and how many that were in all.
 */
function settlePlayers(
  simulation: SimulationRow,
  context: JobContext,
): { readonly settled: boolean; readonly count: number } {
  const { tables } = context
  const { namespace_id } = simulation
  let left = settlersPerJob
  let count = 0
  for (const lobby of tables.lobbies.inIndex('namespace_id', { namespace_id })) {
    if (lobby.status === 'stopped' || lobby.run_by === 'server') continue
    const known = tables.players.sum('connected', lobby.lobby_id)
    const settlers = Math.min(lobby.total_player_count - known, mostConcurrent - count - known)
    if (settlers > 0 && left === 0) return { settled: false, count }
    const now = Math.min(Math.max(settlers, 0), left)
    if (now > 0) settleInLobby(simulation, lobby, { known, count: now, nth: count + known }, context)
    left -= now
    if (now < settlers) return { settled: false, count }
    count += lobby.total_player_count
  }
  return { settled: true, count: Math.min(count, mostConcurrent) }
}

/** Settles `count` players in a lobby that has `known` ones. `nth` counts the players of the namespace. */
function settleInLobby(
  simulation: SimulationRow,
  lobby: LobbyRow,
  { known, count, nth }: { readonly known: number; readonly count: number; readonly nth: number },
  { tables, now, seed, random }: JobContext,
): void {
  const { lobby_id, namespace_id, total_player_count } = lobby
  const sessions = new Random(seed, `settle:${lobby_id}:${known}`)
  // Each is counted again as it is put.
  tables.lobbies.put(Object.freeze({ ...lobby, total_player_count: total_player_count - count }))
  for (let i = 0; i < count; i++) {
    const session_ms = drawSession(simulation, sessions)
    // Some came just now, and some are about to go.
    const rest = Math.max(1, Math.ceil((session_ms * sessions.float()) / simulationStepMs)) * simulationStepMs
    tables.players.put(
      Object.freeze({
        player_token: freshToken('player', { random, tables }),
        lobby_id,
        namespace_id,
        address: addressOf(now, nth + i),
        session_ms,
        leaves_at: now + rest,
        status: 'connected',
      }),
    )
  }
}

/**
 * Does what the server of a lobby with simulated players does: closes the lobby when it is full, opens it when a seat is
 * free again, and stops it when its last simulated player leaves, unless the scenario lists it. `before` is the lobby
 * before `player` came or left. `now` in ms since the epoch.
 */
export function serveLobby(before: LobbyRow, player: PlayerRow, tables: Tables, now: number): void {
  const lobby = tables.lobbies.get(before.lobby_id)
  if (!lobby || lobby.status === 'stopped' || lobby.run_by === 'server') return
  const isSimulated = player.session_ms !== undefined
  if (seatsTaken(lobby) === 0 && lobby.stops_at !== undefined && isSimulated) stopLobby(lobby, tables, now)
  else if (isFull(lobby) && !lobby.is_closed) closeLobby(lobby, true, tables)
  else if (!isFull(lobby) && isFull(before) && lobby.is_closed) closeLobby(lobby, false, tables)
}

function isFull(lobby: LobbyRow): boolean {
  return seatsTaken(lobby) >= lobby.max_players_normal
}

/** Draws how long a simulated player plays, in ms: whole steps. */
function drawSession({ session_ms }: SimulationRow, random: Random): number {
  const steps = Math.round(logNormal(session_ms, random) / simulationStepMs)
  return Math.min(Math.max(steps, 1) * simulationStepMs, sessionLimits.max)
}

/**
 * Makes an address from the range for documentation: another one for each player who comes at a time. `now` in ms since
 * the epoch, `nth` from 0 to 2^32 - 2.
 */
export function addressOf(now: number, nth: number): string {
  const step = Math.floor(now / simulationStepMs)
  const groups = [step / 0x10000, step, (nth + 1) / 0x10000, nth + 1].map(part =>
    (Math.floor(part) & 0xffff).toString(16),
  )
  return `2001:db8::${groups.join(':')}`
}

/** A larger mean is split, because its exponential would be 0. */
const largestMean = 30

/** Draws how many of something happen that happens so often on average. */
function poisson(mean: number, random: Random): number {
  let [left, count] = [mean, 0]
  for (; left > largestMean; left -= largestMean) count += fewOf(largestMean, random)
  return count + fewOf(left, random)
}

function fewOf(mean: number, random: Random): number {
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = random.float(); product > limit; product *= random.float()) count += 1
  return count
}

/** The standard deviation of the logarithms of sessions. */
const sigma = 0.75

/** Draws a log-normal value with that mean. */
function logNormal(mean: number, random: Random): number {
  return mean * Math.exp(sigma * normal(random) - (sigma * sigma) / 2)
}

function normal(random: Random): number {
  // Never 0, whose logarithm has no end.
  const radius = Math.sqrt(-2 * Math.log(1 - random.float()))
  return radius * Math.cos(2 * Math.PI * random.float())
}

/** Draws one of several by their weights; `undefined` where all weigh nothing. */
function weighted<T extends { readonly weight: number }>(choices: readonly T[], random: Random): T | undefined {
  const total = choices.reduce((sum, { weight }) => sum + weight, 0)
  let left = random.float() * total
  return choices.find(({ weight }) => {
    left -= weight
    return left < 0
  })
}

/** How many play in each hour of the local day, relative to the mean: few at five in the morning, most at nine in the evening. */
const byHour = [
  0.98, 0.72, 0.51, 0.38, 0.31, 0.29, 0.33, 0.43, 0.56, 0.69, 0.81, 0.92, 1.02, 1.08, 1.14, 1.22, 1.32, 1.44, 1.56,
  1.67, 1.75, 1.77, 1.68, 1.42,
] as const

const hourMs = 3_600_000
const degreesPerHour = 15

/** Returns how many play at a time and a longitude in degrees, relative to the mean of a day. `now` in ms since the epoch. */
function activityAt(now: number, longitude: number): number {
  const hour = modulo(now / hourMs + longitude / degreesPerHour, byHour.length)
  const [before, part] = [Math.floor(hour), hour % 1]
  const [from = 1, to = 1] = [byHour[before], byHour[(before + 1) % byHour.length]]
  return from + (to - from) * part
}

function modulo(value: number, by: number): number {
  return ((value % by) + by) % by
}
