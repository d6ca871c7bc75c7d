import { ApiError } from '../contract/errors.js'
import { sameJson } from '../lib/json.js'
import type { DependencyListener, Reading } from '../store/dependencies.js'
import type { Timer } from '../store/timers.js'
import type { LiveWorld, Waiter } from '../store/world.js'
import type { AbortSignalLike } from './message.js'

/** Outputs that several responses share. They never change, so each is encoded only once. */
const shared = new WeakSet<object>()

export function isShared(output: unknown): output is object {
  return shared.has(output as object)
}

function markShared(output: unknown): void {
  if (typeof output === 'object' && output !== null) shared.add(output)
}

const mostCachedOutputs = 500

/** An output that is forgotten when a dependency changes. */
interface CachedOutput extends DependencyListener {
  readonly output: unknown
}

/** Caches the outputs of reads in one world. A key contains everything that a read depends on, except the world. */
export class ReadCache {
  readonly #world: LiveWorld
  /** Each is valid until a dependency changes. */
  readonly #outputs = new Map<string, CachedOutput>()

  constructor(world: LiveWorld) {
    this.#world = world
  }

  /** Returns the cached output, or reads it. Does not cache an output that the clock alone may change. */
  output(key: string, read: () => Reading<unknown>): unknown {
    const known = this.#outputs.get(key)
    if (known) return known.output
    const { value, tags, until } = read()
    if (until !== undefined) return value
    const cached: CachedOutput = {
      output: value,
      onChange: () => {
        this.#world.dependencies.unlisten(tags, cached)
        this.#outputs.delete(key)
      },
    }
    this.#world.dependencies.listen(tags, cached)
    this.#outputs.set(key, cached)
    markShared(value)
    const [oldest] = this.#outputs.values()
    if (this.#outputs.size > mostCachedOutputs) oldest?.onChange()
    return value
  }
}

/** The client closed the connection before the response. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'

  constructor() {
    super('the client has disconnected')
  }
}

/** Throws `ApiError` if no more requests may be blocked. */
export function checkWaiterLimit({ waiting }: LiveWorld, maxWaiters: number): void {
  if (waiting.size < maxWaiters) return
  throw new ApiError('API_RATE_LIMIT', `${maxWaiters} requests are blocked already: try again later`, {
    headers: { 'retry-after': '1' },
  })
}

interface BlockOptions {
  /** Frees the request when the client disconnects. */
  readonly signal: AbortSignalLike | undefined
  /** The longest time to block, in ms of the world's clock. Infinity has no deadline. */
  readonly timeoutMs: number
  /** Undoes the work of the request when its client disconnects. */
  abandon?(): void
}

/** The outcome of a call that has to wait. */
export class Blocked<Output> {
  constructor(
    readonly reason: 'watch' | 'lobby',
    /** Begins to wait. Call it in the same tick: a later one may miss a change. */
    readonly begin: (signal: AbortSignalLike | undefined) => Promise<Output>,
  ) {}
}

/** Answers the watches of a world (PROTOCOL.md B7). */
export class Watches {
  readonly #world: LiveWorld
  readonly #maxWaiters: number
  readonly #reads = new Map<string, WatchedRead<object, object>>()

  constructor(world: LiveWorld, maxWaiters: number) {
    this.#world = world
    this.#maxWaiters = maxWaiters
  }

