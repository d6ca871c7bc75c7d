import type { Fault, FaultEntry, FaultState } from '../contract/faults.js'
import { frozenCopy } from '../lib/json.js'
import { durationMs } from '../lib/time.js'
import type { WorldClock } from '../store/clock.js'
import type { Random } from '../store/random.js'
import type { Timer } from '../store/timers.js'
import type { LiveWorld } from '../store/world.js'
import { concerns } from './fault-match.js'
import type { UncheckedRequest } from './match.js'
import type { AbortSignalLike } from './message.js'

/** What a fault gets from its world. */
interface Place {
  readonly id: string
  readonly clock: WorldClock
  /** What the clock showed at the moment that the times of the entry belong to, in ms since the epoch. */
  readonly at: number
}

/** A fault of a world, and what has become of it. Its times are kept in what has passed on the world's clock, which never goes back. */
export class LiveFault {
  readonly id: string
  /** Frozen. */
  readonly given: Fault
  readonly held = new Set<HeldRequest>()
  readonly #clock: WorldClock
  #matched: number
  #struck: number
  readonly #addedAt: number
  /** `undefined` while so many matching exchanges have not passed yet. */
  #beganAt: number | undefined

  constructor(entry: FaultEntry, { id, clock, at }: Place) {
    const { id: _id, matched = 0, struck = 0, holding: _holding, added_at, began_at, ...fault } = entry
    const passedAt = (instant: string | undefined) =>
      instant === undefined ? undefined : clock.elapsed() - at + Date.parse(instant)
    this.id = id
    this.given = frozenCopy(fault)
    this.#clock = clock
    this.#matched = matched
    this.#struck = struck
    this.#addedAt = passedAt(added_at) ?? clock.elapsed()
    this.#beganAt = passedAt(began_at) ?? this.#beginning()
  }

  /** Counts an exchange that the fault concerns, and says whether it strikes it. What is let pass by chance is no strike. */
  strikes(request: UncheckedRequest, random: () => Random): boolean {
    if (!concerns(this.given, request)) return false
    const due = this.isDue
    this.#matched++
    if (typeof this.given.after === 'number' && this.#matched >= this.given.after)
      this.#beganAt ??= this.#clock.elapsed()
    const { chance } = this.given
    if (!due || (chance !== undefined && random().float() >= chance)) return false
    this.#struck++
    return true
  }

  /** Lets all go that it holds, and says how many. */
  release(): number {
    const held = [...this.held]
    for (const one of held) one.release()
    return held.length
  }

  /** Frozen. */
  get state(): FaultState {
    const began = this.#beganAt
    return Object.freeze({
      ...this.given,
      id: this.id,
      matched: this.#matched,
      struck: this.#struck,
      holding: this.held.size,
      added_at: this.#shown(this.#addedAt),
      ...(began === undefined || began > this.#clock.elapsed() ? {} : { began_at: this.#shown(began) }),
    })
  }

  /** When it begins, as far as time alone says. */
  #beginning(): number | undefined {
    const { after = 0 } = this.given
    if (typeof after === 'string') return this.#addedAt + durationMs(after)
    return after === 0 ? this.#addedAt : undefined
  }

  /** Whether it would strike an exchange that it concerns, if chance has it so. */
  get isDue(): boolean {
    const { times = Number.POSITIVE_INFINITY, for: length } = this.given
    const began = this.#beganAt
    if (began === undefined || this.#struck >= times) return false
    const age = this.#clock.elapsed() - began
    return age >= 0 && (length === undefined || age < durationMs(length))
  }

  #shown(passed: number): string {
    return new Date(Math.round(this.#clock.now() - this.#clock.elapsed() + passed)).toISOString()
  }
}

/** How long a request is held, and what follows. Without `ms`, until it is released. */
interface HoldEnds {
  readonly ms: number | undefined
  release(heldForMs: number): void
  /** Called when the client disconnects. */
  abort(heldForMs: number): void
}

/** A request that a fault holds. It ends once, and then leaves nothing behind. */
export class HeldRequest {
  readonly #world: LiveWorld
  readonly #all: Set<HeldRequest>
  readonly #signal: AbortSignalLike | undefined
  readonly #ends: HoldEnds
  readonly #since: number
  #deadline: Timer | undefined

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

  /** Answers the request. Does nothing for one that has ended. */
  readonly release = (): void => {
    if (this.#leave()) this.#ends.release(this.#heldForMs())
  }

  readonly #abort = () => {
    if (this.#leave()) this.#ends.abort(this.#heldForMs())
  }

  #heldForMs(): number {
    // A timer of the platform may be late.
    return Math.min(this.#ends.ms ?? Number.POSITIVE_INFINITY, Math.round(this.#world.clock.elapsed() - this.#since))
  }

  /** Frees all that the request holds; `false` where it has ended already. */
  #leave(): boolean {
    if (this.#deadline) this.#world.clock.cancel(this.#deadline)
    this.#signal?.removeEventListener('abort', this.#abort)
    return this.#all.delete(this)
  }
}
