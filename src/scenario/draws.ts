/**
 * The random draws behind generated lobbies. The same seed gives the same draws as `@faker-js/faker`, which a test compares.
 * The library itself is 33 KB in a page (gzip), most of it data.
 */
export class Draws {
  readonly #twister: MersenneTwister

  constructor(seed: number) {
    this.#twister = new MersenneTwister(seed)
  }

  /** Draws a number from `min` to below `max`. */
  float(min: number, max: number): number {
    return this.#twister.float53() * (max - min) + min
  }

  /** Draws a whole number from `min` to `max`. */
  int(min: number, max: number): number {
    return min === max ? min : Math.floor(this.#twister.float53() * (max - min + 1) + min)
  }

  /** Draws a value. There must be one. */
  pick<T>(values: readonly T[]): T {
    return values[this.int(0, values.length - 1)] as T // the index is in range
  }

  /** Draws a value by the weights of all. There must be one. */
  pickWeighted<T>(values: readonly Weighted<T>[]): T {
    const drawn = this.float(
      0,
      values.reduce((sum, { weight }) => sum + weight, 0),
    )
    let sum = 0
    const found = values.find(({ weight }) => {
      sum += weight
      return drawn < sum
    })
    return (found ?? (values.at(-1) as Weighted<T>)).value // rounding can hide the last one
  }

  /** Returns the values in random order. */
  shuffle<T>(values: readonly T[]): T[] {
    return this.#shuffleFrom(0, values)
  }

  /** Draws different values, in random order. `count` is at most the number of values. */
  sample<T>(values: readonly T[], count: number): T[] {
    if (count >= values.length) return this.shuffle(values)
    const first = values.length - count
    return this.#shuffleFrom(first - 1, values).slice(first)
  }

  /** Swaps each value behind `first` with a random one before it, or with itself. */
  #shuffleFrom<T>(first: number, values: readonly T[]): T[] {
    const shuffled = [...values]
    for (let i = shuffled.length - 1; i > first; i--) {
      const j = this.int(0, i)
      const value = shuffled[i] as T // both indexes are in range
      shuffled[i] = shuffled[j] as T
      shuffled[j] = value
    }
    return shuffled
  }
}

export interface Weighted<T> {
  readonly value: T
  readonly weight: number
}

const stateSize = 624
const distance = 397

/** The generator MT19937 of Matsumoto and Nishimura. */
class MersenneTwister {
  readonly #state: number[]
  #next = stateSize

  constructor(seed: number) {
    this.#state = [seed]
    for (let i = 1, last = seed; i < stateSize; i++) {
      last = (Math.imul(1_812_433_253, last ^ (last >>> 30)) + i) | 0
      this.#state.push(last)
    }
  }

  /** Draws a number from 0 to below 1, in steps of 2⁻⁵³. */
  float53(): number {
    const high = this.#uint32() >>> 5
    const low = this.#uint32() >>> 6
    return (high * 2 ** 26 + low) * 2 ** -53
  }

  #uint32(): number {
    if (this.#next === stateSize) this.#twist()
    let y = this.#at(this.#next++)
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    return (y ^ (y >>> 18)) >>> 0
  }

  #twist(): void {
    for (let i = 0; i < stateSize; i++) {
      const mixed = (this.#at(i) & 0x80000000) | (this.#at((i + 1) % stateSize) & 0x7fffffff)
      this.#state[i] = this.#at((i + distance) % stateSize) ^ (mixed >>> 1) ^ (mixed & 1 ? 0x9908b0df : 0)
    }
    this.#next = 0
  }

  #at(index: number): number {
    return this.#state[index] as number // the state has a number at each index
  }
}
