import type { LiveWorld, Reading } from '../store/world.js'

/** Outputs that several responses share: they never change, so that each is encoded once. */
const shared = new WeakSet<object>()

export function isShared(output: object): boolean {
  return shared.has(output)
}

/** Marks an output that several responses may share. */
export function markShared(output: unknown): void {
  if (typeof output === 'object' && output !== null) shared.add(output)
}

/** How many outputs are kept of a world. */
const most = 500

/** Keeps what reads of a world have answered, under keys that say all that a read sees but the world. */
export class ReadCache {
  readonly #world: LiveWorld
  /** Each holds until a dependency changes. */
  readonly #outputs = new Map<string, { readonly output: unknown; forget(): void }>()

  constructor(world: LiveWorld) {
    this.#world = world
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
    markShared(value)
    const [oldest] = this.#outputs.values()
    if (this.#outputs.size > most) oldest?.forget()
    return value
  }
}
