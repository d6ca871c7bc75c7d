import { ApiError } from '../contract/errors.js'
import type { Timer } from '../store/timers.js'
import type { LiveWorld, Reading, Waiter } from '../store/world.js'
import type { AbortSignalLike } from './message.js'

/** A read that may block. */
export interface Watch<T> {
  readonly world: LiveWorld
  read(): Reading<T>
  /** Reads for a waiter that wakes. Waiters with the same question may share the reading. */
  readAgain(): Reading<T>
  /** Whether a reading answers the request. Until one does, the request blocks. */
  isAnswer(reading: Reading<T>): boolean
  /** Called when the request blocks: returns the signal that frees it when the client disconnects. */
  signal(): AbortSignalLike | undefined
  /** The longest time to block, in ms of the world's clock; 0 never blocks, infinity has no deadline. */
  readonly timeoutMs: number
  /** The most requests that may be blocked in the world. */
  readonly maxWaiters: number
  /** Gives back what the request holds when its client disconnects. */
  abandon?(): void
}

/** Thrown where the client closed the connection: nobody reads the response. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'
}

/**
 * Answers a read at once if it is an answer; else at the first change that makes it one, or as it is at the deadline
 * (PROTOCOL.md B7). Throws what the read throws, then or later.
 */
export function waitFor<T>(watch: Watch<T>): T | Promise<T> {
  const reading = watch.read()
  if (watch.isAnswer(reading) || watch.timeoutMs <= 0) return reading.value
  checkRoom(watch.world, watch.maxWaiters)
  return new Promise((resolve, reject) => new BlockedRequest(watch, resolve, reject).begin(reading))
}

/** Throws `ApiError` where no more requests may be blocked. */
export function checkRoom({ waiting }: LiveWorld, maxWaiters: number): void {
  if (waiting.size < maxWaiters) return
  throw new ApiError('API_RATE_LIMIT', `${maxWaiters} requests are blocked already: try again later`, {
    headers: { 'retry-after': '1' },
  })
}

/** A blocked request. One object with few parts, because there may be 50,000. */
class BlockedRequest<T> implements Waiter {
  readonly #watch: Watch<T>
  readonly #resolve: (value: T) => void
  readonly #reject: (error: unknown) => void
  readonly #signal: AbortSignalLike | undefined
  readonly #deadline: Timer | undefined
  #unlisten = () => {}
  /** The time when the clock alone may change the answer. */
  #until: Timer | undefined

  constructor(watch: Watch<T>, resolve: (value: T) => void, reject: (error: unknown) => void) {
    this.#watch = watch
    this.#resolve = resolve
    this.#reject = reject
    this.#signal = watch.signal()
    const { timeoutMs, world } = watch
    this.#deadline = timeoutMs === Number.POSITIVE_INFINITY ? undefined : world.clock.after(timeoutMs, this.end)
  }

  /** Listens to the dependencies of the read, in the same tick as the read. */
  begin(reading: Reading<T>): void {
    this.#watch.world.waiting.add(this)
    this.#listen(reading)
    this.#signal?.addEventListener('abort', this.#abort)
    if (this.#signal?.aborted) this.#abort()
  }

  /** Answers with the present state. */
  readonly end = () => this.#look(true)

  readonly #wake = () => this.#look(false)

  readonly #abort = () => {
    if (!this.#leave()) return
    try {
      this.#watch.abandon?.()
      this.#reject(new ClientGone('the client has disconnected'))
    } catch (error) {
      this.#reject(error)
    }
  }

  #look(takesAnything: boolean): void {
    try {
      const reading = this.#watch.readAgain()
      if (!takesAnything && !this.#watch.isAnswer(reading)) this.#listen(reading)
      else if (this.#leave()) this.#resolve(reading.value)
    } catch (error) {
      if (this.#leave()) this.#reject(error)
    }
  }

  #listen({ tags, until }: Reading<T>): void {
    const { world } = this.#watch
    this.#stopListening()
    this.#unlisten = world.listen(tags, this.#wake)
    this.#until = until === undefined ? undefined : world.clock.after(until - world.clock.now(), this.#wake)
  }

  #stopListening(): void {
    this.#unlisten()
    if (this.#until) this.#watch.world.clock.cancel(this.#until)
  }

  /** Frees all that the request holds; `false` where it was answered already. */
  #leave(): boolean {
    const { world } = this.#watch
    this.#stopListening()
    if (this.#deadline) world.clock.cancel(this.#deadline)
    this.#signal?.removeEventListener('abort', this.#abort)
    return world.waiting.delete(this)
  }
}
