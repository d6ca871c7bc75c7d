import { clockTag } from '../store/dependencies.js'
import type { LiveWorld, Reading } from '../store/world.js'

/** Outputs that several responses share: they never change, so that each is encoded once. */
const shared = new WeakSet<object>()

export function isShared(output: object): boolean {
  return shared.has(output)
}

/** How many outputs, and how many readings, are kept of a world. */
const most = 500

/** Keeps what reads of a world have answered, under keys that say all that a read sees but the world. */
export class ReadCache {
  readonly #world: LiveWorld
  /** Outputs that hold until a dependency changes. */
  readonly #outputs = new Map<string, { readonly output: unknown; forget(): void }>()
  /** Readings that hold until the next revision: waiters that wake together share them. */
  #readings: Map<string, Reading<object>> | undefined
  #revision: number

  constructor(world: LiveWorld) {
    this.#world = world
    this.#revision = world.revision
  }

  /** The output under a key: the kept one, else that of the read. Keeps nothing that the clock alone may change. */
  output(key: string, read: () => Reading<unknown>): unknown {
    const known = this.#outputs.get(key)
    if (known) return known.output
    const { value, tags, until } = read()
    if (until !== undefined) return value
    const forget = () => {
      stop()
      this.#outputs.delete(key)
    }
    const stop = this.#world.listen(tags, forget)
    this.#outputs.set(key, { output: value, forget })
    if (typeof value === 'object' && value !== null) shared.add(value)
    const [oldest] = this.#outputs.values()
    if (this.#outputs.size > most) oldest?.forget()
    return value
  }

  /** The reading under a key at this revision. Shares none past a time that it depends on. */
  reading(key: string, read: () => Reading<object>): Reading<object> {
    const { revision, clock } = this.#world
    if (this.#revision !== revision) this.#readings?.clear()
    this.#revision = revision
    const known = this.#readings?.get(key)
    if (known && (known.until === undefined || clock.now() < known.until)) return known
    const reading = read()
    this.#readings ??= new Map()
    if (this.#readings.size < most && !reading.tags.has(clockTag)) {
      this.#readings.set(key, reading)
      shared.add(reading.value)
    }
    return reading
  }
}
