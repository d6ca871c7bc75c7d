import { ApiError } from '../contract/errors.js'
import { closeLobby, stopLobby } from '../operations/game-server.js'
import { findLobby } from '../operations/matchmaking.js'
import { seatsTaken } from '../store/lobby-rules.js'
import {
  type GameModeRow,
  type LobbyRow,
  mostConcurrent,
  nextStepAt,
  type PlayerRow,
  type SimulationRow,
  sessionLimits,
  simulationStepMs,
} from '../store/matchmaker-rows.js'
import type { Tables } from '../store/model.js'
import { Random } from '../store/random.js'
import { freshToken } from '../store/tokens.js'
import type { Transaction } from '../store/transaction.js'
import type { ReadView } from '../store/world.js'

/** The world inside a job's transaction. `now` is the time of the job, in ms since the epoch. */
export interface JobContext extends ReadView {
  readonly random: Random
  readonly now: number
  readonly transaction: Transaction
}

interface Demand {
  readonly mode: GameModeRow
  readonly region_id: string
  readonly weight: number
}

/** The most counted players that one job converts, so that no job takes long. */
const convertedPerJob = 500

/**
 * Lets players arrive in a namespace: most where it is evening, fewest where it is early morning. Only the seed and the
 * number of the step decide who arrives. So a day is the same at every rate of the clock.
 */
export function runSimulationStep(simulation: SimulationRow, context: JobContext): void {
  const { namespace_id, concurrent, session_ms, began_at } = simulation
  const { tables, now, seed } = context
  const converted = simulation.settled ? { isDone: true, count: 0 } : convertCountedPlayers(simulation, context)
  // The next job converts more of them. It is due at once.
  if (!converted.isDone) return
  const settled = { ...simulation, settled: true }
  const { next_step_at: _, ...others } = settled
  const next_step_at = nextStepAt(settled, now)
  tables.simulations.put(Object.freeze(next_step_at === undefined ? others : { ...others, next_step_at }))
  const random = new Random(seed, `players:${namespace_id}:${Math.round((now - began_at) / simulationStepMs)}`)
  const demands = demandsOf(simulation, context)
  const mean = ((concurrent * simulationStepMs) / session_ms) * demands.reduce((sum, { weight }) => sum + weight, 0)
  const count = poisson(mean, random)
  for (let i = 0; i < count; i++) {
    const demand = drawWeighted(demands, random)
    if (demand) addPlayer(simulation, demand, addressOf(now, converted.count + i), random, context)
  }
}

function demandsOf({ namespace_id, modes: weights }: SimulationRow, { tables, now }: JobContext): Demand[] {
  const modes = weightedModes(namespace_id, weights, tables)
  const total = modes.reduce((sum, { weight }) => sum + weight, 0)
  if (total === 0) return []
  const activities = new Map(
    tables.regions.all().map(region => [region.region_id, activityAt(now, region.datacenter_coord.longitude)]),
  )
  return modes.flatMap(({ mode, weight: share }) => {
    const weight = share / total / mode.regions.length
    return mode.regions.map(region_id => ({
      mode,
      region_id,
      weight: weight * (activities.get(region_id) ?? activityAt(now, 0)),
    }))
  })
}

/** Draws the game mode of a player by the weights. Returns its id; `undefined` if no mode of the namespace can be found. */
export function drawMode(
  { namespace_id, modes }: Pick<SimulationRow, 'namespace_id' | 'modes'>,
  random: Random,
  tables: Tables,
): string | undefined {
  return drawWeighted(weightedModes(namespace_id, modes, tables), random)?.mode.game_mode_id
}

function weightedModes(
  namespace_id: string,
  weights: SimulationRow['modes'],
  tables: Tables,
): { readonly mode: GameModeRow; readonly weight: number }[] {
  const modes = tables.gameModes
    .inIndex('namespace_id', { namespace_id })
    .filter(mode => mode.regions.length > 0 && !mode.disabled?.includes('find'))
  return modes.map(mode => {
    const { game_mode_id } = mode
    // The id of a mode may be the name of a property of every object.
    const weight = !weights ? 1 : Object.hasOwn(weights, game_mode_id) ? (weights[game_mode_id] ?? 0) : 0
    return { mode, weight }
  })
}

