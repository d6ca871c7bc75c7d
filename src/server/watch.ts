import { ApiError } from '../contract/error.js'
import type { Deadline } from '../store/deadlines.js'
import type { LiveWorld, Reading, Waiter } from '../store/world.js'
import type { GoneSignal } from './exchange.js'

/** Reads that may block, each for a question. */
interface Watch<Question, T> {
  readonly world: LiveWorld
  read(question: Question): Reading<T>
  /** Reads for one that wakes, who is seldom alone. */
  readAgain(question: Question): Reading<T>
  /** The index that the client has. Without one the read is answered at once. */
  after(question: Question): bigint | undefined
  /** What frees the waiter when the client goes away. Called when it blocks. */
  signal(question: Question): GoneSignal | undefined
  /** In ms of the world's clock; 0 never blocks. */
  timeoutMs(question: Question): number
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
export function waitFor<Question, T>(question: Question, watch: Watch<Question, T>): T | Promise<T> {
  const { world, maxWaiters } = watch
  const reading = watch.read(question)
  if (isNews(reading, watch.after(question)) || watch.timeoutMs(question) <= 0) return reading.value
  if (world.waiting.size >= maxWaiters) {
    throw new ApiError(
      'API_RATE_LIMIT',
      `${maxWaiters} requests are blocked on a watch index already: try again later`,
      { headers: { 'retry-after': '1' } },
    )
  }
  return new Promise((resolve, reject) => new Blocked(question, { watch, resolve, reject }).begin(reading))
}

function isNews({ revision }: Reading<unknown>, after: bigint | undefined): boolean {
  return BigInt(revision) !== after
}

/** Where a blocked request belongs, and who hears of what is new. */
interface Ties<Question, T> {
  readonly watch: Watch<Question, T>
  resolve(value: T): void
  reject(error: unknown): void
}

/** A blocked request. One object with few parts, because there are many of them. */
class Blocked<Question, T> implements Waiter {
  readonly #question: Question
  readonly #watch: Watch<Question, T>
  readonly #resolve: (value: T) => void
  readonly #reject: (error: unknown) => void
  readonly #signal: GoneSignal | undefined
  readonly #deadline: Deadline
  /** Ends what it listens to. */
  #unlisten = nothing
  #until: Deadline | undefined

  constructor(question: Question, { watch, resolve, reject }: Ties<Question, T>) {
    this.#question = question
    this.#watch = watch
    this.#resolve = resolve
    this.#reject = reject
    this.#signal = watch.signal(question)
    this.#deadline = watch.world.clock.after(watch.timeoutMs(question), this.end)
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
    if (this.#leave()) this.#reject(new ClientGone('the client has gone'))
  }

  /** Answers what is wanted, or listens anew. */
  #look(wanted: 'news' | 'anything'): void {
    try {
      const reading = this.#watch.readAgain(this.#question)
      if (wanted === 'news' && !isNews(reading, this.#watch.after(this.#question))) this.#listen(reading)
      else if (this.#leave()) this.#resolve(reading.value)
    } catch (error) {
      if (this.#leave()) this.#reject(error)
    }
  }

  #listen({ tags, until }: Reading<T>): void {
    const { world } = this.#watch
    this.#quiet()
    this.#unlisten = world.listen(tags, this.#wake)
    this.#until = until === undefined ? undefined : world.clock.after(until - world.clock.now(), this.#wake)
  }

  #quiet(): void {
    this.#unlisten()
    if (this.#until) this.#watch.world.clock.giveUp(this.#until)
  }

  /** Frees all that it holds; `false` where it has left already. */
  #leave(): boolean {
    this.#quiet()
    this.#watch.world.clock.giveUp(this.#deadline)
    this.#signal?.removeEventListener('abort', this.#gone)
    return this.#watch.world.waiting.delete(this)
  }
}

function nothing(): void {}
