import type { Timer } from '../store/timers.js'
import type { LiveWorld } from '../store/world.js'
import type { AbortSignalLike } from './message.js'

/** The end of a held request. */
interface HoldEnds {
  /** In ms of the world's clock. `undefined` holds it until it is released. */
  readonly ms: number | undefined
  release(heldForMs: number): void
  /** Called when the client disconnects. */
  abort(heldForMs: number): void
}

/** A request that a fault holds. */
export class HeldRequest {
  readonly #world: LiveWorld
  readonly #all: Set<HeldRequest>
  readonly #signal: AbortSignalLike | undefined
  readonly #ends: HoldEnds
  readonly #since: number
  #deadline: Timer | undefined
  #hasEnded = false

  constructor(world: LiveWorld, all: Set<HeldRequest>, signal: AbortSignalLike | undefined, ends: HoldEnds) {
    this.#world = world
    this.#all = all
    this.#signal = signal
    this.#ends = ends
    this.#since = world.clock.elapsed()
  }

  begin(): void {
    const { ms } = this.#ends
    this.#all.add(this)
    if (ms !== undefined) this.#deadline = this.#world.clock.after(ms, this.release)
    this.#signal?.addEventListener('abort', this.#abort)
    if (this.#signal?.aborted) this.#abort()
  }

  /** Answers the request. Does nothing if it has ended. */
  readonly release = (): void => {
    if (this.#end()) this.#ends.release(this.#heldForMs())
  }

  readonly #abort = () => {
    if (this.#end()) this.#ends.abort(this.#heldForMs())
  }

  #heldForMs(): number {
    // A timer of the platform may be late.
    return Math.min(this.#ends.ms ?? Number.POSITIVE_INFINITY, Math.round(this.#world.clock.elapsed() - this.#since))
  }

  /** Frees all that the request holds. Returns `false` if it has ended already. */
  #end(): boolean {
    if (this.#deadline) this.#world.clock.cancel(this.#deadline)
    this.#signal?.removeEventListener('abort', this.#abort)
    this.#all.delete(this)
    const hasEnded = this.#hasEnded
    this.#hasEnded = true
    return !hasEnded
  }
}
