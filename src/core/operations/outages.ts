import { isDue, markOutages } from '../store/faults.js'
import type { RunningLobby } from '../store/lobby-rules.js'
import type { LiveWorld } from '../store/world.js'
import { stopLobby } from './game-server.js'

/** Stops lobbies in regions that are down, and marks begun outages. Call it after the time or the faults change. `at`: epoch ms. */
export function applyOutages(world: LiveWorld, at = world.clock.now()): void {
  for (const record of world.faults.records) {
    const { id, fault } = record
    if (!fault.effect.outage) continue
    const lobbies = isDue(record, at) ? runningIn(fault.region, world) : []
    const marked = markOutages(world.faults, at, id)
    if (lobbies.length === 0 && marked === world.faults) continue
    const apply = () => {
      for (const lobby of lobbies) stopLobby(lobby, world.tables, at)
      world.faults = marked
    }
    world.write(apply, { cause: { kind: 'fault', fault: id }, at })
  }
}

function runningIn(region: string | undefined, { tables }: LiveWorld): RunningLobby[] {
  const running: RunningLobby[] = []
  for (const lobby of tables.lobbies.all())
    if (lobby.status !== 'stopped' && lobby.region_id === region) running.push(lobby)
  return running
}
