import { didYouMean } from '../lib/did-you-mean.js'
import { parseInput } from '../lib/issues.js'
import { quoted } from '../lib/quote.js'
import { formatDuration, formatInstant } from '../lib/time.js'
import { UsageError } from '../lib/usage-error.js'
import { simulationOf } from '../scenario/games.js'
import { fullNameOf } from '../store/full-name.js'
import type { SimulationRow } from '../store/simulation-row.js'
import type { ReadTables } from '../store/table.js'
import type { World } from '../store/world.js'
import { namespaceCalled } from './namespace-called.js'
import { EndSimulationSchema, SimulationSchema } from './options.js'
import type { EndSimulationOptions, SimulationOptions, SimulationState } from './steering.js'

/** Has players come to a namespace, and go, from now on. Rejects with `UsageError`. */
export async function simulate(world: World, options: SimulationOptions): Promise<SimulationState> {
  const { namespace, ...entry } = parseInput(SimulationSchema, options, 'simulation')
  return world.write(async tables => {
    const { namespace_id } = namespaceCalled(namespace, tables)
    const row = { namespace_id, ...simulationOf(entry, world.clock.now()) }
    checkModes(row, tables)
    await tables.simulations.delete(q => q.where({ namespace_id }))
    return stateOf(await tables.simulations.create(row), tables)
  })
}

/** Where players come and go, and how many are there. */
export function simulationsIn(tables: ReadTables): SimulationState[] {
  return tables.simulations.all().map(row => stateOf(row, tables))
}

/** Has nobody come to a namespace any more; `false` where nobody did. Rejects with `UsageError`. */
export async function endSimulation(world: World, options: EndSimulationOptions): Promise<boolean> {
  const { namespace } = parseInput(EndSimulationSchema, options, 'options')
  const { namespace_id } = namespaceCalled(namespace, world)
  return (await world.simulations.delete(q => q.where({ namespace_id }))) !== undefined
}

function checkModes({ namespace_id, modes = {} }: SimulationRow, tables: ReadTables): void {
  const known = tables.gameModes.findMany(q => q.where({ namespace_id })).map(({ game_mode_id }) => game_mode_id)
  const ids = new Set(known)
  const unknown = Object.keys(modes).find(id => !ids.has(id))
  if (unknown === undefined) return
  const name = fullNameOf(namespace_id, tables)
  throw new UsageError(`modes has ${quoted(unknown)}, which is no game mode of ${name}.${didYouMean(unknown, known)}`)
}

function stateOf(row: SimulationRow, tables: ReadTables): SimulationState {
  const { namespace_id, concurrent, session_ms, modes, began_at } = row
  const lobbies = tables.lobbies.findMany(q => q.where({ namespace_id }))
  return {
    namespace: fullNameOf(namespace_id, tables),
    namespace_id,
    concurrent,
    session: formatDuration(session_ms),
    ...(modes === undefined ? {} : { modes }),
    began_at: formatInstant(began_at),
    players: {
      connected: lobbies.reduce((sum, { total_player_count }) => sum + total_player_count, 0),
      reserved: lobbies.reduce((sum, { reserved_player_count }) => sum + reserved_player_count, 0),
    },
  }
}
