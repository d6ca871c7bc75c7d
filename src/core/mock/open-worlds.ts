import { defaultWorldId } from '../contract/paths.js'
import { Emitter } from '../lib/emitter.js'
import { real, unref } from '../lib/real-globals.js'
import { longestDelayMs } from '../store/timers.js'
import type { RunningWorld } from './running-world.js'

/** A world in memory. */
export interface OpenWorld {
  readonly running: RunningWorld
  /** The real time of the last use, in ms since the epoch. */
  usedAt: number
  /** The real time of the creation. Absent if a storage does not have it. */
  readonly createdAt?: number | undefined
  /** True if the world stays until code deletes it. Otherwise it is deleted when nobody has used it for a time. */
  isKept: boolean
  /** True if code of this process has made the world. It then stays in memory. */
  isHeld: boolean
}

/** The timer looks for unused worlds this many times per time to live. */
const sweepsPerTtl = 10

/** The worlds in memory, by their ids. A timer calls `sweep`, which looks for unused ones. */
export class OpenWorlds extends Map<string, OpenWorld> {
  /** Publishes `true` after a world has come or gone, and `false` when the mock is closed. */
  readonly changes = new Emitter<boolean>()
  /** The newest world `default`. It is known here even after `delete` has removed it from the map. */
  default: RunningWorld | undefined
  readonly #opened = new Emitter<RunningWorld>()
  readonly #sweepMs: number
  readonly #sweep: () => void
  #timer: ReturnType<typeof setInterval> | undefined
  isClosed = false

  constructor(ttlMs: number, sweep: () => void) {
    super()
    this.#sweepMs = Math.min(Math.max(1, ttlMs / sweepsPerTtl), longestDelayMs)
    this.#sweep = sweep
  }

  get running(): RunningWorld[] {
    return [...this.values()].map(({ running }) => running)
  }

  publish(id: string, entry: OpenWorld): void {
    this.set(id, entry)
    if (id === defaultWorldId) this.default = entry.running
    this.#opened.emit(entry.running)
    this.changes.emit(true)
  }

  /** Calls the listener with each world: those that exist now, and those that are created later. Returns a function that ends it. */
  follow(listener: (running: RunningWorld) => void): () => void {
    for (const running of this.running) listener(running)
    return this.#opened.subscribe(listener)
  }

  startTimer(): void {
    if (this.#timer !== undefined) return
    this.#timer = unref(real.setInterval(this.#sweep, this.#sweepMs))
  }

  stopTimer(): void {
    if (this.#timer === undefined) return
    real.clearInterval(this.#timer)
    this.#timer = undefined
  }

  close(): void {
    this.isClosed = true
    real.clearInterval(this.#timer)
    this.changes.emit(false)
  }
}
