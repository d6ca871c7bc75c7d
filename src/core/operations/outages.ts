import { markOutages, outageOf } from '../store/faults.js'
import type { RunningLobby } from '../store/lobby-rules.js'
import type { LiveWorld } from '../store/world.js'
import { stopLobby } from './game-server.js'

/** Stops lobbies in regions that are down, and marks begun outages. Call it after the time or the faults change. `at`: epoch ms. */
export function applyOutages(world: LiveWorld, at = world.clock.now()): void {
  const { records } = world.faults
  if (!records.some(({ fault }) => fault.effect.outage)) return
  const outages = new Map(
    world.tables.regions.all().flatMap(({ region_id }) => {
      const outage = outageOf(world.faults, region_id, at)
      return outage ? [[region_id, outage.id] as const] : []
    }),
  )
  const lobbies: RunningLobby[] = []
  for (const lobby of world.tables.lobbies.all())
    if (lobby.status !== 'stopped' && outages.has(lobby.region_id)) lobbies.push(lobby)
  const marked = markOutages(world.faults, at)
  if (lobbies.length === 0 && marked === world.faults) return
  const begun = marked.records.find((record, i) => record !== records[i])
  const fault = begun?.id ?? outages.get(lobbies[0]?.region_id ?? '') ?? ''
  const apply = () => {
    for (const lobby of lobbies) stopLobby(lobby, world.tables, at)
    world.faults = marked
  }
  world.write(apply, { cause: { kind: 'fault', fault }, at })
}
