import { clockTag } from '../store/tag.js'
import type { LiveWorld, Reading } from '../store/world.js'
import { share } from './shared-output.js'

/** Readings that requests share that wake together: they ask for the same, and what they hear is encoded once. */
export interface Latest {
  /** What a read has read at the newest revision, under a key that says all that it sees but the world. */
  reading(key: string, read: () => Reading<object>): Reading<object>
}

/** How many readings are shared; further ones are read for each request. */
const most = 500

/** Shares readings until the next revision, but none that depends on a time that has passed, nor past a time it depends on. */
export function createLatest(world: LiveWorld): Latest {
  let readings: Map<string, Reading<object>> | undefined
  let revision = world.revision
  return {
    reading(key, read) {
      if (revision !== world.revision) readings?.clear()
      revision = world.revision
      const known = readings?.get(key)
      if (known && (known.until === undefined || world.clock.now() < known.until)) return known
      const reading = read()
      readings ??= new Map()
      if (readings.size < most && !reading.tags.has(clockTag)) {
        readings.set(key, reading)
        share(reading.value)
      }
      return reading
    },
  }
}