function addPlayer(
  simulation: SimulationRow,
  { mode, region_id }: Demand,
  address: string,
  random: Random,
  context: JobContext,
): void {
  const { tables, now } = context
  const client = { address, isLocal: false, sessionMs: drawSession(simulation, random) }
  try {
    const found = findLobby({
      ...context,
      caller: { kind: 'public', namespaceId: simulation.namespace_id },
      client,
      input: { game_modes: [mode.game_mode_id], regions: [region_id] },
    })
    if (found instanceof ApiError) return
    const lobby = tables.lobbies.get(found.lobby.lobby_id)
    const player = tables.players.get(found.player.token)
    if (lobby && player) serveLobby(lobby, player, tables, now)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}

/** The lobby at which the next job of a world continues: without it, each job would read all lobbies. */
const positions = new WeakMap<
  Tables,
  {
    readonly namespace_id: string
    /** The transaction of the job before. */
    readonly transaction: Transaction
    /** The creation number of the lobby. */
    readonly seq: number
    /** The players of the lobbies before it. */
    readonly count: number
  }
>()

/** Converts players that lobbies only count into simulated players, some hundreds per job. `count`: those so far. */
function convertCountedPlayers(
  simulation: SimulationRow,
  context: JobContext,
): { readonly isDone: boolean; readonly count: number } {
  const { tables, transaction } = context
  const { namespace_id } = simulation
  const reached = positions.get(tables)
  // Another transaction may have changed a lobby before the position.
  const newest = Math.max(tables.lobbies.state.revision, tables.players.state.revision)
  const isNewest = reached?.transaction === transaction || newest === reached?.transaction.revision
  const isValid = isNewest && reached?.namespace_id === namespace_id
  const start = isValid ? reached.seq : undefined
  let count = isValid ? reached.count : 0
  let remaining = convertedPerJob
  const lobbies = tables.lobbies.state.entriesInIndex('namespace_id', namespace_id, start)
  for (const { seq, row: lobby } of lobbies) {
    if (lobby.status === 'stopped' || lobby.run_by !== 'mock') continue
    const known = tables.players.sum('connected', lobby.lobby_id)
    const unknown = Math.min(lobby.total_player_count - known, mostConcurrent - count - known)
    const converted = Math.min(Math.max(unknown, 0), remaining)
    if (converted > 0) convertInLobby(simulation, lobby, { known, count: converted, nth: count + known }, context)
    remaining -= converted
    if (converted < unknown) {
      positions.set(tables, { namespace_id, transaction, seq, count })
      return { isDone: false, count }
    }
    count += lobby.total_player_count
  }
  positions.delete(tables)
  return { isDone: true, count: Math.min(count, mostConcurrent) }
}

function convertInLobby(
  simulation: SimulationRow,
  lobby: LobbyRow,
  { known, count, nth }: { readonly known: number; readonly count: number; readonly nth: number },
  { tables, now, seed, random }: JobContext,
): void {
  const { lobby_id, namespace_id, total_player_count } = lobby
  const sessions = new Random(seed, `settle:${lobby_id}:${known}`)
  // The trigger of each new row counts its player again.
  tables.lobbies.put(Object.freeze({ ...lobby, total_player_count: total_player_count - count }))
  for (let i = 0; i < count; i++) {
    // A long session is more likely to be met than a short one. Without this, a third of the players would leave too early.
    const session_ms = drawSession(simulation, sessions, Math.exp(sigma * sigma))
    // The sessions began at different times, so their remaining times differ.
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
 * Acts as the server of a lobby with simulated players. It closes a full lobby, and opens it when a seat is free again. It
 * stops a lobby when the last simulated player leaves, unless the scenario lists the lobby. `before` is the lobby before
 * `player` arrived or left. `now` in ms since the epoch.
 */
export function serveLobby(before: LobbyRow, player: PlayerRow, tables: Tables, now: number): void {
  const lobby = tables.lobbies.get(before.lobby_id)
  if (!lobby || lobby.status === 'stopped' || lobby.run_by !== 'mock') return
  const isSimulated = player.session_ms !== undefined
  if (seatsTaken(lobby) === 0 && lobby.stops_at !== undefined && isSimulated) stopLobby(lobby, tables, now)
  else if (isFull(lobby) && !lobby.is_closed) closeLobby(lobby, true, tables)
  else if (!isFull(lobby) && isFull(before) && lobby.is_closed) closeLobby(lobby, false, tables)
}

function isFull(lobby: LobbyRow): boolean {
  return seatsTaken(lobby) >= lobby.max_players_normal
}

/** Draws the session of a player: whole steps, in ms. `session_ms` is the mean, and `factor` multiplies it. A short mean has shorter steps. */
export function drawSession({ session_ms }: Pick<SimulationRow, 'session_ms'>, random: Random, factor = 1): number {
  // A log-normal value with that mean.
  const drawn = session_ms * factor * Math.exp(sigma * random.normal() - (sigma * sigma) / 2)
  const stepMs = Math.min(simulationStepMs, session_ms / 2)
  const steps = Math.round(drawn / stepMs)
  return Math.min(Math.max(steps, 1) * stepMs, sessionLimits.max)
}

/** Returns an IPv6 address for documentation, another one for each `nth` at the same time. */
function addressOf(now: number, nth: number): string {
  const step = Math.floor(now / simulationStepMs)
  const groups = [step / 0x10000, step, (nth + 1) / 0x10000, nth + 1].map(part =>
    (Math.floor(part) & 0xffff).toString(16),
  )
  return `2001:db8::${groups.join(':')}`
}

/** A larger mean is split, because its exponential would underflow to 0. */
const largestMean = 30

function poisson(mean: number, random: Random): number {
  let [remaining, count] = [mean, 0]
  for (; remaining > largestMean; remaining -= largestMean) count += poissonOfSmallMean(largestMean, random)
  return count + poissonOfSmallMean(remaining, random)
}

function poissonOfSmallMean(mean: number, random: Random): number {
  const limit = Math.exp(-mean)
  let count = 0
  for (let product = random.float(); product > limit; product *= random.float()) count += 1
  return count
}

/** The standard deviation of the logarithm of a session. */
const sigma = 0.75

function drawWeighted<T extends { readonly weight: number }>(choices: readonly T[], random: Random): T | undefined {
  const total = choices.reduce((sum, { weight }) => sum + weight, 0)
  let remaining = random.float() * total
  return choices.find(({ weight }) => {
    remaining -= weight
    return remaining < 0
  })
}

/** The number of players in each hour of the local day, relative to the mean. The fewest play at 5 h, the most at 21 h. */
const byHour = [
  0.98, 0.72, 0.51, 0.38, 0.31, 0.29, 0.33, 0.43, 0.56, 0.69, 0.81, 0.92, 1.02, 1.08, 1.14, 1.22, 1.32, 1.44, 1.56,
  1.67, 1.75, 1.77, 1.68, 1.42,
] as const

const hourMs = 3_600_000
const degreesPerHour = 15

/** Returns the number of players at a time and a longitude in degrees, relative to the daily mean. `now` in ms since the epoch. */
function activityAt(now: number, longitude: number): number {
  const hours = byHour.length
  const hour = (((now / hourMs + longitude / degreesPerHour) % hours) + hours) % hours
  const [before, part] = [Math.floor(hour), hour % 1]
  const [from = 1, to = 1] = [byHour[before], byHour[(before + 1) % byHour.length]]
  return from + (to - from) * part
}
