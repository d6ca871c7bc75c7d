import type { NamespaceRow } from '../store/rows.js'
import { countPlayers } from '../store/seats.js'
import type { LiveWorld } from '../store/world.js'
import { type ClockJson, clockJson } from './history.js'
import type { StateSource } from './states.js'

/** A world in short. */
export interface WorldStatus {
  readonly clock: ClockJson
  /** The players that have a seat, or for whom one is reserved. */
  readonly players: number
  /** The part of `players` that is on the way. */
  readonly reserved: number
  /** The lobbies that have not stopped. */
  readonly lobbies: number
  readonly faults: number
  /** The requests that wait for their answers. */
  readonly waiting: number
}

export function worldStatus({
  world,
  faults,
  pending,
}: Pick<StateSource, 'world' | 'faults' | 'pending'>): WorldStatus {
  const [{ length }, waiting] = [faults.list(), pending.count()]
  return { clock: clockJson(world.clock.state), ...countSeats(world), faults: length, waiting }
}

/** Counts the seats taken, and the lobbies that have not stopped. Reads sums, and no lobby. Default: those of all namespaces. */
export function countSeats(
  { tables }: Pick<LiveWorld, 'tables'>,
  namespaces: readonly Pick<NamespaceRow, 'namespace_id'>[] = tables.namespaces.all(),
): Pick<WorldStatus, 'players' | 'reserved' | 'lobbies'> {
  const running = namespaces.map(({ namespace_id }) => tables.lobbies.sum('running', namespace_id))
  return { ...countPlayers(tables, namespaces), lobbies: running.reduce((sum, one) => sum + one, 0) }
}
