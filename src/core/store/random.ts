/** The state of a generator. */
export type RandomState = readonly [number, number, number, number]

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/** A random generator (sfc32). A seed and a stream give the same values on every machine, independent of other streams. */
export class Random {
  #a = 0
  #b = 0
  #c = 0
  #counter = 0

  constructor(seed: number, stream: string) {
    this.restore(seeded(`${seed}/${stream}`))
  }

  /** Draws a whole number from 0 to 4294967295. */
  uint32(): number {
    const value = (this.#a + this.#b + this.#counter) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + value) | 0
    this.#counter = (this.#counter + 1) | 0
    return value >>> 0
  }

  /** Draws a number from 0 to below 1. */
  float(): number {
    return this.uint32() / 2 ** 32
  }

  /** Draws from the standard normal distribution (Box and Muller). */
  normal(): number {
    // 1 - float() is never 0, so the logarithm is finite.
    const radius = Math.sqrt(-2 * Math.log(1 - this.float()))
    return radius * Math.cos(2 * Math.PI * this.float())
  }

  uuid(): string {
    return uuidOf([this.uint32(), this.uint32(), this.uint32(), this.uint32()])
  }

  /** Draws a text of lower-case letters and digits. */
  letters(length: number): string {
    let text = ''
    for (let i = 0; i < length; i++) text += alphabet[this.uint32() % alphabet.length]
    return text
  }

  /** Draws a token: `{label}.mock.{24 letters}`. Nobody mistakes it for a real token. */
  token(label: string): string {
    return `${label}.mock.${this.letters(24)}`
  }

  /** Returns the present state, for `restore`. */
  save(): RandomState {
    return [this.#a, this.#b, this.#c, this.#counter]
  }

  restore([a, b, c, counter]: RandomState): void {
    this.#a = a
    this.#b = b
    this.#c = c
    this.#counter = counter
  }
}

const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hex(value: number): string {
  const byte = (shift: number) => bytes[(value >>> shift) & 0xff] ?? ''
  return byte(24) + byte(16) + byte(8) + byte(0)
}

function uuidOf([a, b, c, d]: RandomState): string {
  const versioned = hex((b & 0xffff0fff) | 0x4000)
  const variant = hex((c & 0x3fffffff) | 0x80000000)
  return `${hex(a)}-${versioned.slice(0, 4)}-${versioned.slice(4)}-${variant.slice(0, 4)}-${variant.slice(4)}${hex(d)}`
}

function seeded(text: string): RandomState {
  const hash = (offset: number) => {
    let value = 0x811c9dc5 ^ offset
    for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
    value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
    value = Math.imul(value ^ (value >>> 12), 0x297a2d39)
    return value ^ (value >>> 15)
  }
  return [hash(1), hash(2), hash(3), hash(4)]
}

/** Draws the ids and tokens that a scenario does not give. The same stream always gives the same id. */
export interface SeededIds {
  uuid(stream: string): string
  token(stream: string, label: string): string
}

/** Creates the ids of a seed. It never draws a taken id. */
export function createSeededIds(seed: number, taken: ReadonlySet<string>): SeededIds {
  const draw = (stream: string, from: (random: Random) => string) => {
    const random = new Random(seed, stream)
    let drawn = from(random)
    while (taken.has(drawn)) drawn = from(random)
    return drawn
  }
  return {
    uuid: stream => draw(stream, random => random.uuid()),
    token: (stream, label) => draw(stream, random => random.token(label)),
  }
}
