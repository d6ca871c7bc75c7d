import { ApiError } from '../contract/error.js'
import type { LiveWorld, Reading, Waiter } from '../store/world.js'
import type { GoneSignal } from './exchange.js'

/** A read that may block. */
interface BlockingRead<T> {
  readonly world: LiveWorld
  read(): Reading<T>
  /** Reads for one that wakes, who is seldom alone. */
  share(read: () => Reading<T>): Reading<T>
  /** The index that the client has. Without one the read is answered at once. */
  readonly after: bigint | undefined
  /** In ms of the world's clock; 0 never blocks. */
  readonly timeoutMs: number
  /** Frees the waiter when the client goes away. */
  signal(): GoneSignal | undefined
  /** The most requests that may be blocked in the world. */
  readonly maxWaiters: number
}

/** Thrown where the client has gone: nobody hears it. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/**
 * Answers a read at once, unless `after` is the newest revision that it can see: then at the next change that it can see,
 * or unchanged at the deadline (PROTOCOL.md B7). Throws what the read throws, then or later.
 */
export function waitFor<T>(watch: BlockingRead<T>): T | Promise<T> {
  const { world, after, timeoutMs, maxWaiters } = watch
  const reading = watch.read()
  if (isNews(reading, after) || timeoutMs <= 0) return reading.value
  if (world.waiting.size >= maxWaiters) {
    throw new ApiError(
      'API_RATE_LIMIT',
      `${maxWaiters} requests are blocked on a watch index already: try again later`,
      { headers: { 'retry-after': '1' } },
    )
  }
  return new Promise((resolve, reject) => {
    new Blocked(watch, { resolve, reject }).begin(reading)
  })
}

function isNews({ revision }: Reading<unknown>, after: bigint | undefined): boolean {
  return BigInt(revision) !== after
}

/** Who hears of what is new. */
interface Hearer<T> {
  resolve(value: T): void
  reject(error: unknown): void
}

/** A blocked request. One object with few parts, because there are many of them. */
class Blocked<T> implements Waiter {
  readonly #watch: BlockingRead<T>
  readonly #hearer: Hearer<T>
  readonly #signal: GoneSignal | undefined
  readonly #giveUp: () => void
  /** Ends what it listens to. */
  #unlisten = nothing
  #forgetUntil = nothing

  constructor(watch: BlockingRead<T>, hearer: Hearer<T>) {
    this.#watch = watch
    this.#hearer = hearer
    this.#signal = watch.signal()
    this.#giveUp = watch.world.clock.after(watch.timeoutMs, this.end)
  }

  /** Listens to what the read depended on, in the same tick as the read. */
  begin(reading: Reading<T>): void {
    this.#watch.world.waiting.add(this)
    this.#listen(reading)
    this.#signal?.addEventListener('abort', this.#gone)
    if (this.#signal?.aborted) this.#gone()
  }

  /** Answers what there is now. */
  end = () => this.#look('anything')

  #wake = () => this.#look('news')

  #gone = () => {
    if (this.#leave()) this.#hearer.reject(new ClientGone('the client has gone'))
  }

  /** Answers what is wanted, or listens anew. */
  #look(wanted: 'news' | 'anything'): void {
    try {
      const reading = this.#watch.share(this.#watch.read)
      if (wanted === 'news' && !isNews(reading, this.#watch.after)) this.#listen(reading)
      else if (this.#leave()) this.#hearer.resolve(reading.value)
    } catch (error) {
      if (this.#leave()) this.#hearer.reject(error)
    }
  }

  #listen({ tags, until }: Reading<T>): void {
    const { listen, clock } = this.#watch.world
    this.#quiet()
    this.#unlisten = listen(tags, this.#wake)
    if (until !== undefined) this.#forgetUntil = clock.after(until - clock.now(), this.#wake)
  }

  #quiet(): void {
    this.#unlisten()
    this.#forgetUntil()
    this.#forgetUntil = nothing
  }

  /** Frees all that it holds; `false` where it has left already. */
  #leave(): boolean {
    this.#quiet()
    this.#giveUp()
    this.#signal?.removeEventListener('abort', this.#gone)
    return this.#watch.world.waiting.delete(this)
  }
}

function nothing(): void {}
