import { ApiError } from '../contract/errors.js'
import type { Deadline } from '../store/deadlines.js'
import type { LiveWorld, Reading, Waiter } from '../store/world.js'
import type { AbortSignalLike } from './message.js'

/** Reads that may block, each for a question. */
interface Watch<Question, T> {
  readonly world: LiveWorld
  read(question: Question): Reading<T>
  /** Reads for one that wakes, who is seldom alone. */
  readAgain(question: Question): Reading<T>
  /** Whether a reading answers the request. Where it does not, the request blocks until one does. */
  isAnswer(question: Question, reading: Reading<T>): boolean
  /** What frees the waiter when the client goes away. Called when it blocks. */
  signal(question: Question): AbortSignalLike | undefined
  /** In ms of the world's clock; 0 never blocks, infinity has no deadline. */
  timeoutMs(question: Question): number
  /** The most requests that may be blocked in the world. */
  readonly maxWaiters: number
  /** Gives back what the request holds whose client has gone. */
  abandon?(question: Question): Promise<void>
}

/** Thrown where the client has gone: nobody hears it. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/**
 * Answers a read at once if it is an answer; else at the first change that makes it one, or as it is at the deadline
 * (PROTOCOL.md B7). Throws what the read throws, then or later.
 */
export function waitFor<Question, T>(question: Question, watch: Watch<Question, T>): T | Promise<T> {
  const { world, maxWaiters } = watch
  const reading = watch.read(question)
  if (watch.isAnswer(question, reading) || watch.timeoutMs(question) <= 0) return reading.value
  checkRoom(world.waiting.size, maxWaiters)
  return new Promise((resolve, reject) => new Blocked(question, { watch, resolve, reject }).begin(reading))
}

/** Throws `ApiError` where no more requests may be blocked. */
export function checkRoom(waiting: number, maxWaiters: number): void {
  if (waiting < maxWaiters) return
  throw new ApiError('API_RATE_LIMIT', `${maxWaiters} requests are blocked already: try again later`, {
    headers: { 'retry-after': '1' },
  })
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
  readonly #signal: AbortSignalLike | undefined
  readonly #deadline: Deadline | undefined
  /** Ends what it listens to. */
  #unlisten = nothing
  #until: Deadline | undefined

  constructor(question: Question, { watch, resolve, reject }: Ties<Question, T>) {
    this.#question = question
    this.#watch = watch
    this.#resolve = resolve
    this.#reject = reject
    this.#signal = watch.signal(question)
    const timeoutMs = watch.timeoutMs(question)
    this.#deadline = timeoutMs === Number.POSITIVE_INFINITY ? undefined : watch.world.clock.after(timeoutMs, this.end)
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
    if (!this.#leave()) return
    const gone = () => this.#reject(new ClientGone('the client has gone'))
    const abandoned = this.#watch.abandon?.(this.#question)
    if (abandoned) abandoned.then(gone, this.#reject)
    else gone()
  }

  /** Answers what is wanted, or listens anew. */
  #look(wanted: 'news' | 'anything'): void {
    try {
      const reading = this.#watch.readAgain(this.#question)
      if (wanted === 'news' && !this.#watch.isAnswer(this.#question, reading)) this.#listen(reading)
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
    if (this.#deadline) this.#watch.world.clock.giveUp(this.#deadline)
    this.#signal?.removeEventListener('abort', this.#gone)
    return this.#watch.world.waiting.delete(this)
  }
}

function nothing(): void {}
