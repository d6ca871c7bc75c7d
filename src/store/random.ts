/** Chance, from a seed. Two with the same seed and stream give the same values on every machine. */
export interface Random {
  /** A whole number from 0 to 4294967295. */
  uint32(): number
  /** A number from 0, to below 1. */
  float(): number
  /** A version 4 UUID. */
  uuid(): string
  /** `length` letters and digits, lower case. */
  letters(length: number): string
  /** A token that the mock mints: `{label}.mock.{24 letters}`, so that it is never taken for a real one. */
  token(label: string): string
  /** Where the sequence stands: four numbers. `restore` goes back there. */
  save(): RandomState
  restore(state: RandomState): void
}

/** Where a sequence stands. */
export type RandomState = readonly [number, number, number, number]

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'

/** Chance from a seed; `stream` names an independent sequence of the same seed. The generator is sfc32. */
export function createRandom(seed: number, stream: string): Random {
  let [a, b, c, counter] = seeded(`${seed}/${stream}`)
  const uint32 = () => {
    const value = (a + b + counter) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + value) | 0
    counter = (counter + 1) | 0
    return value >>> 0
  }
  const letters = (length: number) => Array.from({ length }, () => alphabet[uint32() % alphabet.length]).join('')
  return {
    uint32,
    float: () => uint32() / 2 ** 32,
    uuid: () => uuidOf([uint32(), uint32(), uint32(), uint32()]),
    letters,
    token: label => `${label}.mock.${letters(24)}`,
    save: () => [a, b, c, counter],
    restore(saved) {
      ;[a, b, c, counter] = saved
    },
  }
}

const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** 32 bits as 8 digits. */
function hex(value: number): string {
  const byte = (shift: number) => bytes[(value >>> shift) & 0xff] ?? ''
  return byte(24) + byte(16) + byte(8) + byte(0)
}

function uuidOf([a, b, c, d]: RandomState): string {
  const versioned = hex((b & 0xffff0fff) | 0x4000)
  const variant = hex((c & 0x3fffffff) | 0x80000000)
  return `${hex(a)}-${versioned.slice(0, 4)}-${versioned.slice(4)}-${variant.slice(0, 4)}-${variant.slice(4)}${hex(d)}`
}

/** Four numbers from a text (FNV-1a, with another offset for each) and a final mix. */
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
