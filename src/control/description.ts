import type { World } from '../store/world.js'
import { steeredTables, wireNameOf } from './tables.js'

/** A world in a list of worlds. `now` as in ISO 8601. */
export interface WorldSummary {
  readonly id: string
  readonly title: string
  readonly seed: number
  readonly revision: number
  readonly now: string
  /** How many requests are blocked on a watch index. */
  readonly waiters: number
}

/** What a world is, and how many records are in each of its tables. */
export interface WorldDescription extends WorldSummary {
  readonly counts: Readonly<Record<string, number>>
}

/** A world, by its id. */
interface Described {
  readonly id: string
  readonly world: World
}

/** A world, shortly. */
export function summaryOf({ id, world }: Described): WorldSummary {
  const { title, seed, revision, waiters } = world
  return { id, title, seed, revision, now: new Date(world.clock.now()).toISOString(), waiters }
}

/** A world with what is in it. */
export function descriptionOf(steering: Described): WorldDescription {
  return { ...summaryOf(steering), counts: countsOf(steering.world) }
}

function countsOf(world: World): Record<string, number> {
  const counts = Object.entries(steeredTables).map(([path, name]) => [wireNameOf(path), world[name].count()])
  return Object.fromEntries(counts)
}
