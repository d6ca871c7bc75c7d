import { ApiError } from '../contract/error.js'
import type { LiveWorld, Reading, Waiter } from '../store/world.js'

/** A read that may block. */
interface BlockingRead<T> {
  readonly world: LiveWorld
  readonly read: () => Reading<T>
  /** The index that the client has. Without one the read is answered at once. */
  readonly after: bigint | undefined
  /** In ms of the world's clock; 0 never blocks. */
  readonly timeoutMs: number
  /** Frees the waiter when the client goes away. */
  signal(): AbortSignal | undefined
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
export function waitFor<T>(watch: BlockingRead<T>): Reading<T> | Promise<Reading<T>> {
  const { world, read, after, timeoutMs, maxWaiters } = watch
  const reading = read()
  if (after === undefined || BigInt(reading.revision) !== after || timeoutMs <= 0) return reading
  if (world.waiting.size >= maxWaiters) {
    throw new ApiError(
      'API_RATE_LIMIT',
      `${maxWaiters} requests are blocked on a watch index already: try again later`,
      {
        headers: { 'retry-after': '1' },
      },
    )
  }
  return new Promise((resolve, reject) => block({ ...watch, after }, reading, { resolve, reject }))
}

interface Outcome<T> {
  resolve(reading: Reading<T>): void
  reject(error: unknown): void
}

/** Listens to what the read depended on in the same tick as the read, and on waking reads and listens anew. */
function block<T>(
  { world, read, after, timeoutMs, ...watch }: BlockingRead<T>,
  first: Reading<T>,
  outcome: Outcome<T>,
): void {
  const signal = watch.signal()
  let stop: Array<() => void> = []
  const listen = ({ tags, until }: Reading<T>) => {
    stop = [world.listen(tags, wake)]
    if (until !== undefined) stop.push(world.clock.after(until - world.clock.now(), wake))
  }
  const unlisten = () => {
    for (const end of stop) end()
  }
  const settle = (settled: () => void) => {
    unlisten()
    giveUp()
    signal?.removeEventListener('abort', gone)
    if (world.waiting.delete(waiter)) settled()
  }
  const attempt = (isAnswer: (reading: Reading<T>) => boolean) => {
    try {
      const reading = read()
      if (isAnswer(reading)) return settle(() => outcome.resolve(reading))
      unlisten()
      listen(reading)
    } catch (error) {
      settle(() => outcome.reject(error))
    }
  }
  const wake = () => attempt(reading => BigInt(reading.revision) !== after)
  const waiter: Waiter = { end: () => attempt(() => true) }
  const gone = () => settle(() => outcome.reject(new ClientGone('the client has gone')))
  const giveUp = world.clock.after(timeoutMs, waiter.end)
  world.waiting.add(waiter)
  listen(first)
  signal?.addEventListener('abort', gone)
  if (signal?.aborted) gone()
}
