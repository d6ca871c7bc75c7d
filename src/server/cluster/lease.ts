import { UsageError } from '../../core/lib/messages.js'
import type { ProcessTime } from '../../core/storage/process-time.js'
import type { ReplicaInfo } from '../../core/storage/shared-storage.js'
import { StorageError } from '../../core/storage/storage.js'
import { type RedisClient, RedisError } from './redis-client.js'

export interface LeaseTimes {
  /** The time after which the server ends a lease that nobody renews. Default: 3 s. */
  readonly leaseMs: number
  /** The time for which a renewal counts, from the moment it was sent. Default: 2.5 s. */
  readonly countsMs: number
  /** The time between two renewals. Default: 1 s. */
  readonly renewMs: number
}

/** The time for which requests wait until a lease that has ended begins again, in ms. A connection takes about a second. */
const graceMs = 2_000

/** The replica that has a lease. */
export interface LeaseHolder {
  readonly self: Pick<ReplicaInfo, 'id'>
  /** Begins the lease at the server. Rejects with `RedisError` or `UsageError`. */
  enter(): Promise<void>
  /** Asks for each world whether another replica took it over while the lease had ended. Rejects with `RedisError`. */
  verify(): Promise<void>
  /** Called after each try to renew the lease, unless `onChange` has told that it ended. */
  onRenewal(): void
  /** Called with the error when the lease has ended, and with `undefined` when it holds again. */
  onChange(failure: StorageError | undefined): void
}

interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/**
 * The lease of this replica, which it renews. It counts from the moment at which the last acknowledged renewal was sent, and ends
 * before the server ends it. A laptop's sleep stops one clock, and a correction moves the other: the earlier end counts.
 */
export class Lease {
  readonly #environment: ProcessTime
  readonly #times: LeaseTimes
  #sentAt: Moment | undefined
  /** The number of times that the lease began again. */
  count = 0
  /** The time that the server's clock is ahead of this system's, in ms, at the last renewal. */
  serverOffsetMs = 0
  /** True while another replica may have taken worlds over, because the lease had ended. */
  #isUnverified = false
  /** The error of the last renewal. `undefined` if it was acknowledged. */
  #trouble: RedisError | UsageError | undefined
  /** True after `onChange` has told that it ended, until it holds again. */
  #hasEnded = false
  /** When somebody noticed that the lease has ended, by the monotonic clock. `undefined` while it holds. */
  #noticedAt: number | undefined
  readonly #waiters = new Set<() => void>()
  #isStopped = false
  #cancelRenewal: (() => void) | undefined
  #cancelEnd: (() => void) | undefined

  constructor(
    private readonly redis: RedisClient,
    private readonly holder: LeaseHolder,
    { environment, times }: { readonly environment: ProcessTime; readonly times: LeaseTimes },
  ) {
    this.#environment = environment
    this.#times = times
  }

  /** Begins the lease, and renews it from now on. Rejects with `RedisError` or `UsageError`. */
  async begin(): Promise<void> {
    const sentAt = this.#now
    await this.holder.enter()
    this.#extend(sentAt)
    await this.#renewAgain()
  }

  /** Ends the renewals. The lease holds until its time is over, and does not begin again. */
  stopRenewing(): void {
    this.#isStopped = true
    this.#cancelRenewal?.()
    for (const resolve of [...this.#waiters]) resolve()
  }

  /** Ends the renewals, and tells nobody when the lease ends. */
  stop(): void {
    this.stopRenewing()
    this.#cancelEnd?.()
  }

  /** `undefined` if it holds, or ended some time ago. If it has just ended, resolves when it holds again, or some time later. */
  soon(): Promise<void> | undefined {
    if (this.#remainingMs > 0 || this.#isStopped) return undefined
    const now = this.#environment.monotonic()
    this.#noticedAt ??= now
    const ms = this.#noticedAt + graceMs - now
    if (ms <= 0) return undefined
    return new Promise(resolve => {
      const done = () => {
        cancel()
        this.#waiters.delete(done)
        resolve()
      }
      const cancel = this.#environment.setTimer(done, ms)
      this.#waiters.add(done)
    })
  }

  /** The reason why nothing may leave this process, as the last renewal tells it. `undefined` while the lease holds. */
  get failure(): StorageError | undefined {
    return this.#remainingMs > 0 ? undefined : this.newFailure()
  }

  newFailure(): StorageError {
    const error = this.#trouble
    if (error instanceof UsageError) return new StorageError(error.message)
    const advice = error && error.kind !== 'away' ? 'The mock keeps trying' : 'Start it again: the mock keeps trying'
    return new StorageError(`${this.saidOf(this.redis.place)}. ${advice}`)
  }

  /** Says what the server does, which has that name. */
  saidOf(place: string): string {
    return this.#trouble instanceof RedisError ? this.#trouble.saidOf(place) : `${place} does not answer`
  }

  get #now(): Moment {
    return { wall: this.#environment.now(), monotonic: this.#environment.monotonic() }
  }

  /** The time until the lease ends, if no clock jumps. 0 if it has ended. */
  get #remainingMs(): number {
    if (!this.#sentAt) return 0
    const { wall, monotonic } = this.#now
    const passed = Math.max(wall - this.#sentAt.wall, monotonic - this.#sentAt.monotonic)
    return Math.max(0, this.#times.countsMs - passed)
  }

  async #renewAgain(): Promise<void> {
    const began = this.#environment.monotonic()
    await this.#renew()
    if (this.#isStopped) return
    const passed = this.#environment.monotonic() - began
    const ms = Math.max(0, this.#times.renewMs - passed)
    this.#cancelRenewal = this.#environment.setTimer(() => void this.#renewAgain(), ms)
    if (!this.#hasEnded) this.holder.onRenewal()
  }

  /** Renews the lease. If it had ended, it begins again when the holder has asked for all its worlds. */
  async #renew(): Promise<void> {
    try {
      let sentAt = this.#now
      const { isHeld, serverNow } = await this.redis.renew(this.holder.self.id, this.#times.leaseMs)
      this.serverOffsetMs = Math.round(serverNow - (sentAt.wall + this.#environment.now()) / 2)
      if (this.#isStopped) return
      if (!isHeld) {
        this.#isUnverified = true
        this.count += 1
        sentAt = this.#now
        await this.holder.enter()
      }
      if (this.#isUnverified) await this.holder.verify()
      this.#isUnverified = false
      this.#extend(sentAt)
    } catch (error) {
      if (!(error instanceof RedisError || error instanceof UsageError)) throw error
      this.#trouble = error
    }
  }

  #extend(sentAt: Moment): void {
    if (this.#isStopped) return
    this.#sentAt = sentAt
    this.#watchEnd()
    if (this.#remainingMs === 0) return
    this.#noticedAt = undefined
    this.#trouble = undefined
    if (this.#hasEnded) {
      this.#hasEnded = false
      this.holder.onChange(undefined)
    }
    for (const resolve of [...this.#waiters]) resolve()
  }

  /** Tells when the lease ends. A clock may jump, so that it ends later or earlier than its timer. */
  #watchEnd(): void {
    this.#cancelEnd?.()
    this.#cancelEnd = this.#environment.setTimer(() => {
      if (this.#remainingMs > 0) return this.#watchEnd()
      if (this.#hasEnded) return
      this.#noticedAt ??= this.#environment.monotonic()
      this.#hasEnded = true
      this.holder.onChange(this.newFailure())
    }, this.#remainingMs)
  }
}
