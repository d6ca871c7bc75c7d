import type { RunningLobby } from '../store/rows.js'
import { lifetimeMs } from '../store/time.js'
import type { Writes } from '../store/writes.js'

/** Stops a lobby: its players are removed, and for a while it is known that there was one (PROTOCOL.md C). `now` in ms since the epoch. */
export function stopLobby(
  lobby: RunningLobby,
  { writes, now }: { readonly writes: Writes; readonly now: number },
): void {
  const { status: _, ...others } = lobby
  const columns = { ...others }
  for (const key of ['ready_by', 'stops_at']) Reflect.deleteProperty(columns, key)
  writes.put('lobbies', Object.freeze({ ...columns, status: 'stopped', forgotten_at: now + lifetimeMs.gone }))
}
