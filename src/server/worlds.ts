import { ApiError } from '../contract/errors.js'
import { worldId } from '../contract/paths.js'
import { quoted } from '../lib/text.js'
import { UsageError } from '../lib/usage-error.js'
import { longestDelayMs } from '../store/timers.js'

/** What is kept of a world: whatever answers for it. */
export interface Kept {
  /** Whether somebody waits in it, so that it is in use although nobody asks. */
  readonly busy: boolean
  close(): Promise<void>
}

/** How many worlds there are, and how new ones come to be. */
export interface WorldsOptions<Mock extends Kept> {
  /** The world `default`, which is always there. */
  readonly default: Mock
  /** Makes the world of an id that is asked for the first time. */
  make(id: string): Mock
  /** The most worlds. */
  readonly most: number
  /** For how long an unused one is kept, in real ms. */
  readonly ttlMs: number
}

/** The id of the world that is meant where none is named. */
export const defaultWorldId = 'default'

/** How often it is looked which worlds are unused: so many times in the time for which they are kept. */
const looksPerTtl = 10

/** Isolated worlds by their ids. One that nobody uses for long enough goes, with all that is in it. */
export class Worlds<Mock extends Kept> {
  readonly #options: WorldsOptions<Mock>
  readonly #others = new Map<string, { readonly mock: Mock; usedAt: number }>()
  #timer: ReturnType<typeof setInterval> | undefined
  #closed = false

  constructor(options: WorldsOptions<Mock>) {
    this.#options = options
  }

  /** How many there are, the default one included. */
  get size(): number {
    return this.#others.size + 1
  }

  get default(): Mock {
    return this.#options.default
  }

  /** Their ids, the default one's first, then in the order in which they were made. */
  get ids(): readonly string[] {
    return [defaultWorldId, ...this.#others.keys()]
  }

  /** The world of an id, if it is there. To look at it is not to use it. */
  peek(id: string): Mock | undefined {
    return id === defaultWorldId ? this.#options.default : this.#others.get(id)?.mock
  }

  /** The world of an id, if it is there. */
  get(id: string): Mock | undefined {
    const entry = this.#others.get(id)
    if (entry) entry.usedAt = Date.now()
    return this.peek(id)
  }

  /** The world of an id, made if it is not there. Throws `ApiError` where the id is none, or there are too many worlds. */
  at(id: string): Mock {
    return this.get(id) ?? this.add(id, this.#options.make)
  }

  /** Makes a world that is not there. Throws as `at` does. */
  add(id: string, make: (id: string) => Mock): Mock {
    // The test of a pattern would take null for "null".
    if (typeof id !== 'string' || !worldId.pattern.test(id)) {
      throw new ApiError('API_NOT_FOUND', `${quoted(id)} is no id of a world: expected ${worldId.expected}`)
    }
    const { most } = this.#options
    if (this.size >= most) {
      throw new ApiError(
        'API_RATE_LIMIT',
        `there are ${most} worlds already: delete some (DELETE /__mock/worlds/{id}), or allow more (--max-worlds)`,
        { headers: { 'retry-after': '1' } },
      )
    }
    const mock = make(id)
    // Who asks once more is answered, and nothing is kept of it.
    if (this.#closed) {
      void mock.close()
      return mock
    }
    this.#others.set(id, { mock, usedAt: Date.now() })
    this.#look()
    return mock
  }

  /** Deletes a world, and answers those who wait in it; `false` where there is none. Rejects with `UsageError` for the default one. */
  async delete(id: string): Promise<boolean> {
    if (id === defaultWorldId) throw new UsageError('the default world is always there: reset it instead')
    const entry = this.#others.get(id)
    this.#others.delete(id)
    this.#look()
    await entry?.mock.close()
    return entry !== undefined
  }

  /** Takes all but the default one away. From now on none is kept, and in none does anything block. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([...this.#others.keys()].map(id => this.delete(id)))
  }

  /** Looks after unused ones as long as there are any that may go. */
  #look(): void {
    if (this.#others.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
      return
    }
    if (this.#timer !== undefined) return
    const every = Math.min(Math.max(1, this.#options.ttlMs / looksPerTtl), longestDelayMs)
    const timer = setInterval(() => this.#sweep(), every)
    this.#timer = timer
    // Browsers' timers are numbers, and nothing waits for them.
    if (typeof timer === 'object') timer.unref()
  }

  #sweep(): void {
    const now = Date.now()
    for (const [id, entry] of this.#others) {
      if (entry.mock.busy) entry.usedAt = now
      else if (now - entry.usedAt >= this.#options.ttlMs) void this.delete(id)
    }
  }
}
