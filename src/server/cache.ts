import type { LiveWorld, Reading } from '../store/world.js'

/** Outputs that several responses share. They never change, so each is encoded only once. */
const shared = new WeakSet<object>()

export function isShared(output: object): boolean {
  return shared.has(output)
}

/** Marks an output that several responses may share. */
export function markShared(output: unknown): void {
  if (typeof output === 'object' && output !== null) shared.add(output)
}

/** The most outputs in the cache of a world. */
const most = 500

/** Caches the answers of reads in one world. A key contains everything that a read depends on, except the world. */
export class ReadCache {
  readonly #world: LiveWorld
  /** Each is valid until a dependency changes. */
  readonly #outputs = new Map<string, { readonly output: unknown; forget(): void }>()

  constructor(world: LiveWorld) {
    this.#world = world
  }

  /** Returns the cached output, or reads it. Does not cache an output that the clock alone may change. */
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
    markShared(value)
    const [oldest] = this.#outputs.values()
    if (this.#outputs.size > most) oldest?.forget()
    return value
  }
}
