import type { WorldClock } from '../store/clock.js'
import type { Deadline } from '../store/deadlines.js'
import type { AbortSignalLike } from './message.js'

/** What becomes of a held request, and what it belongs to. */
interface Holding {
  readonly clock: WorldClock
  /** For how long, in ms of the world's clock; `undefined` until it is let go. */
  readonly ms: number | undefined
  /** What tells that the client goes away. */
  readonly signal: AbortSignalLike | undefined
  /** Where it is kept as long as it is held. */
  readonly among: Set<Held>
  /** Called when it is let go, or its time has come. */
  goOn(heldForMs: number): void
  /** When what it writes has happened. A clock that is advanced waits for it, so that what is delayed happens at its time. */
  landed(): Promise<void>
  /** Called when nobody is there any more. */
  gone(heldForMs: number): void
}

/** A request that a fault holds. It ends once, whichever way, and then leaves nothing behind. */
export class Held {
  readonly #holding: Holding
  readonly #since: number
  #deadline: Deadline | undefined

  constructor(holding: Holding) {
    this.#holding = holding
    this.#since = holding.clock.elapsed()
  }

  begin(): void {
    const { among, ms, clock, signal } = this.#holding
    among.add(this)
    if (ms !== undefined) this.#deadline = clock.after(ms, this.#ring)
    signal?.addEventListener('abort', this.#gone)
    if (signal?.aborted) this.#gone()
  }

  /** Lets it go on. Does nothing for one that has ended. */
  release(): void {
    if (this.#leave()) this.#holding.goOn(this.#heldForMs())
  }

  #ring = () => {
    this.release()
    return this.#holding.landed()
  }

  #gone = () => {
    if (this.#leave()) this.#holding.gone(this.#heldForMs())
  }

  #heldForMs(): number {
    const { clock, ms = Number.POSITIVE_INFINITY } = this.#holding
    // A timer of the platform may be late.
    return Math.min(ms, Math.round(clock.elapsed() - this.#since))
  }

  /** Frees all that it has; `false` where it has ended already. */
  #leave(): boolean {
    const { among, clock, signal } = this.#holding
    if (this.#deadline) clock.giveUp(this.#deadline)
    signal?.removeEventListener('abort', this.#gone)
    return among.delete(this)
  }
}
