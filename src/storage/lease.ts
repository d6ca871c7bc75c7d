import type { Environment } from './environment.js'

/** A moment on both clocks of a process. */
export interface Moment {
  readonly wall: number
  readonly monotonic: number
}

/**
 * The lease of this replica, as the replica knows it. It counts from the moment at which the last acknowledged renewal was sent,
 * and ends before the server ends it. A laptop's sleep stops one clock, and a correction moves the other: the earlier end counts.
 */
export class Lease {
  readonly #environment: Environment
  readonly #countsMs: number
  #sentAt: Moment | undefined

  /** `countsMs`: the time for which a renewal counts. */
  constructor(environment: Environment, countsMs: number) {
    this.#environment = environment
    this.#countsMs = countsMs
  }

  /** The moment for `renew`. Take it before the renewal is sent. */
  now(): Moment {
    return { wall: this.#environment.now(), monotonic: this.#environment.monotonic() }
  }

  renew(sentAt: Moment): void {
    this.#sentAt = sentAt
  }

  end(): void {
    this.#sentAt = undefined
  }

  get isHeld(): boolean {
    return this.remainingMs > 0
  }

  /** The time until the lease ends, if no clock jumps. 0 if it has ended. */
  get remainingMs(): number {
    if (!this.#sentAt) return 0
    const { wall, monotonic } = this.now()
    const passed = Math.max(wall - this.#sentAt.wall, monotonic - this.#sentAt.monotonic)
    return Math.max(0, this.#countsMs - passed)
  }
}