  /**
   * Answers at once, unless `index` is the index of the present answer. Then the request blocks until the answer changes, or
   * until its deadline. Requests with the same key share one read: the key contains everything that the read depends on,
   * except the world. Throws `ApiError` if too many requests are blocked.
   */
  answer(
    { index, read, key }: { readonly index: unknown; read(): Reading<object>; key(): string },
    timeoutMs: number,
  ): object | Blocked<object> {
    const reading = read()
    if (BigInt(reading.revision) !== index || timeoutMs <= 0) return addIndex(reading)
    checkWaiterLimit(this.#world, this.#maxWaiters)
    return new Blocked('watch', signal => {
      const options = { key: key(), read, toOutput: addIndex, onIdle: this.#forget }
      const watched = this.#reads.get(options.key) ?? new WatchedRead(this.#world, reading, options)
      this.#reads.set(options.key, watched)
      return watched.block({ signal, timeoutMs })
    })
  }

  readonly #forget = (key: string) => void this.#reads.delete(key)
}

/** Adds the watch index to the answer of a watch. */
export function addIndex({ value, revision }: Reading<object>): object {
  return { ...value, watch: { index: String(revision) } }
}

interface ReadOptions<T, Output> {
  read(): Reading<T>
  /** Turns a reading into the answer of a request. May throw `ApiError`. */
  toOutput(reading: Reading<T>): Output
  readonly key: string
  /** Called with the key when no request is blocked any more. */
  onIdle?(key: string): void
}

/** A read with blocked requests. When a dependency changes, it reads once for all, and answers if the value differs. */
export class WatchedRead<T, Output> implements DependencyListener {
  readonly #world: LiveWorld
  readonly #options: ReadOptions<T, Output>
  readonly #blocked = new Set<BlockedRequest<Output>>()
  #reading: Reading<T>
  /** The output of the reading, created on first use. */
  #output: { readonly output: Output } | undefined
  /** Runs when the clock alone may change the value. */
  #changeTimer: Timer | undefined

  constructor(world: LiveWorld, reading: Reading<T>, options: ReadOptions<T, Output>) {
    this.#world = world
    this.#reading = reading
    this.#options = options
  }

  /** Blocks a request in the same tick as its reading. */
  block(options: BlockOptions): Promise<Output> {
    const request = new BlockedRequest(this, this.#world, options)
    if (this.#blocked.size === 0) this.#startWatching()
    this.#blocked.add(request)
    request.begin()
    return request.answer
  }

  /** Returns the output for the present state. Throws what the read throws. */
  output(): Output {
    const { toOutput, read } = this.#options
    const { until } = this.#reading
    // The deadline of a request may come before the timer of the change.
    if (until !== undefined && this.#world.clock.now() >= until) return toOutput(read())
    if (this.#output) return this.#output.output
    const output = toOutput(this.#reading)
    this.#output = { output }
    markShared(output)
    return output
  }

  remove(request: BlockedRequest<Output>): void {
    this.#blocked.delete(request)
    if (this.#blocked.size > 0) return
    this.#stopWatching()
    const { key, onIdle } = this.#options
    onIdle?.(key)
  }

  /** Reads again, and answers the requests if the value differs. */
  onChange(): void {
    const { value } = this.#reading
    let reading: Reading<T>
    try {
      reading = this.#options.read()
    } catch (error) {
      for (const request of [...this.#blocked]) request.fail(error)
      return
    }
    this.#stopWatching()
    this.#reading = reading
    this.#output = undefined
    if (sameJson(value, reading.value)) this.#startWatching()
    else for (const request of [...this.#blocked]) request.end()
  }

  #startWatching(): void {
    const { clock } = this.#world
    const { tags, until } = this.#reading
    this.#world.dependencies.listen(tags, this)
    this.#changeTimer = until === undefined ? undefined : clock.after(until - clock.now(), () => this.onChange())
  }

  #stopWatching(): void {
    this.#world.dependencies.unlisten(this.#reading.tags, this)
    if (this.#changeTimer) this.#world.clock.cancel(this.#changeTimer)
  }
}

/** A blocked request. It is small, because there may be 50,000. */
class BlockedRequest<Output> implements Waiter {
  readonly answer: Promise<Output>
  readonly #watched: WatchedRead<unknown, Output>
  readonly #world: LiveWorld
  readonly #abandon: (() => void) | undefined
  readonly #signal: AbortSignalLike | undefined
  readonly #deadline: Timer | undefined
  #resolve!: (output: Output) => void
  #reject!: (error: unknown) => void

  constructor(watched: WatchedRead<unknown, Output>, world: LiveWorld, options: BlockOptions) {
    const { timeoutMs, abandon } = options
    this.#watched = watched
    this.#world = world
    this.#abandon = abandon
    this.#signal = options.signal
    this.#deadline = timeoutMs === Number.POSITIVE_INFINITY ? undefined : world.clock.after(timeoutMs, this.end)
    this.answer = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  begin(): void {
    this.#world.waiting.add(this)
    this.#signal?.addEventListener('abort', this.#abort)
    if (this.#signal?.aborted) this.#abort()
  }

  readonly end = () => {
    try {
      const output = this.#watched.output()
      if (this.#leave()) this.#resolve(output)
    } catch (error) {
      this.fail(error)
    }
  }

  fail(error: unknown): void {
    if (this.#leave()) this.#reject(error)
  }

  readonly #abort = () => {
    if (!this.#leave()) return
    try {
      this.#abandon?.()
      this.#reject(new ClientGone())
    } catch (error) {
      this.#reject(error)
    }
  }

  /** Frees everything that the request holds. Returns `false` if it was already answered. */
  #leave(): boolean {
    if (!this.#world.waiting.delete(this)) return false
    if (this.#deadline) this.#world.clock.cancel(this.#deadline)
    this.#signal?.removeEventListener('abort', this.#abort)
    this.#watched.remove(this)
    return true
  }
}
