import * as z from 'zod'
import type * as types from '../generated/options.js'
import { parseInput } from '../lib/issues.js'
import { lazy } from '../lib/lazy.js'
import { didYouMean, quoted, UsageError } from '../lib/messages.js'
import { lazyObject } from '../lib/schemas.js'
import { formatDuration, formatInstant } from '../lib/time.js'
import { SimulationEntry, simulationColumnsOf } from '../scenario/entries.js'
import { SessionInCode, type SimulationRow } from '../store/matchmaker-rows.js'
import { createRow } from '../store/models.js'
import { findNamespace, fullNameOf } from '../store/namespaces.js'
import type { ReadTables } from '../store/table-calls.js'
import type { LiveWorld } from '../store/world.js'

export const SimulationOptions = lazyObject(() => ({
  /** The name ids `<game>/<namespace>`, or the id of the namespace. Default: the default namespace. */
  namespace: z.string().optional(),
  /** The number of players at once, averaged over a day. Default: 100. */
  concurrent: SimulationEntry.shape.concurrent,
  /** The average length of a session. Default: `12m`. */
  session: SessionInCode.optional(),
  /** The weights of the game modes, by their ids. Default: all alike. */
  modes: SimulationEntry.shape.modes,
}))
/** Simulated players of a namespace. Absent keys get their defaults. */
export type SimulationOptions = types.SimulationOptions

export const EndSimulationOptions = lazy(() => SimulationOptions().pick({ namespace: true }))
export type EndSimulationOptions = Pick<SimulationOptions, 'namespace'>

/** A simulation. `players` counts all players in the lobbies of its namespace. */
export interface SimulationState {
  /** The name ids `<game>/<namespace>`. */
  readonly namespace: string
  readonly namespace_id: string
  readonly concurrent: number
  readonly session: string
  readonly modes?: Readonly<Record<string, number>>
  /** In ISO 8601. */
  readonly began_at: string
  readonly players: { readonly connected: number; readonly reserved: number }
}

export async function simulate(world: LiveWorld, options: SimulationOptions = {}): Promise<SimulationState> {
  const { namespace, ...entry } = parseInput(SimulationOptions(), options, 'simulation')
  const { tables, random, clock } = world
  const write = () => {
    const { namespace_id } = findNamespace(namespace, tables)
    const now = clock.now()
    const row = { namespace_id, ...simulationColumnsOf(SimulationEntry.decode(entry), now) }
    checkModes(row, tables)
    tables.simulations.delete(namespace_id)
    const created = createRow('simulations', row, { tables, random, now })
    return stateOf(created, tables)
  }
  return world.write(write, { cause: { kind: 'control', call: 'simulate' } })
}

export function listSimulations(tables: ReadTables): SimulationState[] {
  return tables.simulations.all().map(row => stateOf(row, tables))
}

export async function endSimulation(world: LiveWorld, options: EndSimulationOptions = {}): Promise<boolean> {
  const { namespace } = parseInput(EndSimulationOptions(), options, 'options')
  const { simulations } = world.tables
  const write = () => {
    const { namespace_id } = findNamespace(namespace, world)
    const isRunning = simulations.get(namespace_id) !== undefined
    simulations.delete(namespace_id)
    return isRunning
  }
  return world.write(write, { cause: { kind: 'control', call: 'endSimulation' } })
}

function checkModes({ namespace_id, modes = {} }: SimulationRow, tables: ReadTables): void {
  const known = tables.gameModes.findMany(q => q.where({ namespace_id })).map(({ game_mode_id }) => game_mode_id)
  const ids = new Set(known)
  const unknown = Object.keys(modes).find(id => !ids.has(id))
  if (unknown === undefined) return
  const name = fullNameOf(namespace_id, tables)
  throw new UsageError(
    `modes has ${quoted(unknown)}, which is not a game mode of ${name}.${didYouMean(unknown, known)}`,
  )
}

function countPlayers({ namespace_id }: SimulationRow, { lobbies }: ReadTables): SimulationState['players'] {
  let [connected, reserved] = [0, 0]
  for (const lobby of lobbies.findMany(q => q.where({ namespace_id }))) {
    connected += lobby.total_player_count
    reserved += lobby.reserved_player_count
  }
  return { connected, reserved }
}

function stateOf(row: SimulationRow, tables: ReadTables): SimulationState {
  const { namespace_id, concurrent, session_ms, modes, began_at } = row
  return {
    namespace: fullNameOf(namespace_id, tables),
    namespace_id,
    concurrent,
    session: formatDuration(session_ms),
    ...(modes === undefined ? {} : { modes }),
    began_at: formatInstant(began_at),
    players: countPlayers(row, tables),
  }
}
